// scaling.h -- how models stretch their context: of each paper the parameters,
// with their ranges, and the formula.
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
#pragma once

#include <cstdint>
#include <iterator>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "reference/limits.h"
#include "reference/refuse.h"

namespace ropeproof::reference {

// theta = base^(-numerator/denominator), an exact rational exponent. The
// denominator is the number of channels that the exponents count against, so
// numerator/2 is the index of the pair among them; 2j/rotary_dim by default.
struct Exponent {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;  // 0: the pair stands still, theta = 0
  bool operator==(const Exponent&) const = default;
};

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

// The parameters of each scaling: a field that starts as 0 or empty must be
// given. check(number of pairs) throws std::invalid_argument naming the field,
// its value and its range.
struct Default {
  void check(std::int64_t) const {}
  bool operator==(const Default&) const = default;
};

struct Linear {
  double factor = 0;  // s

  void check(std::int64_t) const { check_at_least("factor", factor, 1); }
  bool operator==(const Linear&) const = default;
};

// (R7) Position interpolation [PI]: position p means p/s.
//          theta' = theta / s
template <class Real>
Real linear(const Linear& scaling, const Real& theta) {
  return theta / Real(scaling.factor);
}

struct Ntk {
  double alpha = 0;

  void check(std::int64_t) const { check_at_least("alpha", alpha, 1); }
  bool operator==(const Ntk&) const = default;
};

// (R8) NTK-aware [NTK]: another base, such that the slowest pair is
//      interpolated by alpha and the fastest not at all.
//          b' = b alpha^(d/(d-2)),   hence   theta' = theta alpha^(-n/(d-2))
template <class Real>
Real ntk(const Real& alpha, const Exponent& e, const Real& theta) {
  return theta * pow(alpha, Real(-e.numerator) / Real(e.denominator - 2));
}

struct DynamicNtk {
  double factor = 0;              // s
  std::int64_t max_position = 0;  // M
  std::int64_t seq_len = 0;  // N, explicit: a kernel has no memory of lengths

  void check(std::int64_t) const {
    check_at_least("factor", factor, 1);
    check_range("max_position", max_position, 1, kMaxPosition);
    check_range("seq_len", seq_len, 1, kMaxPosition);
  }
  bool operator==(const DynamicNtk&) const = default;
};

// (R9) Dynamic NTK [NTK]: (R8) with alpha growing with the length N of the
//      sequence beyond the M positions of the training.
//          alpha = s N/M - (s - 1)  if N > M, else 1
template <class Real>
Real dynamic_alpha(const DynamicNtk& scaling) {
  if (scaling.seq_len <= scaling.max_position) return Real(1);
  const Real s(scaling.factor);
  return s * Real(scaling.seq_len) / Real(scaling.max_position) - s + Real(1);
}

struct Yarn {
  double factor = 0;                 // s
  std::int64_t original_length = 0;  // L
  double beta_fast = 32;
  double beta_slow = 1;
  bool truncate = true;
  std::optional<double> attention_factor = {};  // the amplitude, where given
  std::optional<double> mscale = {};            // both or neither
  std::optional<double> mscale_all_dim = {};

  void check(std::int64_t) const {
    check_at_least("factor", factor, 1);
    check_range("original_length", original_length, 1, kMaxPosition);
    check_positive("beta_slow", beta_slow);
    check_at_least("beta_fast", beta_fast, beta_slow);
    if (attention_factor) check_positive("attention_factor", *attention_factor);
    if (mscale.has_value() != mscale_all_dim.has_value()) {
      refuse(mscale ? "mscale_all_dim" : "mscale", "missing",
             "a number beside " +
                 std::string(mscale ? "mscale" : "mscale_all_dim"));
    }
    if (mscale) {
      check_positive("mscale", *mscale);
      check_positive("mscale_all_dim", *mscale_all_dim);
    }
  }
  bool operator==(const Yarn&) const = default;
};

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

struct LongRope {
  std::vector<double> short_factor, long_factor;  // one per pair
  std::int64_t original_length = 0;               // L
  std::int64_t seq_len = 0;  // highest position + 1; long where seq_len > L
  double factor = 0;         // s; not needed beside attention_factor
  std::optional<double> attention_factor = {};  // the amplitude, where given

  void check(std::int64_t pairs) const {
    check_factors("short_factor", short_factor, pairs);
    check_factors("long_factor", long_factor, pairs);
    check_range("original_length", original_length, 2, kMaxPosition);
    check_range("seq_len", seq_len, 1, kMaxPosition);
    if (attention_factor) {
      check_positive("attention_factor", *attention_factor);
    } else {
      check_at_least("factor", factor, 1);
    }
  }
  bool operator==(const LongRope&) const = default;
};

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

struct Llama3 {
  double factor = 0;  // s
  double low_freq_factor = 0;
  double high_freq_factor = 0;
  std::int64_t original_length = 0;  // L

  void check(std::int64_t) const {
    check_at_least("factor", factor, 1);
    check_positive("low_freq_factor", low_freq_factor);
    check_at_least("high_freq_factor", high_freq_factor, low_freq_factor);
    check_range("original_length", original_length, 1, kMaxPosition);
  }
  bool operator==(const Llama3&) const = default;
};

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

struct FrequencyFactors {
  std::vector<double> factors;  // one per pair

  void check(std::int64_t pairs) const {
    check_factors("factors", factors, pairs);
  }
  bool operator==(const FrequencyFactors&) const = default;
};

// (R14) Frequency factors (ggml's freq_factors, GGUF's rope_freqs): divide.
//           theta'_j = theta_j / F_j
template <class Real>
Real frequency_factors(const FrequencyFactors& scaling, std::int64_t j,
                       const Real& theta) {
  return theta / Real(at(scaling.factors, j));
}

using Scaling = std::variant<Default, Linear, Ntk, DynamicNtk, Yarn, LongRope,
                             Llama3, FrequencyFactors>;

// Whether the amplitude is the scaling's, not `Frequencies::amplitude`.
inline bool decides_amplitude(const Scaling& scaling) {
  return std::visit(
      [](const auto& s) {
        return requires { s.attention_factor; };
      },
      scaling);
}

// alpha of (R8) and (R9); none where a scaling leaves the base as it is.
template <class Real>
std::optional<Real> ntk_alpha(const Scaling& scaling) {
  if (const auto* s = std::get_if<Ntk>(&scaling)) return Real(s->alpha);
  const auto* const s = std::get_if<DynamicNtk>(&scaling);
  return s == nullptr ? std::nullopt : std::optional(dynamic_alpha<Real>(*s));
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

// Returns that of a scaling, which is not Default.
inline const Formula& formula_of(const Scaling& scaling) {
  return kScalingFormulas[scaling.index() - 1];
}

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

}  // namespace ropeproof::reference
