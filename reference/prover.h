// prover.h -- the goldens of golden.h, for one family of arithmetic.
//
// Instantiated twice: oracle_mpfi.cc (the certificate) and oracle_bin_float.cc
// (without MPFR). Both evaluate the text of rope.h; where exact.h finds
// an exact number, they take that, so that Ziv's loop ends.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "reference/decide.h"
#include "reference/exact.h"
#include "reference/golden.h"
#include "reference/oracle.h"
#include "reference/parallel_for.h"
#include "reference/resolve.h"
#include "reference/rope.h"
#include "reference/spec.h"

namespace ropeproof::reference {

// A number c or s of rope.h times the amplitude, and what to divide it by: the
// denominator of an exact power of xPos comes last, so that a quotient that is
// exact stays so.
template <class Real>
Real divided(const Real& value, const std::optional<Real>& divisor) {
  return divisor ? Real(value / *divisor) : value;
}

// x^n by squaring, n >= 0; exact as long as it fits.
template <class Real>
Real whole_power(std::int64_t x, std::int64_t n) {
  Real result = Real(1), square = Real(x);
  for (; n > 0; n /= 2) {
    if (n % 2 != 0) result = result * square;
    if (n > 1) square = square * square;
  }
  return result;
}

template <class Family>
class Prover : public OracleProver {
 public:
  using First = typename Family::template Real<Family::kRungs[0]>;

  // `positions` is [axes, tokens].
  Prover(const Spec& spec, std::span<const double> positions)
      : rope_(reference::resolve<Family>(spec)),
        pairs_(spec.layout.rotary_dim / 2) {
    for (std::int64_t j = 0; j < pairs_; ++j) {
      exact_theta_.push_back(exact_frequency(rope_, j));
    }
    const std::int64_t tokens = std::ssize(positions) / spec.axes.count;
    if (tokens == 0) return;  // who asks for a resolution needs no more
    for (std::int64_t j = 0; j < pairs_; ++j) {
      theta_.push_back(theta<First>(j));
    }
    for (std::int64_t token = 0; token < tokens; ++token) {
      positions_.push_back(position_of(positions, spec.axes.count, token));
    }
    const Entry<First> empty{{First(0), First(0)}, std::nullopt};
    entries_.assign(positions_.size() * theta_.size(), empty);
    parallel_for(tokens * pairs_, [&](std::int64_t i) {
      at(entries_, i) = entry(at(theta_, i % pairs_), i);
    });
  }

  const Resolution& resolution() const override { return rope_.resolution; }

  std::vector<WideGolden> frequencies() const override {
    std::vector<WideGolden> result(exact_theta_.size());
    const auto first = theta_.empty() ? thetas<First>() : theta_;
    parallel_for(pairs_, [&](std::int64_t j) {
      prove(
          at(first, j), [&]<class Real>() { return theta<Real>(j); },
          at(result, j));
    });
    return result;
  }

  std::vector<GoldenCosSin> table() const override {
    return proved_table<GoldenCosSin>();
  }
  std::vector<WideCosSin> wide_table() const override {
    return proved_table<WideCosSin>();
  }
  WideCosSin wide_entry(std::int64_t i) const override {
    return proved_entry<WideCosSin>(i);
  }

  std::vector<Turns> turns() const override {
    constexpr std::size_t kRung = Family::kRungs.size() > 1 ? 1 : 0;
    using Second = typename Family::template Real<Family::kRungs[kRung]>;
    const Second full_turn = Second(2) * Family::template pi<Second>();
    std::vector<Turns> result;
    for (const Second& theta_j : thetas<Second>()) {
      Turns& t = result.emplace_back();
      t.error = peel(Second(theta_j / full_turn), t.parts);
    }
    return result;
  }

  std::vector<CosSinEnclosure> eighth(std::int64_t steps) const override {
    std::vector<CosSinEnclosure> result(
        static_cast<std::size_t>(steps / 8 + 1));
    const First full_turn = First(2) * Family::template pi<First>();
    parallel_for(std::ssize(result), [&](std::int64_t k) {
      const auto phi =
          Family::angle(First(full_turn * First(k) / First(steps)));
      at(result, k) = {enclosure(First(cos(phi))), enclosure(First(sin(phi)))};
    });
    return result;
  }

  std::vector<CosSinEnclosure> enclosed_table() const override {
    std::vector<CosSinEnclosure> result(entries_.size());
    parallel_for(std::ssize(entries_), [&](std::int64_t i) {
      const auto& [t, divisor] = at(entries_, i);
      at(result, i) = {enclosure(divided(t.c, divisor)),
                       enclosure(divided(t.s, divisor))};
    });
    return result;
  }

  std::vector<Golden> rope(std::int64_t heads,
                           std::span<const double> x) const override {
    return rotated<Golden>(heads, x);
  }
  std::vector<WideGolden> wide_rope(std::int64_t heads,
                                    std::span<const double> x) const override {
    return rotated<WideGolden>(heads, x);
  }

 private:
  template <class Real>
  struct Entry {
    CosSin<Real> cos_sin;
    std::optional<Real> divisor;
  };

  // The position of entry i, [tokens, pairs].
  std::span<const double> position(std::int64_t i) const {
    return at(positions_, i / pairs_);
  }

  template <class Real>
  Real theta(std::int64_t j) const {
    return theta(j, [&] { return frequency<Real>(rope_.spec, j); });
  }
  // Takes theta_j of (R1) from `unscaled`, where it is not known exactly.
  template <class Evaluate, class Real = std::invoke_result_t<Evaluate>>
  Real theta(std::int64_t j, const Evaluate& unscaled) const {
    const auto& exact = at(exact_theta_, j);
    return exact ? Real(ldexp(Real(exact->significand), exact->exponent))
                 : frequency(rope_, j, unscaled());
  }

  // The frequencies of all pairs. Powers of one number (R1) are formed by
  // products: enclosures up to 2 j times as wide, in a tenth of the time.
  template <class Real>
  std::vector<Real> thetas() const {
    const Frequencies& f = rope_.spec.frequencies;
    const bool are_powers =
        f.inv_freq.empty() && f.exponents.empty() && f.bases.empty();
    std::vector<Real> result;
    result.reserve(static_cast<std::size_t>(pairs_));
    Real power(1), ratio(1);
    for (std::int64_t j = 0; j < pairs_; ++j) {
      if (!are_powers || j == 1) ratio = frequency<Real>(rope_.spec, j);
      power = are_powers ? Real(power * ratio) : ratio;
      result.push_back(theta(j, [&] { return power; }));
    }
    return result;
  }

  // At the origin, and with frequency 0, the angle is exactly zero: cos 0 = 1,
  // sin 0 = 0. These are the only exact ones (Lindemann: for an algebraic phi
  // != 0 both are transcendental).
  template <class Real>
  Entry<Real> entry(const Real& theta_j, std::int64_t i) const {
    const std::int64_t j = i % pairs_;
    const Real c = is_at_origin(rope_.spec, position(i), j)
                       ? Real(0)
                       : coordinate<Real>(rope_.spec, position(i), j);
    std::optional<RationalPower> exact;
    if (const auto& x = rope_.spec.frequencies.xpos) {
      exact = exact_xpos(*x, exponent_of(rope_.spec, j), position(i)[0]);
    }
    if (!exact) {
      const Real m = amplitude<Real>(rope_, position(i), j);
      return {cos_sin(m, Family::angle(angle(theta_j, c))), std::nullopt};
    }
    const Real m = Real(rope_.resolution.amplitude) *
                   whole_power<Real>(exact->top, exact->power);
    return {cos_sin(m, Family::angle(angle(theta_j, c))),
            whole_power<Real>(exact->bottom, exact->power)};
  }

  // Entry i on a wider rung.
  template <class Real>
  Entry<Real> wider(std::int64_t i) const {
    return entry(theta<Real>(i % pairs_), i);
  }

  template <class Real, class Evaluate>
  static void prove(const Real& first, const Evaluate& evaluate, Golden& y) {
    y = decide<Family>(first, evaluate);
  }
  template <class Real, class Evaluate>
  static void prove(const Real& first, const Evaluate& evaluate,
                    WideGolden& y) {
    y = decide_wide<Family>(first, evaluate);
  }

  // y is a sum of doubles, each taken off in interval arithmetic, within the
  // error that is returned.
  template <class Real, std::size_t kParts>
  static double peel(Real y, std::array<double, kParts>& parts) {
    const auto lower = [&](Rounding rounding) {
      return std::bit_cast<double>(round_f64(Family::ends(y).first, rounding));
    };
    for (double& part : parts) {
      part = lower(Rounding::kNearestEven);
      if (std::isinf(part)) part = lower(Rounding::kToOdd);
      y -= Real(part);
    }
    const auto [first, last] = Family::ends(y);
    double error = 0;
    for (const Pieces& end : {first, last}) {
      // Rounded to odd it is 0 for 0 alone, and else less than an ulp short.
      const double size =
          std::abs(std::bit_cast<double>(round_f64(end, Rounding::kToOdd)));
      if (size != 0) error = std::max(error, size * (1 + 0x1p-51) + 0x1p-1074);
    }
    return error;
  }

  static Enclosure enclosure(const First& y) {
    std::array<double, 2> parts;
    const double error = peel(y, parts);
    return {parts[0], parts[1], error};
  }

  template <class Proved>
  Proved proved_entry(std::int64_t i) const {
    const auto cosine = []<class Real>(const Entry<Real>& entry) {
      return divided(entry.cos_sin.c, entry.divisor);
    };
    const auto sine = []<class Real>(const Entry<Real>& entry) {
      return divided(entry.cos_sin.s, entry.divisor);
    };
    const Entry<First>& first = at(entries_, i);
    Proved y;
    prove(
        cosine(first), [&]<class Real>() { return cosine(wider<Real>(i)); },
        y.cos);
    prove(
        sine(first), [&]<class Real>() { return sine(wider<Real>(i)); }, y.sin);
    // The amplitude is the cosine of no angle.
    const auto no_angle = [&]<class Real>() {
      return cosine(entry(Real(0), i));
    };
    y.amplitude =
        rope_.spec.frequencies.xpos
            ? decide<Family>(no_angle.template operator()<First>(), no_angle)
            : Golden{std::bit_cast<std::uint64_t>(rope_.resolution.amplitude),
                     0};
    return y;
  }

  template <class Proved>
  std::vector<Proved> proved_table() const {
    std::vector<Proved> result(entries_.size());
    parallel_for(std::ssize(entries_), [&](std::int64_t i) {
      at(result, i) = proved_entry<Proved>(i);
    });
    return result;
  }

  static double value(const Golden& x) { return std::bit_cast<double>(x.bits); }
  static double value(const WideGolden& x) {
    return std::bit_cast<double>(x.hi);
  }

  // Entry i applied to a pair. `Proved` is Golden or WideGolden.
  template <class Proved>
  std::array<Proved, 2> rotated_pair(std::int64_t i, double x_u,
                                     double x_v) const {
    const auto rotated = [&]<class Real>(const Entry<Real>& entry) {
      const auto y =
          rotate(entry.cos_sin, rope_.spec.direction, Real(x_u), Real(x_v));
      return std::array{divided(y[0], entry.divisor),
                        divided(y[1], entry.divisor)};
    };
    const auto first = rotated(at(entries_, i));
    std::array<Proved, 2> y;
    for (const std::size_t k : {0u, 1u}) {
      prove(
          first[k], [&]<class Real>() { return rotated(wider<Real>(i))[k]; },
          y[k]);
    }
    return y;
  }

  template <class Proved>
  std::vector<Proved> rotated(std::int64_t heads,
                              std::span<const double> x) const {
    const std::int64_t d = rope_.spec.layout.head_dim;
    std::vector<Proved> y;
    for (const double value : x) {
      y.push_back({std::bit_cast<std::uint64_t>(value)});
    }
    parallel_for(std::ssize(positions_) * heads, [&](std::int64_t h) {
      const std::span head(y.begin() + h * d, y.begin() + (h + 1) * d);
      const std::int64_t first = token_of_head(h, heads) * pairs_;
      rotate_head(rope_.spec, head,
                  [&](std::int64_t j, const Proved& x_u, const Proved& x_v) {
                    return rotated_pair<Proved>(first + j, value(x_u),
                                                value(x_v));
                  });
    });
    return y;
  }

  Rope rope_;
  std::int64_t pairs_;
  std::vector<std::optional<BinaryNumber>> exact_theta_;
  std::vector<First> theta_;                    // none without positions
  std::vector<std::vector<double>> positions_;  // [tokens][axes]
  std::vector<Entry<First>> entries_;           // [tokens, pairs], first rung
};

template <class Family>
std::unique_ptr<OracleProver> make_prover(const Spec& spec,
                                          std::span<const double> positions) {
  return std::make_unique<Prover<Family>>(spec, positions);
}

}  // namespace ropeproof::reference
