// meter.h -- elements beside their bounds, and what they add up to: the loop in
// which judging spends its time.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

#include "conformance/judge/codec.h"
#include "conformance/judge/judge.h"
#include "conformance/judge/pair_bounds.h"
#include "conformance/judge/spread.h"

namespace ropeproof::conformance::judge {

// An element by its number in the output, with its error.
struct Reading {
  std::int64_t index = -1;
  double error = 0, bound = 0;

  double ratio() const {
    if (error == 0) return 0;
    return bound > 0 ? error / bound : std::numeric_limits<double>::infinity();
  }
};

// Which pairs at a token are counted and change nothing else, since worse ones
// are known: those whose errors are at most `base` times the pair's length and
// `slope` times the result, `structure` times the length and `norm_ulp`, and
// whose angle is off by at most `phase`.
struct Quiet {
  double base = -1, slope = 0, structure = 0, phase = 0;
};

class Meter {
 public:
  // Goldens of a special problem may be patterns (golden.h). With `marks`, one
  // for each element of the output, these are filled in; to `spread` all
  // elements of `pairs` pairs are added.
  Meter(bool is_special, std::vector<Mark>* marks, Spread* spread,
        std::int64_t pairs)
      : is_special_(is_special),
        marks_(marks),
        spread_(spread),
        pairs_(pairs) {}

  // Counts a pair's elements by their position. Of a special problem within()
  // counts them, since patterns have none.
  void count_all(const Terms& terms, std::int64_t elements) {
    if (!is_special_) count(terms, elements);
  }

  // Whether anything can be quiet.
  bool can_be_quiet() const {
    return !is_special_ && marks_ == nullptr && spread_ == nullptr;
  }

  // What is quiet from here on: errors within the worst ratio to each bound,
  // and the claim's. Ratios only grow, so it stays quiet. The factor pays for
  // the roundings of all products.
  Quiet quiet(const Terms& terms, bool shows_phase) const {
    constexpr double kLess = 1 - 0x1p-40;
    const bool has_phase = shows_phase && m.phase_rho >= 0;
    if (terms.is_vacuous || worst.index < 0 || has_phase != shows_phase) {
      return {};
    }
    double slope = std::min(worst_ratio_, 1.0), base = slope * terms.claim;
    for (std::size_t i = 0; i < 3; ++i) {
      slope = std::min(slope, m.class_ratio[i]);
      base = std::min(base, m.class_ratio[i] * terms.classes[i]);
    }
    return {kLess * base, kLess * slope * terms.result, terms.structure,
            has_phase ? least_phase(terms) : 0};
  }

  // Counts `elements` that are quiet, `not_nearest` of them not the nearest.
  void count_quiet(std::int64_t elements, std::int64_t not_nearest) {
    m.elements += elements;
    m.not_nearest += not_nearest;
  }

  // One element of a pair of this size. `low` completes the golden. `length`:
  // how far the length of the pair is off, where that is beyond its bound.
  template <reference::Format kFormat>
  void within(std::int64_t index, std::uint64_t got_bits, std::uint64_t golden,
              double low, const Size& size, const Terms& terms,
              const Reading& length) {
    if (is_special_ && is_pattern(golden)) {
      must_be(index, golden, fast_decode<kFormat>(got_bits));
      return;
    }
    const double want = std::bit_cast<double>(golden);
    const double got = fast_decode<kFormat>(got_bits);
    double error = std::abs((got - want) - low);
    if (!(error <= std::numeric_limits<double>::max())) {
      error = std::numeric_limits<double>::infinity();
    }
    const auto [scale, eta] = size;
    const double absolute = terms.result * std::abs(want) + eta;
    const double bound = terms.bound(size, want);
    // An exact result that rounds to infinity, by what the bound allows.
    if (std::isinf(got) && std::isfinite(want) &&
        fast_encode<kFormat>(want + std::copysign(bound, want)) == got_bits) {
      error = 0;
    }
    for (std::size_t i = 0; i < 3; ++i) {
      const double of_class = scale * terms.classes[i] + absolute;
      if (error > m.class_ratio[i] * of_class) {
        m.class_ratio[i] = Reading{index, error, of_class}.ratio();
      }
    }
    if (is_special_) count(terms, 1);
    if (error > scale * terms.structure + eta) ++m.beyond_structure;
    const double ulp = fast_ulp<kFormat>(scale);
    if (error > m.max_norm_ulp * ulp) m.max_norm_ulp = error / ulp;
    if (spread_ != nullptr) {
      note(kFormat, error, bound, ulp, terms, length);
    }
    const bool are_zeros = got == 0 && want == 0;  // the same number
    if (fast_encode<kFormat>(want) != got_bits && !are_zeros) ++m.not_nearest;
    if (length.error > 0) {
      add({index, length.error, length.bound}, true, true);
    } else {
      add({index, error, bound}, error > bound, terms.is_vacuous);
    }
  }

  // The length of a pair whose bound accepts any rotation, which a rotation
  // keeps; error 0 where it is within its bound, or not to be judged.
  template <reference::Format kFormat>
  Reading length(double got_u, double got_v, const Size& size,
                 const Terms& terms) const {
    if (!terms.is_vacuous || is_special_) return {};
    const auto [scale, eta] = size;
    const double error = std::abs(pair_length<kFormat>(got_u, got_v) - scale);
    const double bound = scale * terms.length + std::numbers::sqrt2 * eta;
    return error <= bound ? Reading{} : Reading{0, error, bound};
  }

  // One element that must have the bits of `want`.
  void exactly(std::int64_t index, std::uint64_t got, std::uint64_t want) {
    if (got == want) {
      add({index, 0, 0}, false);
      return;
    }
    ++m.beyond_structure;
    ++m.not_nearest;
    add({index, std::numeric_limits<double>::infinity(), 0}, true);
  }

  // All elements; where all are exact, one and their number say as much.
  void exactly_all(std::span<const std::uint64_t> got,
                   std::span<const std::uint64_t> want) {
    std::size_t count = want.size();
    if (marks_ == nullptr && count > 1 && std::ranges::equal(got, want)) {
      m.elements += static_cast<std::int64_t>(count - 1);
      count = 1;
    }
    for (std::size_t i = 0; i < count; ++i) {
      exactly(static_cast<std::int64_t>(i), got[i], want[i]);
    }
  }

  // One element outside the window. A kernel that rotates it by the angle 0
  // keeps its value, but may quiet a NaN or change the sign of a zero, and in a
  // row with an infinity or a NaN outside the window, 0 times that is a NaN:
  // such an element is wrong in special problems alone.
  template <reference::Format kFormat>
  void copied(std::int64_t index, std::uint64_t got, std::uint64_t want,
              bool is_row_finite) {
    const double a = fast_decode<kFormat>(got), b = fast_decode<kFormat>(want);
    const bool is_same =
        a == b || (std::isnan(a) && (std::isnan(b) || !is_row_finite));
    const bool is_written = !cases::is_output_fill(kFormat, got);
    if (got == want || is_special_ || !is_same || !is_written) {
      return exactly(index, got, want);
    }
    ++m.other_bits;
    ++m.not_nearest;
    add({index, 0, 0}, false);
  }

  // Two outputs as one vector: the angle between it and the exact one.
  void phase(double got_u, double got_v, double want_u, double want_v,
             const Terms& terms) {
    const double unit = terms.phase;
    const double cross = got_u * want_v - got_v * want_u;
    const double lengths =
        (got_u * got_u + got_v * got_v) * (want_u * want_u + want_v * want_v);
    if (!has_angle(lengths)) return;
    if (m.phase_rho < 0) m.phase_rho = 0;
    const bool is_wide = got_u * want_u + got_v * want_v <= 0;
    if (is_wide) {  // beyond 90 degrees: nothing finer to say
      m.phase_rho = std::max(m.phase_rho, reference::bound::kVacuous / unit);
      note_phase(std::numbers::pi / 2, terms);
      return;
    }
    const double least = least_phase(terms);
    if (!(cross * cross > least * least * lengths)) return;
    const double error = std::abs(cross) / std::sqrt(lengths);
    m.phase_rho = std::max(m.phase_rho, error / unit);
    note_phase(error, terms);
  }

  // Whether an angle can be told from the product of two squared lengths.
  static bool has_angle(double lengths) {
    return (lengths > 0x1p-400) & (lengths < 0x1p+900);
  }

  Measurement m;
  Reading first_wrong, worst;

 private:
  // Angles below this error change neither maximum.
  double least_phase(const Terms& terms) const {
    return std::min(m.phase_rho * terms.phase, m.phase_error);
  }

  void count(const Terms& terms, std::int64_t elements) {
    if (terms.has_angle) {
      m.at_positions[size_of(terms.position)] += elements;
      m.highest_position = std::max(m.highest_position, terms.position);
    }
    if (terms.is_vacuous) {
      m.vacuous += elements;
      m.vacuous_at[size_of(terms.position)] += elements;
    }
  }

  static bool is_pattern(std::uint64_t golden) {
    return golden == cases::kMustBeNan || golden == cases::kMustNotBeFinite ||
           golden == cases::kMustBePlusInfinity ||
           golden == cases::kMustBeMinusInfinity;
  }

  // 2^(k - 1) <= |p| < 2^k.
  static std::size_t size_of(double position) {
    constexpr int kBias = 1022;  // of an exponent whose fraction is below 1
    const int exponent =
        static_cast<int>(std::bit_cast<std::uint64_t>(position) >> 52 & 0x7ff) -
        kBias;
    return static_cast<std::size_t>(
        std::clamp(exponent, 0, static_cast<int>(ByPosition().size()) - 1));
  }

  // This includes elements whose bound accepts any rotation, so that the report
  // of a coarse claim shows how wrong its angles are.
  void note_phase(double error, const Terms& terms) {
    const bool is_nearer =
        error == m.phase_error && terms.position < m.phase_position;
    if (error > m.phase_error || is_nearer) {
      m.phase_error = error;
      m.phase_position = terms.position;
    }
  }

  void note(reference::Format format, double error, double bound, double ulp,
            const Terms& terms, const Reading& length) {
    const bool is_judged = !terms.is_vacuous || length.error > 0;
    if (is_judged) {
      spread_->note_ulp(format, ulp > 0 ? error / ulp : 0);
    }
    if (!terms.has_angle || terms.pair < 0) return;
    const Reading own = length.error > 0 ? length : Reading{0, error, bound};
    spread_->note_ratio(static_cast<std::int64_t>(size_of(terms.position)),
                        terms.pair, pairs_,
                        is_judged ? own.ratio() : kNotJudged);
  }

  void must_be(std::int64_t index, std::uint64_t golden, double got) {
    const bool right = golden == cases::kMustBeNan ? std::isnan(got)
                       : golden == cases::kMustNotBeFinite
                           ? !std::isfinite(got)
                           : got == std::bit_cast<double>(golden);
    const double error = right ? 0 : std::numeric_limits<double>::infinity();
    if (!right) {
      ++m.not_nearest;
      ++m.beyond_structure;
    }
    add({index, error, 0}, !right);
  }

  void add(const Reading& reading, bool is_wrong, bool is_vacuous = false) {
    ++m.elements;
    if (marks_ != nullptr) {
      (*marks_)[static_cast<std::size_t>(reading.index)] = {
          reading.bound, is_wrong, is_vacuous};
    }
    if (is_wrong) {
      ++m.wrong;
      if (first_wrong.index < 0 || reading.index < first_wrong.index) {
        first_wrong = reading;
      }
    }
    if (is_vacuous && !is_wrong) return;
    // Divides only where the quotient may be a new maximum.
    constexpr double kNearly = 1 - 0x1p-50;
    if (worst.index >= 0 &&
        !(reading.error > worst_ratio_ * reading.bound * kNearly)) {
      return;
    }
    const double ratio = reading.ratio();
    if (worst.index < 0 || ratio > worst_ratio_) {
      worst = reading;
      worst_ratio_ = ratio;
    }
  }

  bool is_special_;
  std::vector<Mark>* marks_;
  Spread* spread_;
  std::int64_t pairs_;
  double worst_ratio_ = 0;
};

}  // namespace ropeproof::conformance::judge
