// scaling.h -- how models stretch their context: one function per paper.
//
// A scaling decides frequencies and the amplitude, nothing else. Read on from
// (R1) of rope.h, whose theta_j each of these takes and whose notation they
// share: b is the base, s the factor, L the original context length, and the
// pair's exponent n/d stands for 2j/r: j = n/2 counts the pairs among d
// channels. So a scaling applies to each axis of a multi-axis RoPE separately.
//
// Branches (clamps, bands, floors) are not taken here, since nothing below can
// compare two enclosures: resolve.h takes each of them once, with a
// certificate, and Resolution carries what it decided. README.md lists the
// papers.
#ifndef ROPEPROOF_REFERENCE_SCALING_H_
#define ROPEPROOF_REFERENCE_SCALING_H_

#include <cstdint>
#include <iterator>
#include <numbers>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "reference/spec.h"

namespace ropeproof::reference {

// What resolve.h decided. Every number is exact from here on.
struct Ramp {
  double low = 0, high = 0;  // YaRN: where interpolation starts and is complete
};
enum class Band { kKeep, kBlend, kDivide };  // llama3

struct Resolution {
  double amplitude = 1;     // m, of the specification or of its scaling
  std::vector<Ramp> ramps;  // Yarn: one per pair
  std::vector<Band> bands;  // Llama3: one per pair
};

// (R7) Position interpolation [PI]: position p means p/s.
//          theta' = theta / s
template <class Real>
Real linear(const Linear& scaling, const Real& theta) {
  return theta / Real(scaling.factor);
}

// (R8) NTK-aware [NTK]: another base, such that the slowest pair is
//      interpolated by alpha and the fastest not at all.
//          b' = b alpha^(d/(d-2)),   hence   theta' = theta alpha^(-n/(d-2))
template <class Real>
Real ntk(const Real& alpha, const Exponent& e, const Real& theta) {
  return theta * pow(alpha, Real(-e.numerator) / Real(e.denominator - 2));
}

// (R9) Dynamic NTK [NTK]: (R8) with alpha growing with the length N of the
//      sequence beyond the M positions of the training.
//          alpha = s N/M - (s - 1)  if N > M, else 1
template <class Real>
Real dynamic_alpha(const DynamicNtk& scaling) {
  if (scaling.seq_len <= scaling.max_position) return Real(1);
  const Real s(scaling.factor);
  return s * Real(scaling.seq_len) / Real(scaling.max_position) - s + Real(1);
}

// (R10) YaRN [YaRN, section 3.2, "NTK-by-parts"]. The pair that completes n
//       rotations within L positions has the real-valued index
//           corr(n) = d ln(L / (2 pi n)) / (2 ln b).
//       low = corr(beta_fast), high = corr(beta_slow); with truncate, floor of
//       low and ceiling of high; then low >= 0 and high <= d - 1 (the number of
//       channels, not of pairs: so do the authors and every engine surveyed);
//       then, if they are equal, high += 0.001.
template <class Real>
Real yarn_correction(const Exponent& e, double base,
                     std::int64_t original_length, double rotations,
                     const Real& pi) {
  const Real length = Real(original_length);
  return Real(e.denominator) * log(length / (Real(2) * pi * Real(rotations))) /
         (Real(2) * log(Real(base)));
}

//           gamma  = (j - low) / (high - low), clamped to 0 .. 1
//           theta' = (1 - gamma) theta + gamma theta/s
//       Written with the one division last.
template <class Real>
Real yarn(const Yarn& scaling, const Ramp& ramp, const Exponent& e,
          const Real& theta) {
  const double j = static_cast<double>(e.numerator) / 2;
  const Real s(scaling.factor);
  if (j <= ramp.low) return theta;
  if (j >= ramp.high) return theta / s;
  const Real part = Real(j) - Real(ramp.low);
  const Real whole = Real(ramp.high) - Real(ramp.low);
  return theta * ((whole - part) * s + part) / (whole * s);
}

// (R11) The amplitude of YaRN [YaRN, section 3.4], which multiplies cosine
//       and sine; with mscale and mscale_all_dim as DeepSeek-V2 introduced
//       them:
//           g(mu) = 0.1 mu ln s + 1  (1 where s = 1)
//           m     = g(1)   or   g(mscale) / g(mscale_all_dim)
//       0.1 is one tenth. m is this real number rounded once to binary64.
template <class Real>
Real yarn_mscale(double factor, double mu) {
  return Real(mu) * log(Real(factor)) / Real(10) + Real(1);
}

template <class Real>
Real yarn_amplitude(const Yarn& scaling) {
  if (!scaling.mscale) return yarn_mscale<Real>(scaling.factor, 1);
  return yarn_mscale<Real>(scaling.factor, *scaling.mscale) /
         yarn_mscale<Real>(scaling.factor, *scaling.mscale_all_dim);
}

// (R12) LongRoPE [Long]: a factor found by search for each pair, one list for
//       sequences within the original context and one for longer ones. The
//       switch is at seq_len > L: position L itself, the (L+1)st, is long.
//           theta'_j = theta_j / F_j
//           m = sqrt(1 + ln s / ln L)  (1 where s = 1), rounded as in (R11)
template <class Real>
Real long_rope(const LongRope& scaling, std::int64_t j, const Real& theta) {
  const bool is_long = scaling.seq_len > scaling.original_length;
  const auto& factors = is_long ? scaling.long_factor : scaling.short_factor;
  return theta / Real(at(factors, j));
}

template <class Real>
Real long_rope_amplitude(const LongRope& scaling) {
  return sqrt(Real(1) +
              log(Real(scaling.factor)) / log(Real(scaling.original_length)));
}

// (R13) Llama 3.1 [Llama3]. A pair makes
//           t = L / lambda = L theta / (2 pi)
//       rotations within L positions. Fast pairs, t >= high, are kept; slow
//       ones, t <= low, are divided by s; those in between are blended:
//           sigma  = (t - low) / (high - low)
//           theta' = (1 - sigma) theta/s + sigma theta
//       pi is the binary64 next to it, as in every program: with the real pi,
//       theta' would not be algebraic, and nothing would prove that rounding it
//       can be decided.
template <class Real>
Real llama3_rotations(const Llama3& scaling, const Real& theta) {
  return Real(scaling.original_length) * theta /
         (Real(2) * Real(std::numbers::pi));
}

template <class Real>
Real llama3(const Llama3& scaling, Band band, const Real& theta) {
  const Real s(scaling.factor);
  if (band == Band::kKeep) return theta;
  if (band == Band::kDivide) return theta / s;
  const Real low(scaling.low_freq_factor), high(scaling.high_freq_factor);
  const Real sigma = (llama3_rotations(scaling, theta) - low) / (high - low);
  return (Real(1) - sigma) * theta / s + sigma * theta;
}

// (R14) Frequency factors (ggml's freq_factors, GGUF's rope_freqs): divide.
//           theta'_j = theta_j / F_j
template <class Real>
Real frequency_factors(const FrequencyFactors& scaling, std::int64_t j,
                       const Real& theta) {
  return theta / Real(at(scaling.factors, j));
}

// Number and name of what each scaling computes, in the order of the variant
// after Default. YaRN's stands for (R11), too.
struct Formula {
  int number;
  std::string_view text;
};
inline constexpr Formula kScalingFormulas[] = {
    {7, "linear scaling"},      {8, "NTK-aware scaling"},
    {9, "dynamic NTK scaling"}, {10, "YaRN scaling"},
    {12, "LongRoPE scaling"},   {13, "llama3 scaling"},
    {14, "frequency factors"}};
static_assert(std::size(kScalingFormulas) == std::variant_size_v<Scaling> - 1);

// The scaling applied to theta_j. (R8) and (R9) change the base: rope.h applies
// them. `Real` may be a rational number, too.
template <class Real>
Real scaled(const Scaling& scaling, const Resolution& resolution,
            const Exponent& e, std::int64_t j, const Real& theta) {
  return std::visit(
      [&](const auto& s) -> Real {
        using S = std::decay_t<decltype(s)>;
        if constexpr (std::is_same_v<S, Linear>) {
          return linear(s, theta);
        } else if constexpr (std::is_same_v<S, Yarn>) {
          return yarn(s, at(resolution.ramps, j), e, theta);
        } else if constexpr (std::is_same_v<S, LongRope>) {
          return long_rope(s, j, theta);
        } else if constexpr (std::is_same_v<S, Llama3>) {
          return llama3(s, at(resolution.bands, j), theta);
        } else if constexpr (std::is_same_v<S, FrequencyFactors>) {
          return frequency_factors(s, j, theta);
        } else {
          static_assert(std::is_same_v<S, Default> || std::is_same_v<S, Ntk> ||
                            std::is_same_v<S, DynamicNtk>,
                        "a scaling without its formula");
          return theta;
        }
      },
      scaling);
}

// (R15) xPos [xPos]: position p also stretches pair j, queries by
//           m_j(p) = zeta_j^((p - centre) / scale_base),
//           zeta_j = (2j + 0.4 d) / (1.4 d),
//       keys by its reciprocal, so that a score decays with the distance.
template <class Real>
Real xpos(const XPos& xpos, const Exponent& e, double position) {
  const Real zeta =
      Real(5 * e.numerator + 2 * e.denominator) / Real(7 * e.denominator);
  const Real stretch =
      pow(zeta, (Real(position) - Real(xpos.centre)) / Real(xpos.scale_base));
  return xpos.is_key ? Real(Real(1) / stretch) : stretch;
}

}  // namespace ropeproof::reference

#endif  // ROPEPROOF_REFERENCE_SCALING_H_
