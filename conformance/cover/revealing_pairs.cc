#include "conformance/cover/revealing_pairs.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "conformance/cases/draw.h"

namespace ropeproof::conformance::cover {
namespace {

using cases::random_bits;
using cases::random_number;
using reference::Format;
using Pair = RevealingPairs::Pair;

constexpr int kCandidates = 12;
// Times the bound: an angle's error adds to it.
constexpr double kFar = 4;

enum class Fault {
  kThreeRoundings,
  kTruncation,
  kTableF16,
  kTableBf16,
  kArithmeticF32,
  kHalfAway,  // ties away from zero
};

std::span<const Fault> faults_of(Format format, bool has_ties) {
  static constexpr Fault kTies[] = {Fault::kHalfAway, Fault::kTruncation};
  static constexpr Fault kF64[] = {Fault::kArithmeticF32};
  static constexpr Fault kF32[] = {Fault::kTableF16, Fault::kTableBf16};
  static constexpr Fault kNarrow[] = {Fault::kThreeRoundings,
                                      Fault::kTruncation, Fault::kTableF16,
                                      Fault::kTableBf16};
  if (has_ties) return kTies;
  if (format == Format::kF64) return kF64;
  if (format == Format::kF32) return kF32;
  return kNarrow;
}

bool is_normal(Format format, double x) {
  return std::abs(x) >= std::ldexp(1.0, reference::traits(format).min_exponent);
}

// Half way between two numbers, of which the even one is nearer to zero.
bool is_tie_towards_zero(Format format, double y) {
  const std::uint64_t below = truncate(format, y);
  return encode(format, y) == below &&
         2 * std::abs(y - decode(format, below)) == ulp(format, y);
}

// Random numbers; where cancelling shows the fault, one output is 2^-k times as
// large as its terms, k from 3 to a little beyond the precision.
Pair candidate(Format format, Fault fault, double c, double s,
               std::uint64_t seed) {
  const Pair random{random_number(format, seed, 0),
                    random_number(format, seed, 1)};
  if (fault == Fault::kTruncation || fault == Fault::kHalfAway) return random;
  cases::Draw draw(~seed);
  const auto k = static_cast<int>(
      draw.between(3, reference::traits(format).precision + 3));
  const double near_1 = 1 + std::ldexp(draw.one_in(2) ? 1.0 : -1.0, -k);
  // a x_u = b x_v: the number with the larger factor follows from the other.
  const bool is_u = draw.one_in(2);
  const double a = is_u ? c : s, b = is_u ? s : -c;
  const bool u_follows = std::abs(a) > std::abs(b);
  const double value = near_1 * (u_follows ? decode(format, random.v) * b / a
                                           : decode(format, random.u) * a / b);
  if (!is_normal(format, value)) return random;
  return u_follows ? Pair{encode(format, value), random.v}
                   : Pair{random.u, encode(format, value)};
}

// a x + b y of a kernel with the fault.
double wrong(Format format, Fault fault, double a, double x, double b,
             double y) {
  const auto with_table = [&](Format table) {
    return round_to(format, round_to(table, a) * x + round_to(table, b) * y);
  };
  switch (fault) {
    case Fault::kThreeRoundings:
      return round_to(format,
                      round_to(format, a * x) + round_to(format, b * y));
    case Fault::kTruncation:
      return decode(format, truncate(format, a * x + b * y));
    case Fault::kTableF16:
      return with_table(Format::kF16);
    case Fault::kTableBf16:
      return with_table(Format::kBF16);
    case Fault::kArithmeticF32:
      return round_to(Format::kF32, a * x + b * y);
    case Fault::kHalfAway:
      break;
  }
  return a * x + b * y;
}

}  // namespace

RevealingPairs::RevealingPairs(Format format, std::uint64_t seed)
    : format_(format), seed_(seed) {
  reference::bound::Claim claim;
  claim.table = format == Format::kF64 ? Format::kF64 : Format::kF32;
  claim.output = format;
  bound_ = output_error(claim, /*given=*/false, /*has_amplitude=*/false);
}

Pair RevealingPairs::next(double c, double s) {
  const std::span<const Fault> faults = faults_of(format_, s == 0);
  const std::uint64_t first = kCandidates * count_;
  const Fault fault = faults[count_++ % faults.size()];

  // The larger of the two outputs' errors over their bounds.
  const auto excess = [&](const Pair& x) {
    const double u = decode(format_, x.u), v = decode(format_, x.v);
    const double length = std::sqrt((c * c + s * s) * (u * u + v * v));
    const auto of_output = [&](double a, double b) {
      const double y = a * u + b * v;
      if (!is_normal(format_, y)) return 0.0;
      if (fault == Fault::kHalfAway) {
        return is_tie_towards_zero(format_, y) ? kFar : 0;
      }
      const double bound =
          bound_.with_angle(0) * length + bound_.result * std::abs(y);
      return std::abs(wrong(format_, fault, a, u, b, v) - y) / bound;
    };
    return std::max(of_output(c, -s), of_output(s, c));
  };

  Pair best;
  double most = -1;
  for (std::uint64_t i = 0; i < kCandidates && most < kFar; ++i) {
    const Pair x =
        candidate(format_, fault, c, s, random_bits(seed_, first + i));
    const double times = excess(x);
    if (times <= most) continue;
    most = times;
    best = x;
  }
  return best;
}

}  // namespace ropeproof::conformance::cover
