#include "conformance/check/variation_bases.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <variant>

#include "conformance/cases/families/family.h"
#include "conformance/cases/smaller.h"
#include "conformance/check/change_finder.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/scalings.h"
#include "reference/schemes.h"

namespace ropeproof::conformance::check {
namespace {

using cases::Problem;

// Positions of A reach so far, where the kernel allows it, and four times the
// trained length of its scaling.
constexpr std::int64_t kReach = 4095;

std::int64_t reach_of(const plugin::Kernel& kernel) {
  const std::int64_t limit = kernel.description().max_position;
  return limit > 0 ? std::min(limit, kReach) : kReach;
}

// Distinct, the last the greatest, on each axis others.
std::vector<double> positions_to(std::int64_t reach, std::int64_t tokens,
                                 std::int64_t axes) {
  std::vector<double> positions;
  for (std::int64_t axis = 0; axis < axes; ++axis) {
    for (std::int64_t t = 1; t <= tokens; ++t) {
      positions.push_back(
          static_cast<double>((reach - axis) * t * t / (tokens * tokens)));
    }
  }
  return positions;
}

// What a case is without scaling, axes and frequencies of its own.
Problem plain(const Problem& like, std::int64_t reach) {
  Problem p = like;
  const double base = like.spec.frequencies.base;
  p.spec.frequencies = {};
  if (base > 1) p.spec.frequencies.base = base;
  p.spec.axes = {};
  p.positions = positions_to(reach, p.tokens(), 1);
  return p;
}

cases::Bits repeated(const cases::Bits& bits, std::int64_t count) {
  cases::Bits all;
  for (std::int64_t i = 0; !bits.empty() && i < count; ++i) {
    all.push_back(bits[static_cast<std::size_t>(i) % bits.size()]);
  }
  return all;
}

// The bases of the other Variations.
class Bases {
 public:
  Bases(const Problem& like, std::int64_t reach)
      : simple_(plain(like, reach)), pairs_(simple_.pairs()), reach_(reach) {
    add([](Problem&) {});
    add([](Problem& problem) {
      for (double& p : problem.positions) p -= 0.5;
    });
    add_layouts();
    for (const auto& [bit, word] : plugin::kScalingWords) add_scaling(bit);
    add_frequencies();
    add_axes();
  }
  std::vector<Problem> take() { return std::move(bases_); }

 private:
  void add(const Edit& edit) {
    bases_.push_back(simple_);
    edit(bases_.back());
  }

  void add_layouts() {
    add([&](Problem& p) {
      p.spec.layout.pairing = reference::Pairing::kHalfSplit;
      p.spec.layout.blocks = 1;
      p.spec.layout.pair_distance = pairs_;
      resize_heads(p, std::max(p.spec.layout.head_dim,
                               p.spec.layout.rotary_offset + 4 * pairs_));
    });
    add([](Problem& p) {
      p.spec.layout.pairing = reference::Pairing::kNestedHalfSplit;
      p.spec.layout.blocks = 2;
      p.spec.layout.pair_distance = 0;
    });
  }

  void add_scaling(std::uint32_t bit) {
    reference::Scaling scaling =
        plausible_scaling(bit, pairs_, (reach_ + 1) / 4, reach_ + 1);
    const Edit scale = [&](Problem& p) {
      p.spec.frequencies.scaling = scaling;
    };
    add(scale);
    if (auto* yarn = std::get_if<reference::Yarn>(&scaling)) {
      yarn->mscale = 1;
      yarn->mscale_all_dim = 0.25;
      add(scale);
    }
    if (std::holds_alternative<reference::LongRope>(scaling)) {
      add(scale);
      bases_.back().positions = positions_to(reach_ / 8, simple_.tokens(), 1);
      bases_.back() = cases::with_length(std::move(bases_.back()));
    }
  }

  void add_frequencies() {
    std::vector<reference::Exponent> exponents;
    std::vector<double> inv_freq;
    const double base = simple_.spec.frequencies.base;
    for (std::int64_t j = 0; j < pairs_; ++j) {
      exponents.push_back({2 * j, 2 * pairs_});
      inv_freq.push_back(std::pow(
          base, -static_cast<double>(j) / static_cast<double>(pairs_)));
    }
    const std::vector<double> pair_bases(inv_freq.size(), base);
    add([&](Problem& p) { p.spec.frequencies.inv_freq = inv_freq; });
    add([&](Problem& p) { p.spec.frequencies.exponents = exponents; });
    add([&](Problem& p) { p.spec.frequencies.bases = pair_bases; });
    add([&](Problem& p) {
      p.spec.frequencies.xpos = {static_cast<double>(reach_), 0, false};
    });
  }

  void add_axes(const reference::Axes& axes,
                const std::vector<reference::Exponent>& exponents = {}) {
    add([&](Problem& p) {
      p.spec.axes = axes;
      p.spec.frequencies.exponents = exponents;
      p.positions = positions_to(reach_, p.tokens(), axes.count);
    });
  }
  void add_axes() {
    if (pairs_ >= 4) {
      const std::int64_t sections[] = {pairs_ - 2 * (pairs_ / 4), pairs_ / 4,
                                       pairs_ / 4};
      add_axes(reference::contiguous_sections(sections));
      add_axes(reference::interleaved_sections(sections));
    }
    if (pairs_ % 2 == 0) {
      const auto grid =
          reference::axial_2d(pairs_, 0, reference::Spectrum::kShared);
      add_axes(grid.axes, grid.exponents);
    }
    const std::vector<double> weights(static_cast<std::size_t>(2 * pairs_),
                                      0.5);
    add_axes(reference::mixed_axes(2, weights));
  }

  Problem simple_;
  std::int64_t pairs_, reach_;
  std::vector<Problem> bases_;
};

}  // namespace

reference::Scaling plausible_scaling(std::uint32_t bit, std::int64_t pairs,
                                     std::int64_t trained,
                                     std::int64_t length) {
  const auto list = [&](double first) {
    std::vector<double> factors;
    for (std::int64_t j = 0; j < pairs; ++j) {
      factors.push_back(first + static_cast<double>(j) / 4);
    }
    return factors;
  };
  const auto fill = [&](const char*, auto& value, const auto&) {
    using Value = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, std::int64_t>) {
      value = trained;
    } else if constexpr (std::is_same_v<Value, std::vector<double>>) {
      value = list(1);
    } else if constexpr (std::is_same_v<Value, double>) {
      if (value == 0) value = 4;
    }
  };
  reference::Scaling scaling = plugin::scaling_of(bit);
  std::visit(
      [&](auto& s) {
        plugin::for_each_field(s, fill);
        if constexpr (requires { s.seq_len; }) s.seq_len = length;
        if constexpr (requires { s.low_freq_factor; }) s.low_freq_factor = 1;
        if constexpr (requires { s.long_factor; }) s.long_factor = list(2);
        if constexpr (requires { s.factors; }) s.factors = list(1.25);
      },
      scaling);
  return scaling;
}

void resize_heads(Problem& p, std::int64_t head_dim) {
  p.spec.layout.head_dim = head_dim;
  p.q = repeated(p.q, p.tokens() * p.q_heads * head_dim);
  p.k = repeated(p.k, p.tokens() * p.k_heads * head_dim);
}

std::vector<Problem> variation_bases(plugin::Kernel& kernel,
                                     std::uint32_t operation,
                                     const Problem& like, bool is_profile) {
  constexpr std::int64_t kBatch = 2, kSeq = 3, kQueryHeads = 3, kKeyHeads = 2;
  const std::int64_t batch = std::min(like.batch, kBatch);
  const std::int64_t seq = std::min(like.seq, kSeq);
  std::vector<std::int64_t> tokens;
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t s = 0; s < seq; ++s) tokens.push_back(b * like.seq + s);
  }
  Problem small = first_heads(pick_tokens(like, tokens, batch, seq),
                              std::min(like.q_heads, kQueryHeads),
                              std::min(like.k_heads, kKeyHeads));
  small.storage = cases::kDense;
  small = cases::with_length(std::move(small));

  if ((operation & plugin::kAngles) == 0 || is_profile) return {small};
  std::vector<Problem> bases = Bases(small, reach_of(kernel)).take();
  bases.insert(bases.begin(), std::move(small));
  return bases;
}

}  // namespace ropeproof::conformance::check
