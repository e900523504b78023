// plain_double.h -- the formulas in plain double, for tests only.
//
// A family of decide.h without enclosures: every value decides at once, to 53
// bits and with libm's errors. Good enough to tell a right formula from a wrong
// one, and it compiles in a second (tools/prove/check_mutants.sh).
#ifndef ROPEPROOF_REFERENCE_PLAIN_DOUBLE_H_
#define ROPEPROOF_REFERENCE_PLAIN_DOUBLE_H_

#include <array>
#include <cmath>  // before rope.h: cos, sin, pow, log and sqrt of double
#include <cstdint>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

namespace ropeproof::reference {
using std::cos, std::sin, std::pow, std::log, std::sqrt, std::ldexp;
}  // namespace ropeproof::reference

#include "reference/resolve.h"

namespace ropeproof::reference {

struct PlainDouble {
  static constexpr std::array<unsigned, 1> kRungs{15};
  template <unsigned kDigits>
  using Real = double;
  template <unsigned kDigits>
  static constexpr int kBits = 53;

  template <class Real>
  static Real pi() {
    return std::numbers::pi;
  }

  static std::pair<Pieces, Pieces> ends(double x) {
    if (x == 0) return {};
    int exponent = 0;
    const double scaled =
        std::ldexp(std::frexp(std::abs(x), &exponent), kPiecesBits);
    const Pieces pieces{x < 0, static_cast<std::uint64_t>(scaled),
                        exponent - kPiecesBits, false};
    return {pieces, pieces};
  }
};

// At one position on one axis.
template <class Real>
void rotate_head(const Spec& spec, std::int64_t position,
                 std::span<const Real> x, std::span<Real> y) {
  const double p[] = {static_cast<double>(position)};
  rotate_head<Real>(resolve<PlainDouble>(spec), p, x, y);
}

template <class Real>
void rotate_tensor(const Spec& spec, const Shape& shape,
                   const std::vector<std::int64_t>& positions, const Real* x,
                   const Strides& x_strides, Real* y,
                   const Strides& y_strides) {
  const std::vector<double> p(positions.begin(), positions.end());
  rotate_tensor<Real>(resolve<PlainDouble>(spec), shape, p, x, x_strides, y,
                      y_strides);
}

}  // namespace ropeproof::reference

#endif  // ROPEPROOF_REFERENCE_PLAIN_DOUBLE_H_
