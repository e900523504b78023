#include "fast/plan.h"

#include <algorithm>
#include <cmath>

#include "fast/angles.h"
#include "fast/double_double.h"

namespace ropeproof::fast {
namespace {

// 1/(2 pi), within 2^-107 relative. Python, mpmath with prec = 300:
//   x = 1 / (2*pi); hi = float(x); lo = float(x - hi); hi.hex(), lo.hex()
constexpr DoubleDouble kCirclesPerRadian = {0x1.45f306dc9c883p-3,
                                            -0x1.6b01ec5417056p-57};

// t^n, n >= 1. By induction over the products, t^a t^b with a + b = n, the
// error is at most (n - 1) 6 u^2.
DoubleDouble power(DoubleDouble t, std::size_t n) {
  if (n == 1) return t;
  const DoubleDouble half = power(t, n / 2);
  const DoubleDouble even = half * half;
  return n % 2 == 0 ? even : even * t;
}

// base^(-1/n), by Newton's method for base t^n = 1:
//     t <- t - t rho / n,   rho = base t^n - 1.
//
// Error, with u = 2^-53. A step makes of the relative error e (n+1)/2 e^2 and
// adds two errors: that of rho, n 6 u^2, divided by n; and that of adding the
// correction to t.lo, u^2. The correction itself is good to a few u. Libm's pow
// is only the seed: if it is good to 2^-40, which any libm is, then for n <=
// 2^11 three steps leave 2^-69, 2^-121, and the two errors alone: 7 u^2.
DoubleDouble inverse_root(double base, std::size_t n) {
  const double degree = static_cast<double>(n);
  DoubleDouble t{std::pow(base, -1 / degree), 0};
  for (int step = 0; step < 3; ++step) {
    const DoubleDouble one = power(t, n) * DoubleDouble{base, 0};
    const double rho = (one.hi - 1) + one.lo;
    t = sum_of_ordered(t.hi, t.lo - t.hi * rho / degree);
  }
  return t;
}

}  // namespace

// theta_j = t^j with t = base^(-2/rotary_dim): j times the error of t and j - 1
// products make less than 13 j u^2 < 6.5 rotary_dim u^2, u^2 = 2^-106, hence
// 2^-103 rotary_dim.  -> kFrequencyBound
void frequencies(double base, std::span<double> hi,
                 std::span<double> lo) noexcept {
  if (hi.empty()) return;
  const DoubleDouble t = inverse_root(base, hi.size());
  DoubleDouble theta{1, 0};
  for (std::size_t j = 0; j < hi.size(); ++j) {
    hi[j] = theta.hi;
    lo[j] = theta.lo;
    theta = theta * t;
  }
}

Plan::Plan(std::span<const double> theta, std::span<const double> theta_lo,
           double amplitude, std::span<const std::int32_t> axis_of_pair,
           std::span<const double> axis_weights)
    : circles_hi_(theta.size()),
      circles_lo_(theta.size()),
      amplitudes_(theta.size(), amplitude),
      axis_of_pair_(axis_of_pair.begin(), axis_of_pair.end()),
      axis_weights_(axis_weights.begin(), axis_weights.end()),
      amplitude_(amplitude) {
  for (std::size_t j = 0; j < theta.size(); ++j) {
    const DoubleDouble circles =
        DoubleDouble{theta[j], theta_lo[j]} * kCirclesPerRadian;
    circles_hi_[j] = circles.hi;
    circles_lo_[j] = circles.lo;
    max_circles_ = std::max(max_circles_, std::abs(circles.hi));
  }

  // What the error bounds of FormRun assume: one position per token, angles
  // that grow with it, and results that are normal floats.
  const auto in_range = [](double x) { return x >= 0x1p-40 && x <= 0x1p20; };
  const bool may_add_angles =
      axis_of_pair.empty() && axis_weights.empty() && in_range(amplitude) &&
      std::all_of(circles_hi_.begin(), circles_hi_.end(), in_range);
  if (!may_add_angles) return;
  offset_cos_.resize(kHalfBlock * pairs());
  offset_sin_.resize(kHalfBlock * pairs());
  form_spaced(*this, kHalfBlock, 0.5, 1, offset_cos_.data(),
              offset_sin_.data());
  block_cos_.resize(kBlocks * pairs());
  block_sin_.resize(kBlocks * pairs());
  form_spaced(*this, kBlocks, 0, kBlock, block_cos_.data(), block_sin_.data());
}

}  // namespace ropeproof::fast
