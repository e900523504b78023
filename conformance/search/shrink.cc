#include "conformance/search/shrink.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <utility>

#include "conformance/cases/smaller.h"
#include "reference/spec.h"

namespace ropeproof::conformance::search {
namespace {

using cases::all_of;
using cases::Indices;
using cases::window_width;
using reference::Direction;
using reference::Format;
using reference::Layout;
using reference::Pairing;

bool is_valid(const cases::Problem& problem) {
  try {
    reference::validate(problem.spec);
    for (const double p : problem.positions) {
      reference::validate_position(p);
      reference::validate_position(problem.spec, p);
    }
  } catch (const std::invalid_argument&) {
    return false;
  }
  return true;
}

class Shrinker {
 public:
  Shrinker(const cases::Problem& problem, const StillFails& fails)
      : problem_(problem), fails_(fails) {}

  Shrunk run() {
    do {
      is_smaller_ = false;
      drop_tokens();
      drop_heads();
      drop_features();
      drop_pairs();
      drop_channels();
      shrink_positions();
      simplify_elements();
    } while (is_smaller_ && tries_ < kMaxTries);
    return {std::move(problem_), tries_};
  }

 private:
  // Goes on with `candidate` if it fails too.
  bool take(cases::Problem candidate) {
    if (tries_ >= kMaxTries || !is_valid(candidate)) return false;
    ++tries_;
    if (!fails_(candidate)) return false;
    problem_ = std::move(candidate);
    is_smaller_ = true;
    return true;
  }

  // Makes a change in place; nothing is tried if it changes nothing.
  template <class T, class Change>
  bool set(T cases::Problem::*member, const Change& change) {
    cases::Problem candidate = problem_;
    change(candidate.*member);
    return take(std::move(candidate));
  }

  // Drops one after the other of what `count` counts, but for the last one.
  template <class Count, class Without>
  void drop_each(const Count& count, const Without& without) {
    for (std::int64_t i = 0; std::invoke(count, problem_) > 1 &&
                             i < std::invoke(count, problem_);) {
      if (!take(without(i))) ++i;
    }
  }

  // One token; else without a batch row, without a place of the sequence.
  void drop_tokens() {
    for (std::int64_t t = 0; problem_.tokens() > 1 && t < problem_.tokens();
         ++t) {
      if (take(cases::pick_tokens(problem_, {t}, 1, 1))) return;
    }
    const auto kept_if = [this](const auto& is_kept) {
      Indices kept = all_of(problem_.tokens());
      std::erase_if(kept, std::not_fn(is_kept));
      return kept;
    };
    drop_each(&cases::Problem::batch, [&](std::int64_t b) {
      return cases::pick_tokens(
          problem_, kept_if([&](auto t) { return t / problem_.seq != b; }),
          problem_.batch - 1, problem_.seq);
    });
    drop_each(&cases::Problem::seq, [&](std::int64_t s) {
      return cases::pick_tokens(
          problem_, kept_if([&](auto t) { return t % problem_.seq != s; }),
          problem_.batch, problem_.seq - 1);
    });
  }

  void drop_heads() {
    if (problem_.k_heads > 0) {
      if (!take(cases::pick_heads(problem_, all_of(problem_.q_heads), {}))) {
        take(cases::keys_as_queries(problem_));
      }
    }
    drop_each(&cases::Problem::q_heads, [this](std::int64_t h) {
      return cases::pick_heads(problem_, all_of(problem_.q_heads, h),
                               all_of(problem_.k_heads));
    });
    drop_each(&cases::Problem::k_heads, [this](std::int64_t h) {
      return cases::pick_heads(problem_, all_of(problem_.q_heads),
                               all_of(problem_.k_heads, h));
    });
  }

  // One by one, what makes a specification more than the plain one.
  void drop_features() {
    if (problem_.storage != cases::kDense) {
      set(&cases::Problem::storage,
          [](cases::Storage& s) { s = cases::kDense; });
    }
    for (std::int64_t a = 0;
         problem_.spec.axes.count > 1 && a < problem_.spec.axes.count; ++a) {
      take(cases::cut_axes(problem_, a));
    }
    const auto drop = [this](bool is_there, const auto& change) {
      if (is_there) set(&cases::Problem::spec, change);
    };
    const reference::Spec& spec = problem_.spec;
    using reference::Spec;
    drop(!spec.axes.weights.empty() && spec.axes.count == 1,
         [](Spec& s) { s.axes.weights.clear(); });
    drop(spec.direction != Direction::kForward,
         [](Spec& s) { s.direction = Direction::kForward; });
    drop(spec.frequencies.xpos.has_value(),
         [](Spec& s) { s.frequencies.xpos.reset(); });
    drop(spec.frequencies.amplitude != 1,
         [](Spec& s) { s.frequencies.amplitude = 1; });
    drop(spec.frequencies.scaling.index() != 0,
         [](Spec& s) { s.frequencies.scaling = reference::Default{}; });
    drop(!spec.frequencies.pair_factors.empty(),
         [](Spec& s) { s.frequencies.pair_factors.clear(); });
    drop(!spec.frequencies.inv_freq.empty(),
         [](Spec& s) { s.frequencies.inv_freq.clear(); });
    drop(!spec.frequencies.exponents.empty(),
         [](Spec& s) { s.frequencies.exponents.clear(); });
    drop(!spec.frequencies.bases.empty(),
         [](Spec& s) { s.frequencies.bases.clear(); });
    drop(spec.frequencies.base != 10000,
         [](Spec& s) { s.frequencies.base = 10000; });
    lay_out_plainly();
    for (const Format dtype : {Format::kF32, Format::kBF16, Format::kF16}) {
      if (problem_.dtype == dtype || take(cases::converted(problem_, dtype)))
        break;
    }
  }

  // The two pairings that every kernel has one of, and no distance.
  void lay_out_plainly() {
    Layout layout = problem_.spec.layout;
    const std::int64_t outside = layout.head_dim - window_width(layout);
    layout.blocks = 1;
    layout.pair_distance = 0;
    layout.head_dim = layout.rotary_dim + outside;
    layout.rotary_offset = std::min(layout.rotary_offset, outside);
    for (const Pairing pairing : {Pairing::kHalfSplit, Pairing::kInterleaved}) {
      const Layout& now = problem_.spec.layout;
      if (now.pairing == pairing && now.pair_distance == 0) return;
      layout.pairing = pairing;
      if (take(cases::relaid(problem_, all_of(problem_.pairs()), layout)))
        return;
    }
  }

  // The pairs `kept`, and as many channels outside the window as there are.
  cases::Problem with_pairs(const Indices& kept) const {
    Layout layout = problem_.spec.layout;
    const std::int64_t outside = layout.head_dim - window_width(layout);
    layout.rotary_dim = 2 * static_cast<std::int64_t>(kept.size());
    while (layout.rotary_dim / 2 % layout.blocks != 0) --layout.blocks;
    layout.head_dim = window_width(layout) + outside;
    return cases::relaid(problem_, kept, layout);
  }

  // The fewest leading pairs, then the fewest trailing ones; then one at a
  // time.
  void drop_pairs() {
    for (const bool is_leading : {true, false}) {
      for (std::int64_t count = 1; count < problem_.pairs(); ++count) {
        Indices kept = all_of(count);
        for (std::int64_t& j : kept) {
          if (!is_leading) j += problem_.pairs() - count;
        }
        if (take(with_pairs(kept))) break;
      }
    }
    drop_each(&cases::Problem::pairs, [this](std::int64_t j) {
      return with_pairs(all_of(problem_.pairs(), j));
    });
  }

  // Channels outside the window, its offset, and the pairs' distance.
  void drop_channels() {
    // The least of first, first + 1, ... now - 1 that will do.
    const auto lessen = [this](std::int64_t first, std::int64_t now,
                               const auto& set_to) {
      for (; first < now; ++first) {
        Layout layout = problem_.spec.layout;
        set_to(layout, first);
        if (take(cases::relaid(problem_, all_of(problem_.pairs()), layout)))
          return;
      }
    };
    const Layout& now = problem_.spec.layout;
    lessen(0, now.head_dim - window_width(now), [](Layout& layout, auto n) {
      layout.head_dim = window_width(layout) + n;
      layout.rotary_offset = std::min(layout.rotary_offset, n);
    });
    lessen(0, now.rotary_offset,
           [](Layout& layout, auto n) { layout.rotary_offset = n; });
    lessen(problem_.pairs(), now.pair_distance, [](Layout& layout, auto n) {
      const std::int64_t outside = layout.head_dim - window_width(layout);
      layout.pair_distance = n;
      layout.head_dim = window_width(layout) + outside;
    });
  }

  bool set_position(std::size_t i, double p) {
    if (problem_.positions[i] == p) return false;
    return set(&cases::Problem::positions,
               [&](std::vector<double>& all) { all[i] = p; });
  }

  // Whole, then not below zero, then as small as a bisection finds: the failure
  // is there at `high` and not at `low`.
  void shrink_positions() {
    for (std::size_t i = 0; i < problem_.positions.size(); ++i) {
      set_position(i, std::trunc(problem_.positions[i]));
      set_position(i, std::abs(problem_.positions[i]));
      if (problem_.positions[i] == 0 || set_position(i, 0)) continue;
      if (problem_.positions[i] == 1 || set_position(i, 1)) continue;
      const double sign = problem_.positions[i] < 0 ? -1 : 1;
      double low = 1, high = std::abs(problem_.positions[i]);
      while (high - low > 1) {
        const double middle = std::floor(low + (high - low) / 2);
        (set_position(i, sign * middle) ? high : low) = middle;
      }
    }
  }

  // All but one element 0; else as many as can be. Those that stay are 1 if
  // that does.
  void simplify_elements() {
    const std::uint64_t one = encode(problem_.dtype, 1);
    for (cases::Bits cases::Problem::*x :
         {&cases::Problem::q, &cases::Problem::k}) {
      for (std::size_t i = 0; i < (problem_.*x).size(); ++i) {
        cases::Problem candidate = problem_;
        std::fill(candidate.q.begin(), candidate.q.end(), 0);
        std::fill(candidate.k.begin(), candidate.k.end(), 0);
        (candidate.*x)[i] = one;
        const bool is_so_now =
            candidate.q == problem_.q && candidate.k == problem_.k;
        if (is_so_now || take(std::move(candidate))) return;
      }
    }
    for (cases::Bits cases::Problem::*x :
         {&cases::Problem::q, &cases::Problem::k}) {
      for (std::size_t i = 0; i < (problem_.*x).size(); ++i) {
        for (const std::uint64_t bits : {std::uint64_t{0}, one}) {
          if ((problem_.*x)[i] == bits) break;
          if (set(x, [&](cases::Bits& all) { all[i] = bits; })) break;
        }
      }
    }
  }

  cases::Problem problem_;
  const StillFails& fails_;
  std::int64_t tries_ = 0;
  bool is_smaller_ = false;
};

}  // namespace

Shrunk shrink(const cases::Problem& problem, const StillFails& fails) {
  return Shrinker(problem, fails).run();
}

}  // namespace ropeproof::conformance::search
