#include "conformance/cover/form_goldens.h"

#include <cmath>
#include <span>
#include <vector>

#include "conformance/cases/special_rules.h"
#include "reference/sweep/fast_goldens.h"

namespace ropeproof::conformance::cover {
namespace {

using cases::Bits;

// Where no real number stands, zero: outside the window it is copied, and inside
// special rules say what comes out.
std::vector<double> values_of(const cases::RopeCase& c, const Bits& x,
                              std::int64_t heads) {
  std::vector<double> values;
  values.reserve(x.size());
  for (const std::uint64_t pattern :
       c.is_special ? cases::provable_part(c, x, heads) : x) {
    const double value = reference::decode(c.dtype, pattern);
    values.push_back(std::isfinite(value) ? value : 0);
  }
  return values;
}

}  // namespace

void form_goldens(cases::RopeCase& c, reference::Oracle oracle,
                  const std::function<void(cases::RopeCase&)>& choose_values) {
  for (const cases::GoldenTensor& golden : cases::goldens_of(c)) {
    (c.*golden.bits).clear();
  }
  const bool is_wide = c.dtype == reference::Format::kF64;
  const reference::sweep::FastGoldens goldens(oracle, c.spec, c.positions);
  c.amplitude = goldens.resolution().amplitude;
  for (const reference::WideGolden& theta : goldens.frequencies()) {
    c.inv_freq_hi.push_back(theta.hi);
    c.inv_freq_lo.push_back(theta.lo);
  }
  const auto note_amplitude = [&](const reference::Golden& amplitude) {
    if (c.spec.frequencies.xpos) c.pair_amplitude.push_back(amplitude.bits);
  };
  if (is_wide) {
    for (const reference::WideCosSin& entry : goldens.wide_table()) {
      c.cos.push_back(entry.cos.hi);
      c.cos_lo.push_back(entry.cos.lo);
      c.sin.push_back(entry.sin.hi);
      c.sin_lo.push_back(entry.sin.lo);
      note_amplitude(entry.amplitude);
    }
  } else {
    for (const reference::GoldenCosSin& entry : goldens.table()) {
      c.cos.push_back(entry.cos.bits);
      c.sin.push_back(entry.sin.bits);
      note_amplitude(entry.amplitude);
    }
  }
  choose_values(c);
  const auto rotate = [&](const Bits& x, std::int64_t heads, Bits& y,
                          Bits& y_lo) {
    const std::vector<double> values = values_of(c, x, heads);
    y.resize(x.size());
    if (!is_wide) {
      goldens.rope(heads, values, y);
      return;
    }
    y_lo.resize(x.size());
    goldens.wide_rope(heads, values, y, y_lo);
  };
  rotate(c.q, c.q_heads, c.q_out, c.q_out_lo);
  rotate(c.k, c.k_heads, c.k_out, c.k_out_lo);
  if (c.is_special) cases::apply_special_rules(c);
}

}  // namespace ropeproof::conformance::cover
