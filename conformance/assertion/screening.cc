#include "conformance/assertion/screening.h"

#include <array>
#include <cmath>

#include "conformance/judge/codec.h"
#include "conformance/judge/output_layout.h"
#include "conformance/judge/pair_bounds.h"
#include "reference/sweep/double_double.h"

namespace ropeproof::conformance::assertion {
namespace {

using reference::Format;
using reference::sweep::DoubleDouble;
using reference::sweep::exact_sum;
using Factors = GivenTable::Factors;

// The product of two doubles, exactly, without a fused operation, which is slow
// where the processor has none: Dekker, "A floating-point technique for
// extending the available precision", 1971.
DoubleDouble split_product(double a, double b) {
  const auto high = [](double x) {
    const double scaled = 0x1.0000002p27 * x;  // 2^27 + 1
    return scaled - (scaled - x);
  };
  const double hi = a * b;
  const double a_hi = high(a), a_lo = a - a_hi;
  const double b_hi = high(b), b_lo = b - b_hi;
  return {hi, ((a_hi * b_hi - hi) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo};
}

// Angles beyond are left to the judge.
constexpr double kLargestAngle = 0x1p20;

// What one token's pairs are multiplied by.
class FactorRows {
 public:
  FactorRows(const cases::Problem& problem, const cases::Golden& golden,
             const GivenTable* given)
      : problem_(problem),
        golden_(golden),
        given_(given),
        row_(static_cast<std::size_t>(problem.pairs())) {}

  // False: some angle is too large to say.
  bool find(std::int64_t token) {
    const reference::Direction direction = problem_.spec.direction;
    for (std::int64_t j = 0; j < problem_.pairs(); ++j) {
      Factors& f = row_[static_cast<std::size_t>(j)];
      if (given_ != nullptr) {
        f = given_->factors(token * problem_.pairs() + j, direction);
        continue;
      }
      const auto at = static_cast<std::size_t>(j);
      const double p = problem_.position(axis_of(problem_.spec.axes, j), token);
      const double theta = cases::value_of(golden_.inv_freq_hi[at]);
      if (!(std::abs(p * theta) < kLargestAngle)) return false;
      const NearCosSin near =
          near_cos_sin(theta, cases::value_of(golden_.inv_freq_lo[at]), p);
      const double c = golden_.amplitude * near.cos;
      const double s = golden_.amplitude * near.sin;
      f = direction == reference::Direction::kForward ? Factors{c, -s, s, c}
                                                      : Factors{c, s, -s, c};
    }
    return true;
  }
  const Factors& operator[](std::size_t j) const { return row_[j]; }

 private:
  const cases::Problem& problem_;
  const cases::Golden& golden_;
  const GivenTable* given_;
  std::vector<Factors> row_;
};

// A pair's elements. Not within is what no comparison decides, NaNs too, and a
// pair whose bound accepts any rotation: the judge counts these.
template <Format kFormat>
bool is_pair_within(double u, double v, double got_u, double got_v,
                    const Factors& f, const judge::Terms& terms,
                    const judge::Size& size) {
  if (terms.is_vacuous) return false;
  const double y_u = u * f.uu + v * f.uv, y_v = u * f.vu + v * f.vv;
  const double angle_and_arithmetic =
      size.scale * (terms.claim - kDoubt) + size.underflow;
  constexpr double kNearly = 1 - 0x1p-48;  // the roundings of the bound itself
  const auto is_within = [&](double got, double y) {
    return std::abs(got - y) <=
           kNearly * (angle_and_arithmetic + terms.result * std::abs(y));
  };
  return is_within(got_u, y_u) && is_within(got_v, y_v);
}

template <Format kFormat>
bool is_tensor_within(const cases::Problem& problem, judge::PairBounds& bounds,
                      FactorRows& factors, const judge::Channels& channels,
                      std::int64_t heads, const cases::Bits& x,
                      const cases::Bits& got) {
  const std::int64_t d = problem.spec.layout.head_dim;
  for (std::int64_t token = 0; token < problem.tokens(); ++token) {
    if (!factors.find(token)) return false;
    const std::vector<judge::Terms>& terms = bounds.at(token);
    for (std::int64_t head = 0; head < heads; ++head) {
      const auto row = static_cast<std::size_t>((token * heads + head) * d);
      const auto value = [&](const cases::Bits& bits, std::int64_t t) {
        return judge::fast_decode<kFormat>(
            bits[row + static_cast<std::size_t>(t)]);
      };
      for (std::size_t j = 0; j < terms.size(); ++j) {
        const reference::Pair &from = channels.from[j], &to = channels.to[j];
        const double u = value(x, from.u), v = value(x, from.v);
        if (!is_pair_within<kFormat>(u, v, value(got, to.u), value(got, to.v),
                                     factors[j], terms[j],
                                     bounds.size<kFormat>(terms[j], u, v))) {
          return false;
        }
      }
      for (const std::int64_t t : channels.outside) {
        const auto i = row + static_cast<std::size_t>(t);
        if (got[i] != x[i]) return false;
      }
    }
  }
  return true;
}

// 1 / (n (n - 1)), the quotient of Taylor's n-th term and the one two before.
constexpr int kTerms = 20;
constexpr auto kQuotients = [] {
  std::array<double, kTerms> quotients{};
  for (int n = 2; n < kTerms; ++n) {
    quotients[static_cast<std::size_t>(n)] = 1.0 / (n * (n - 1));
  }
  return quotients;
}();

// cos(x) from n = 18 down, sin(x) / x from 19 down, of x^2.
double taylor(std::size_t last, double square) {
  double sum = 1;
  for (std::size_t n = last; n > 1; n -= 2) {
    sum = 1 - square * kQuotients[n] * sum;
  }
  return sum;
}

}  // namespace

// The parts of pi/2 have 33 bits each (fdlibm, e_rem_pio2.c): with |k| < 2^20
// every product k * part is exact, and so is theta * position as a pair. `rest`
// is below 2^-31, so its roundings are below 2^-80. What is left of the angle
// is below 0.79 and rounded once, by 2^-54. The first terms that Taylor's sums
// lack are below 2^-67, and the roundings of a sum below 2^-51.
NearCosSin near_cos_sin(double theta, double theta_lo, double position) {
  constexpr double kFirst = 0x1.921fb544p+0, kSecond = 0x1.0b4611a6p-34,
                   kThird = 0x1.3198a2ep-69, kTail = 0x1.b839a252049c1p-104;
  constexpr double kQuarters = 0x1.45f306dc9c883p-1;  // 2 / pi
  const DoubleDouble angle = split_product(theta, position);
  const double k = std::nearbyint(angle.hi * kQuarters);
  DoubleDouble left = exact_sum(angle.hi, -k * kFirst);
  double rest = left.lo + angle.lo + theta_lo * position;
  left = exact_sum(left.hi, -k * kSecond);
  rest += left.lo;
  left = exact_sum(left.hi, rest - k * kThird - k * kTail);
  const double r = left.hi, square = r * r;
  const double cos = taylor(18, square), sin = r * taylor(19, square);
  switch (static_cast<std::int64_t>(k) & 3) {
    case 0:
      return {cos, sin};
    case 1:
      return {-sin, cos};
    case 2:
      return {-cos, -sin};
    default:
      return {sin, -cos};
  }
}

bool is_surely_within(const cases::Problem& problem,
                      const cases::Golden& golden, std::uint32_t operation,
                      const judge::Claim& claim, const judge::Output& output,
                      const GivenTable* given) {
  if (problem.dtype == Format::kF64 || problem.is_special ||
      operation == ROPEPROOF_TABLE || !problem.spec.axes.weights.empty() ||
      problem.spec.frequencies.xpos) {
    return false;
  }
  judge::PairBounds bounds(problem, golden, claim, operation);
  FactorRows factors(problem, golden, given);
  const judge::Channels channels(problem.spec);
  return judge::with_format(problem.dtype, [&]<Format kFormat>() {
    const auto is_within = [&](std::int64_t heads, const cases::Bits& x,
                               const cases::Bits& got) {
      return is_tensor_within<kFormat>(problem, bounds, factors, channels,
                                       heads, x, got);
    };
    return is_within(problem.q_heads, problem.q, output.q) &&
           is_within(problem.k_heads, problem.k, output.k);
  });
}

}  // namespace ropeproof::conformance::assertion
