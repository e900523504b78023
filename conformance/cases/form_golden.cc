#include "conformance/cases/form_golden.h"

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "conformance/cases/special_rules.h"
#include "reference/permutation.h"
#include "reference/sweep/fast_goldens.h"
#include "reference/sweep/kept_frequencies.h"

namespace ropeproof::conformance::cases {
namespace {

using Certified = reference::Goldens;
using Fast = reference::sweep::FastGoldens;

// Collects goldens in binary64, or in pairs of it.
struct Notes {
  int& precision_bits;

  void add(const reference::Golden& g, Bits& bits) const {
    bits.push_back(g.bits);
    precision_bits = std::max(precision_bits, g.precision_bits);
  }
  void add(const reference::WideGolden& g, Bits& hi, Bits& lo) const {
    add({g.hi, g.precision_bits}, hi);
    lo.push_back(g.lo);
  }
};

void rotate(const Certified& goldens, std::int64_t heads,
            const std::vector<double>& x, bool is_wide, const Notes& notes,
            Bits& y, Bits& y_lo) {
  if (is_wide) {
    for (const auto& g : goldens.wide_rope(heads, x)) notes.add(g, y, y_lo);
  } else {
    for (const auto& g : goldens.rope(heads, x)) notes.add(g, y);
  }
}

void rotate(const Fast& goldens, std::int64_t heads,
            const std::vector<double>& x, bool is_wide, const Notes& /*none*/,
            Bits& y, Bits& y_lo) {
  y.resize(x.size());
  if (!is_wide) {
    goldens.rope(heads, x, y);
    return;
  }
  y_lo.resize(x.size());
  goldens.wide_rope(heads, x, y, y_lo);
}

// Where no real number stands, zero: outside the window it is copied, and
// inside special rules say what comes out.
std::vector<double> values_of(const Problem& p, const Bits& x,
                              std::int64_t heads) {
  std::vector<double> values(x.size());
  reference::decode(p.dtype, p.is_special ? provable_part(p, x, heads) : x,
                    values);
  for (double& value : values) value = std::isfinite(value) ? value : 0;
  return values;
}

bool is_wide(const Problem& p) { return p.dtype == reference::Format::kF64; }

}  // namespace

struct GoldenFormer::Oracles {
  std::variant<Certified, Fast> goldens;
};

GoldenFormer::GoldenFormer(const Problem& p, reference::Oracle oracle,
                           Effort effort) {
  if (effort == Effort::kCertified) {
    oracles_ = std::make_unique<Oracles>(
        Oracles{Certified(oracle, p.spec, p.positions)});
  } else {
    oracles_ =
        std::make_unique<Oracles>(Oracles{Fast(oracle, p.spec, p.positions)});
  }
  int widest = 0;
  const Notes notes{widest};
  const auto note_amplitude = [&](const reference::Golden& amplitude) {
    if (p.spec.frequencies.xpos) {
      golden_.pair_amplitude.push_back(amplitude.bits);
    }
  };
  const auto read = [&](const auto& goldens) {
    golden_.amplitude = goldens.resolution().amplitude;
    for (const auto& theta : goldens.frequencies()) {
      notes.add(theta, golden_.inv_freq_hi, golden_.inv_freq_lo);
    }
    if (is_wide(p)) {
      for (const auto& entry : goldens.wide_table()) {
        notes.add(entry.cos, golden_.cos, golden_.cos_lo);
        notes.add(entry.sin, golden_.sin, golden_.sin_lo);
        note_amplitude(entry.amplitude);
      }
    } else {
      for (const auto& entry : goldens.table()) {
        notes.add(entry.cos, golden_.cos);
        notes.add(entry.sin, golden_.sin);
        note_amplitude(entry.amplitude);
      }
    }
  };
  std::visit(read, oracles_->goldens);
  if (effort == Effort::kCertified) golden_.precision_bits = widest;
}

GoldenFormer::~GoldenFormer() = default;

Golden GoldenFormer::rotate(const Problem& p) && {
  Golden golden = std::move(golden_);
  const Notes notes{golden.precision_bits};
  const auto rotate_both = [&](const auto& goldens) {
    cases::rotate(goldens, p.q_heads, values_of(p, p.q, p.q_heads), is_wide(p),
                  notes, golden.q, golden.q_lo);
    cases::rotate(goldens, p.k_heads, values_of(p, p.k, p.k_heads), is_wide(p),
                  notes, golden.k, golden.k_lo);
  };
  std::visit(rotate_both, oracles_->goldens);
  if (p.is_special) apply_special_rules(p, golden);
  return golden;
}

double amplitude_of(const Problem& p) {
  const reference::Frequencies& f = p.spec.frequencies;
  if (!reference::decides_amplitude(f.scaling)) return f.amplitude;
  return reference::sweep::kept_frequencies(reference::best_oracle(), p.spec)
      ->prover()
      .resolution()
      .amplitude;
}

Golden form_golden(const Problem& p, reference::Oracle oracle, Effort effort) {
  if (p.task == Task::kRotate) {
    return GoldenFormer(p, oracle, effort).rotate(p);
  }
  Golden golden;
  golden.q = reference::permute_rows<std::uint64_t>(
      p.spec.layout, static_cast<std::size_t>(p.q_heads),
      static_cast<std::size_t>(p.seq), p.q);
  return golden;
}

}  // namespace ropeproof::conformance::cases
