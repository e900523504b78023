#include "conformance/cases/special_rules.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <vector>

#include "reference/bound/scaling_roundings.h"
#include "reference/rope.h"

namespace ropeproof::conformance::cases {
namespace {

using reference::Format;
using reference::Pair;
using reference::bound::Claim;
using reference::bound::PairAngle;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// Largest finite number: (2 - 2 u) 2^max_exponent.
double largest(Format format) {
  const reference::FormatTraits f = reference::traits(format);
  return std::ldexp(2 - 2 * f.unit_roundoff, f.max_exponent);
}

// The coarsest claims: angles in each type of 16 bits, by the worst power.
constexpr Claim coarsest(Format format) {
  return {.angle_arithmetic = format,
          .power = reference::bound::Power::kExp2,
          .power_ulp = 4};
}

// A factor of x: +1 or -1 where its sign is sure, else 0.
using Sign = int;

struct Factors {
  double c = 1, s = 0;
  double error = 0;  // of each, in any kernel

  Sign sign(double factor) const {
    if (!(std::abs(factor) >= std::max(kSureFactor, error))) return 0;
    return factor < 0 ? -1 : 1;
  }
};

// How far off the angle of one pair may be. With weights, nothing is sure.
double angle_error(const Problem& p, const Golden& golden, double scaling,
                   double position, std::int64_t j) {
  if (!p.spec.axes.weights.empty()) return reference::bound::kVacuous;
  PairAngle pair{j, p.spec.layout.rotary_dim,
                 value_of(golden.inv_freq_hi[at(j)]), std::abs(position)};
  pair.exact_in = reference::bound::formats_that_hold(position);
  pair.base_in = reference::bound::formats_that_hold(p.spec.frequencies.base);
  pair.scaling = scaling;
  return std::max(angle_error(coarsest(Format::kF16), pair),
                  angle_error(coarsest(Format::kBF16), pair));
}

Factors factors_of(const Problem& p, const Golden& golden,
                   const std::vector<double>& scaling, std::int64_t token,
                   std::int64_t j) {
  const std::size_t i = at(token * p.pairs() + j);
  const double cos = value_of(golden.cos[i]), sin = value_of(golden.sin[i]);
  const double position = p.position(axis_of(p.spec.axes, j), token);
  return {cos, static_cast<double>(p.spec.direction) * sin,
          std::sqrt(cos * cos + sin * sin) *
              angle_error(p, golden, scaling[at(j)], position, j)};
}

// One infinite term, x times a factor.
struct Term {
  double x;
  Sign factor;
};

std::uint64_t sum_of(const std::vector<Term>& infinite_terms) {
  Sign sum = 0;
  for (const Term& term : infinite_terms) {
    if (term.factor == 0) return kMustNotBeFinite;
    const Sign sign = term.x < 0 ? -term.factor : term.factor;
    if (sum == -sign) return kMustBeNan;
    sum = sign;
  }
  return sum > 0 ? kMustBePlusInfinity : kMustBeMinusInfinity;
}

// The sum a f + b g of a pair with a NaN or an infinity in it.
std::uint64_t output(double a, Sign f, double b, Sign g) {
  const bool has_nan = std::isnan(a) || std::isnan(b);
  const bool has_infinity = std::isinf(a) || std::isinf(b);
  if (has_nan) return has_infinity ? kMustNotBeFinite : kMustBeNan;
  std::vector<Term> infinite;
  if (std::isinf(a)) infinite.push_back({a, f});
  if (std::isinf(b)) infinite.push_back({b, g});
  return sum_of(infinite);
}

// The infinity that a f + b g, finite numbers all, becomes in `format` where
// each factor may be off by `error`.
std::optional<std::uint64_t> overflow(Format format, double a, double f,
                                      double b, double g, double error) {
  // Eighths, so that nothing overflows here.
  const double limit = largest(format) / 8;
  const double first = a / 8 * f, second = b / 8 * g, sum = first + second;
  const double off = (std::abs(a / 8) + std::abs(b / 8)) * error;
  const auto is_clear = [&](double x) {
    return std::abs(x) + off <= limit * (1 - kOverflowMargin);
  };
  if (is_clear(first) && is_clear(second) && is_clear(sum)) return {};
  if (format == Format::kF64) {
    throw std::logic_error("an f64 result next to overflow has no golden");
  }
  if (std::abs(sum) - off < limit * (1 + kOverflowMargin)) {
    throw std::logic_error(
        "an exact result lies next to the largest finite number, where a bound "
        "reaches both it and infinity: give smaller elements");
  }
  return sum > 0 ? kMustBePlusInfinity : kMustBeMinusInfinity;
}

std::vector<bool> rotated_channels(const reference::Spec& spec) {
  std::vector<bool> rotates(at(spec.layout.head_dim), false);
  for (std::int64_t j = 0; j < spec.layout.rotary_dim / 2; ++j) {
    const Pair from = source_pair(spec, j);
    rotates[at(from.u)] = rotates[at(from.v)] = true;
  }
  return rotates;
}

// Pair j of a row, a head of a token; u and v are indices into x.
struct PairOfRow {
  std::int64_t row, token, j;
  std::size_t u, v;
};

template <class F>
void for_each_pair(const Problem& p, std::int64_t heads, const F& f) {
  const std::int64_t d = p.spec.layout.head_dim;
  for (std::int64_t row = 0; row < p.tokens() * heads; ++row) {
    for (std::int64_t j = 0; j < p.pairs(); ++j) {
      const Pair from = source_pair(p.spec, j);
      f(PairOfRow{row, row / heads, j, at(row * d + from.u),
                  at(row * d + from.v)});
    }
  }
}

void apply(const Problem& p, const Golden& golden, const Bits& x,
           std::int64_t heads, Bits& y, Bits& y_lo) {
  const std::int64_t d = p.spec.layout.head_dim;
  const auto value = [&](std::size_t i) { return decode(p.dtype, x[i]); };
  const auto put = [&](std::size_t i, std::uint64_t want) {
    y[i] = want;
    if (!y_lo.empty()) y_lo[i] = 0;
  };
  const std::vector<bool> rotates = rotated_channels(p.spec);
  const std::vector<double> scaling =
      scaling_roundings(coarsest(Format::kBF16), p.spec);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double a = value(i);
    if (!std::isfinite(a) && !rotates[i % rotates.size()]) {
      put(i, std::isnan(a) ? kMustBeNan : std::bit_cast<std::uint64_t>(a));
    }
  }
  for_each_pair(p, heads, [&](const PairOfRow& pair) {
    const Factors factors = factors_of(p, golden, scaling, pair.token, pair.j);
    const double a = value(pair.u), b = value(pair.v);
    const Pair to = target_pair(p.spec, pair.j);
    // The output at `channel` is a f + b g.
    const auto rule = [&](std::int64_t channel, double f, double g) {
      const std::size_t i = at(pair.row * d + channel);
      if (!std::isfinite(a) || !std::isfinite(b)) {
        return put(i, output(a, factors.sign(f), b, factors.sign(g)));
      }
      // No angle, nothing is rounded.
      if (factors.c == 1 && factors.s == 0) return;
      if (const auto infinity = overflow(p.dtype, a, f, b, g, factors.error)) {
        put(i, *infinity);
      }
    };
    rule(to.u, factors.c, -factors.s);
    rule(to.v, factors.s, factors.c);
  });
}

}  // namespace

Bits provable_part(const Problem& p, const Bits& x, std::int64_t heads) {
  Bits part = x;
  const auto is_finite = [&](std::size_t i) {
    return std::isfinite(decode(p.dtype, x[i]));
  };
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!is_finite(i)) part[i] = 0;
  }
  for_each_pair(p, heads, [&](const PairOfRow& pair) {
    if (!is_finite(pair.u) || !is_finite(pair.v)) {
      part[pair.u] = part[pair.v] = 0;
    }
  });
  return part;
}

void apply_special_rules(const Problem& p, Golden& golden) {
  apply(p, golden, p.q, p.q_heads, golden.q, golden.q_lo);
  apply(p, golden, p.k, p.k_heads, golden.k, golden.k_lo);
}

}  // namespace ropeproof::conformance::cases
