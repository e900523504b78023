#include "conformance/judge/clues.h"

#include <algorithm>
#include <cmath>

namespace ropeproof::conformance::judge {
namespace {

using reference::Format;

double rounded(Format format, double x) {
  return decode(format, encode(format, x));
}

void add_frequencies(Clues& k, const cases::RopeCase& c, const Measured& m) {
  k.frequency_off = m.is_frequency_off();
  k.frequency_right = !m.frequency.empty() && !k.frequency_off &&
                      std::ranges::all_of(m.frequency, [](const PairRatio& r) {
                        return r.error < 1e-3;
                      });
  k.one_ratio = k.frequency_off;
  k.slightly = k.frequency_off;
  k.reversed = m.is_reversed();
  double last = 0;
  int turns = 0;  // of the slope
  for (std::size_t i = 0; i < m.frequency.size(); ++i) {
    const double ratio = m.frequency[i].ratio, first = m.frequency[0].ratio;
    k.one_ratio &= std::abs(ratio - first) <= 0.01 * std::abs(first);
    k.slightly &= std::abs(ratio - 1) <= 0x1p-7;
    if (m.frequency[i].pair == 0) k.pair_0_off = ratio != 1;
    const double slope = i == 0 ? 0 : ratio - m.frequency[i - 1].ratio;
    if (slope * last < 0) ++turns;
    if (slope != 0) last = slope;
  }
  k.in_order = turns <= 1;
  const auto still = std::ranges::find(m.frequency, 0, &PairRatio::ratio);
  k.tail_still = k.frequency_off && still != m.frequency.begin() &&
                 std::all_of(m.frequency.begin(), still,
                             [](const PairRatio& r) { return r.ratio == 1; }) &&
                 std::all_of(still, m.frequency.end(), [](const PairRatio& r) {
                   return std::abs(r.ratio) < 0.01;
                 });
  const bool has_base = c.spec.frequencies.scaling.index() == 0;
  k.never_a_base = m.frequency.size() > 1 &&
                   (k.one_ratio || (k.frequency_off && has_base &&
                                    m.base == 0 && m.frequency.size() > 2));
  k.other_base = m.base != 0;
  const reference::Layout& layout = c.spec.layout;
  const double of_head = std::pow(c.spec.frequencies.base,
                                  static_cast<double>(layout.rotary_dim) /
                                      static_cast<double>(layout.head_dim));
  k.base_of_head = k.other_base && std::abs(m.base - of_head) < 0.01 * of_head;
}

void add_positions(Clues& k, const Measured& m) {
  k.position_off = m.is_position_off();
  k.position_halved = k.position_held = k.position_negated = k.position_off;
  // One position alone is shifted by anything.
  k.position_shifted =
      k.position_off &&
      (m.positions.size() > 1 ||
       std::abs(m.positions[0].used - m.positions[0].given) == 1);
  for (const PositionUsed& p : m.positions) {
    k.position_shifted &=
        p.used - p.given == m.positions[0].used - m.positions[0].given;
    k.position_halved &= p.used == p.given ||
                         p.used == rounded(Format::kBF16, p.given) ||
                         p.used == rounded(Format::kF16, p.given);
    k.position_held &= p.given < 0 ? p.used >= p.given && p.used <= 0
                                   : p.used <= p.given && p.used >= 0;
    k.position_negated &= p.used == -p.given || p.used == p.given;
  }
}

void add_elements(Clues& k, const Evidence& e) {
  k.is_fine = e.is_fine;
  k.is_far = e.is_far;
  k.origin_wrong = e.origin_is_wrong;
  k.outside_wrong = e.outside_is_wrong;
  k.some_pairs = e.some_pairs;
  k.some_rows = e.some_rows;
  k.some_heads = e.some_heads_alone;
  k.unwritten = e.has_unwritten;
  k.only_second = e.only_second;
  k.fits_f32 = e.fits_f32;
  k.fits_half = e.fits_half;
}

void add_case(Clues& k, const cases::RopeCase& c) {
  k.has_amplitude = c.amplitude != 1 || !c.pair_amplitude.empty();
  k.is_partial = c.spec.layout.rotary_dim < c.spec.layout.head_dim;
  k.is_strided = c.memory != cases::Memory::kDense;
  k.is_adjoint = c.spec.direction == reference::Direction::kAdjoint;
  k.has_axes = c.spec.axes.count > 1;
  k.has_rows = c.batch > 1;
  k.is_decode = c.seq == 1;
  k.is_beyond_int32 = std::ranges::any_of(
      c.positions, [](double p) { return std::abs(p) >= 0x1p31; });
  k.scaling = &c.spec.frequencies.scaling;
}

}  // namespace

Clues clues_of(const cases::RopeCase& c, int equation, const Evidence& evidence,
               const Measured& measured) {
  Clues k{};
  k.pair_0_off = measured.frequency.empty() && !evidence.pair_0_is_right;
  add_frequencies(k, c, measured);
  add_positions(k, measured);
  add_elements(k, evidence);
  add_case(k, c);
  k.amplitude_off = measured.is_amplitude_off();
  k.angle_halved = measured.angle_error > 0;
  k.sine_lost = measured.is_sine_lost;
  k.is_outside = equation == 5;
  k.are_places = equation == 6;
  k.are_pairs = equation == 3;
  k.is_rotation = equation == 4 && !k.amplitude_off;
  k.is_angle = equation == 1 || equation == 2 || equation > 6 ||
               k.frequency_off || k.position_off;
  k.angle_unknown = k.is_angle && !k.frequency_off && !k.position_off;
  return k;
}

}  // namespace ropeproof::conformance::judge
