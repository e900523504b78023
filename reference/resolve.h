// resolve.h -- takes every branch of scaling.h once, with a certificate.
//
// A branch on a real number (a floor, a clamp, a band) is taken on a golden:
// the number is rounded to odd into binary64 (decide.h), and the double
// decides. That is sound: rounding to odd is monotone, keeps the sign, and
// gives an integer below 2^52 only for that integer, since those are even
// multiples of their ulp. So floor, ceiling and sign of the double are those of
// the number.
//
// It ends: a correction of YaRN is no integer, or b^(2k/d) = L / (2 pi n) would
// make pi algebraic; and llama3's rotations, with pi a binary64, equal a limit
// only if theta is rational, which exact.h decides beforehand. Values that are
// defined as a real number rounded to binary64 (an amplitude, the bounds of a
// ramp that is not truncated) are decided to nearest.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <variant>

#include "reference/decide.h"
#include "reference/exact.h"
#include "reference/rope.h"

namespace ropeproof::reference {

// A Family of decide.h that also has pi<Real>().
template <class Family>
class Resolver {
 public:
  explicit Resolver(const Spec& spec)
      : spec_(spec), pairs_(spec.layout.rotary_dim / 2) {}

  Resolution resolve() const {
    Resolution result;
    result.amplitude = spec_.frequencies.amplitude;
    std::visit([&](const auto& scaling) { resolve(scaling, result); },
               spec_.frequencies.scaling);
    return result;
  }

 private:
  // The real number that `evaluate` encloses, rounded.
  template <class Evaluate>
  static double rounded(const Evaluate& evaluate, Rounding rounding) {
    using First = typename Family::template Real<Family::kRungs[0]>;
    const First first = evaluate.template operator()<First>();
    return std::bit_cast<double>(
        decide<Family>(first, evaluate, rounding).bits);
  }

  template <class Any>
  void resolve(const Any& /* decides by itself */, Resolution& /**/) const {}

  void resolve(const Yarn& scaling, Resolution& result) const {
    for (std::int64_t j = 0; j < pairs_; ++j) {
      const Exponent e = exponent_of(spec_, j);
      const bool is_as_before =
          j > 0 && base_of(spec_, j) == base_of(spec_, j - 1) &&
          exponent_of(spec_, j - 1).denominator == e.denominator;
      result.ramps.push_back(is_as_before         ? result.ramps.back()
                             : e.denominator == 0 ? Ramp{}
                                                  : ramp(scaling, e, j));
    }
    result.amplitude = amplitude(
        scaling, [&]<class Real>() { return yarn_amplitude<Real>(scaling); });
  }

  Ramp ramp(const Yarn& scaling, const Exponent& e, std::int64_t j) const {
    const double base = base_of(spec_, j);
    const auto correction = [&](double rotations) {
      const auto evaluate = [&]<class Real>() {
        return yarn_correction<Real>(e, base, scaling.original_length,
                                     rotations, Family::template pi<Real>());
      };
      return rounded(evaluate, scaling.truncate ? Rounding::kToOdd
                                                : Rounding::kNearestEven);
    };
    Ramp ramp{correction(scaling.beta_fast), correction(scaling.beta_slow)};
    if (scaling.truncate) ramp = {std::floor(ramp.low), std::ceil(ramp.high)};
    ramp.low = std::max(ramp.low, 0.0);
    ramp.high = std::min(ramp.high, static_cast<double>(e.denominator - 1));
    if (ramp.low > ramp.high) refuse(scaling, ramp);
    if (ramp.low == ramp.high) ramp.high += 0.001;
    return ramp;
  }

  [[noreturn]] static void refuse(const Yarn& scaling, const Ramp& ramp) {
    const auto shown = [](double index) {
      return std::to_string(std::llround(index));
    };
    throw std::invalid_argument(
        "original_length is " + std::to_string(scaling.original_length) +
        "; expected one whose ramp of YaRN does not run from " +
        shown(ramp.low) + " back to " + shown(ramp.high));
  }

  void resolve(const LongRope& scaling, Resolution& result) const {
    result.amplitude = amplitude(scaling, [&]<class Real>() {
      return long_rope_amplitude<Real>(scaling);
    });
  }

  // The amplitude of Yarn or LongRope: explicit, or 1 where nothing stretches.
  template <class Stretching, class Evaluate>
  static double amplitude(const Stretching& scaling, const Evaluate& evaluate) {
    if (scaling.attention_factor) return *scaling.attention_factor;
    if (scaling.factor == 1) return 1;
    return rounded(evaluate, Rounding::kNearestEven);
  }

  void resolve(const Llama3& scaling, Resolution& result) const {
    const auto sign = [&](std::int64_t j, double limit) {
      if (const auto exact = exact_llama3_sign(spec_, j, limit)) return *exact;
      const auto evaluate = [&]<class Real>() {
        const Real theta = frequency<Real>(spec_, j);
        return Real(llama3_rotations(scaling, theta) - Real(limit));
      };
      return rounded(evaluate, Rounding::kToOdd) < 0 ? -1 : 1;
    };
    for (std::int64_t j = 0; j < pairs_; ++j) {
      Band band = Band::kBlend;
      if (sign(j, scaling.high_freq_factor) >= 0) {
        band = Band::kKeep;
      } else if (sign(j, scaling.low_freq_factor) <= 0) {
        band = Band::kDivide;
      }
      result.bands.push_back(band);
    }
  }

  const Spec& spec_;
  std::int64_t pairs_;
};

// `spec` is valid (spec.h). Throws std::invalid_argument for a YaRN ramp that
// runs backwards.
template <class Family>
Rope resolve(const Spec& spec) {
  return {spec, Resolver<Family>(spec).resolve()};
}

}  // namespace ropeproof::reference
