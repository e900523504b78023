#include "reference/sweep/turns.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>

#include "reference/arguments.h"

namespace ropeproof::reference::sweep {
namespace {

__extension__ using Wide = unsigned __int128;
using Limbs = std::array<std::uint64_t, 5>;

constexpr int kFraction = 192;  // bits behind the point
constexpr int kStepBits = 10;   // of the table: 1024 steps
constexpr double kDropped = 0x1p-192;

constexpr DoubleDouble kTwoPi{0x1.921fb54442d18p+2, 0x1.1a62633145c07p-52};
constexpr DoubleDouble kSixth{0x1.5555555555555p-3, 0x1.5555555555555p-57};
constexpr DoubleDouble k120th{0x1.1111111111111p-7, 0x1.1111111111111p-63};
constexpr DoubleDouble k24th{0x1.5555555555555p-5, 0x1.5555555555555p-59};

// |x| = significand 2^exponent.
struct Parts {
  std::uint64_t significand;
  int exponent;
};
[[gnu::always_inline]] inline Parts parts_of(double x) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x) & ~(1ull << 63);
  const auto biased = static_cast<int>(bits >> 52);
  const std::uint64_t low = bits & ((1ull << 52) - 1);
  return biased == 0 ? Parts{low, -1074}
                     : Parts{low | 1ull << 52, biased - 1075};
}

// x 2^shift, without what lies below 1 or beyond the limbs.
[[gnu::always_inline]] inline Limbs shifted(const Limbs& x, int shift) {
  const int whole = shift >> 6, bits = shift & 63;
  Limbs y{};
  for (int i = 0; i < 5; ++i) {
    const int from = i - whole;
    std::uint64_t limb = 0;
    if (from >= 0 && from < 5) limb = x[static_cast<std::size_t>(from)] << bits;
    if (bits != 0 && from >= 1 && from < 6) {
      limb |= x[static_cast<std::size_t>(from - 1)] >> (64 - bits);
    }
    y[static_cast<std::size_t>(i)] = limb;
  }
  return y;
}

// a += b or a -= b, of the first kCount limbs.
template <std::size_t kCount, class Any>
[[gnu::always_inline]] inline void add(Any& a, const Limbs& b, bool subtracts) {
  std::uint64_t carry = subtracts ? 1 : 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    const Wide sum = Wide{a[i]} + (subtracts ? ~b[i] : b[i]) + carry;
    a[i] = static_cast<std::uint64_t>(sum);
    carry = static_cast<std::uint64_t>(sum >> 64);
  }
}

[[gnu::always_inline]] inline double power_of_2(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent)
                               << 52);
}

// f 2^-192, 0 <= f < 2^182, as two doubles within 1.01 u^2 of it: the highest
// 53 bits, and the 64 below them, rounded to 53.
[[gnu::always_inline]] inline DoubleDouble doubles_of(
    std::array<std::uint64_t, 3> f) {
  int zeros = 0;
  for (int i = 0; i < 3 && f[2] == 0; ++i) {
    f = {0, f[0], f[1]};
    zeros += 64;
  }
  if (f[2] == 0) return {};
  const int shift = std::countl_zero(f[2]);
  if (shift != 0) {
    f[2] = f[2] << shift | f[1] >> (64 - shift);
    f[1] = f[1] << shift | f[0] >> (64 - shift);
  }
  zeros += shift;
  const auto high = static_cast<double>(f[2] >> 11);
  const auto low = static_cast<double>(f[2] << 53 | f[1] >> 11);
  return ordered_sum(high * power_of_2(-53 - zeros),
                     low * power_of_2(-117 - zeros));
}

struct Small {
  DoubleDouble cos, sin;
};

[[gnu::always_inline]] inline Small small_cos_sin(DoubleDouble a) {
  const DoubleDouble z = product(a, a);
  const double q =
      z.hi * (-1.0 / 5040 + z.hi * (1.0 / 362880 - z.hi * (1.0 / 39916800)));
  const double p =
      z.hi * (-1.0 / 720 + z.hi * (1.0 / 40320 - z.hi * (1.0 / 3628800)));
  const DoubleDouble to_sine =
      product(z, sum(negated(kSixth), product(z, sum(k120th, {q, 0}))));
  const DoubleDouble to_cosine =
      product(z, sum({-0.5, 0}, product(z, sum(k24th, {p, 0}))));
  return {sum({1, 0}, to_cosine), sum(a, product(a, to_sine))};
}

// The step of the table next to the fraction; what is left becomes signed, in
// two's complement.
[[gnu::always_inline]] inline std::size_t take_step(
    std::array<std::uint64_t, 3>& f) {
  const std::uint64_t half = 1ull << (63 - kStepBits);
  const std::uint64_t step = (f[2] + half) >> (64 - kStepBits);
  f[2] -= step << (64 - kStepBits);
  return static_cast<std::size_t>(step);
}

[[gnu::always_inline]] inline CosSin turned(const Circle& circle,
                                            std::size_t step) {
  constexpr std::size_t kQuarter = kCircleSteps / 4;
  const std::size_t k = step % kQuarter;
  const CosSin& e = circle[k <= kQuarter / 2 ? k : kQuarter - k];
  const CosSin t = k <= kQuarter / 2 ? e : CosSin{e.s, e.c};
  switch (step / kQuarter) {
    case 0:
      return t;
    case 1:
      return {negated(t.s), t.c};
    case 2:
      return {negated(t.c), negated(t.s)};
    default:
      return {t.s, negated(t.c)};
  }
}

// Some pairs of a row: the step of each, the angle that is left in turns, and
// how far off it is; then in their place the entry and its errors.
struct Block {
  static constexpr std::size_t kSize = 32;
  double c_hi[kSize], c_lo[kSize], s_hi[kSize], s_lo[kSize];
  double r_hi[kSize], r_lo[kSize], off[kSize];
};

// (T1), and the table of (T2).
[[gnu::always_inline]] inline void reduce(const Circle& circle,
                                          const FixedTurns& t,
                                          std::span<const double> summands,
                                          Block& block, std::size_t i) {
  std::array<std::uint64_t, 3> f{};
  double off = 0;  // in turns
  for (const double x : summands) {
    const Parts parts = parts_of(x);
    Limbs scaled{};
    std::uint64_t carry = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const Wide p = Wide{t.limbs[k]} * parts.significand + carry;
      scaled[k] = static_cast<std::uint64_t>(p);
      carry = static_cast<std::uint64_t>(p >> 64);
    }
    scaled[4] = carry;
    add<3>(f, shifted(scaled, parts.exponent),
           std::signbit(x) != t.is_negative);
    off += t.error * std::abs(x) + kDropped;
  }
  const CosSin large = turned(circle, take_step(f));
  const bool is_below = f[2] >> 63 != 0;
  if (is_below) {
    std::array<std::uint64_t, 3> positive{};
    add<3>(positive, {f[0], f[1], f[2], 0, 0}, true);
    f = positive;
  }
  const DoubleDouble magnitude = doubles_of(f);
  const DoubleDouble r = is_below ? negated(magnitude) : magnitude;
  block.c_hi[i] = large.c.hi, block.c_lo[i] = large.c.lo;
  block.s_hi[i] = large.s.hi, block.s_lo[i] = large.s.lo;
  block.r_hi[i] = r.hi, block.r_lo[i] = r.lo, block.off[i] = off;
}

// The polynomials of (T2), and (T3): a loop in vectors.
[[gnu::always_inline]] inline void turn(Block& block, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const CosSin large = {{block.c_hi[i], block.c_lo[i]},
                          {block.s_hi[i], block.s_lo[i]}};
    const DoubleDouble r = {block.r_hi[i], block.r_lo[i]};
    const Small small = small_cos_sin(product(r, kTwoPi));
    const CosSin result = product(large, {small.cos, small.sin});
    const double c = std::abs(large.c.hi), s = std::abs(large.s.hi);
    const double by_c = std::abs(small.cos.hi), by_s = std::abs(small.sin.hi);
    // 2 pi, and the roundings of this bound.
    const double angle_error = 6.3 * block.off[i];
    block.c_hi[i] = result.c.hi, block.c_lo[i] = result.c.lo;
    block.s_hi[i] = result.s.hi, block.s_lo[i] = result.s.lo;
    block.r_hi[i] = kTurnError * (c * by_c + s * by_s) + angle_error;
    block.r_lo[i] = kTurnError * (s * by_c + c * by_s) + angle_error;
  }
}

[[gnu::always_inline]] inline void row_of(const Circle& circle,
                                          std::span<const FixedTurns> turns,
                                          std::span<const double> summands,
                                          TurnedEntry* entries) {
  const std::size_t terms = summands.size() / turns.size();
  Block block;
  for (std::size_t first = 0; first < turns.size(); first += Block::kSize) {
    const std::size_t n = std::min(Block::kSize, turns.size() - first);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t j = first + i;
      reduce(circle, turns[j], summands.subspan(j * terms, terms), block, i);
    }
    turn(block, n);
    for (std::size_t i = 0; i < n; ++i) {
      entries[first + i] = {
          {{block.c_hi[i], block.c_lo[i]}, {block.s_hi[i], block.s_lo[i]}},
          {block.r_hi[i], block.r_lo[i]}};
    }
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void row_of_fused(const Circle& circle,
                                              std::span<const FixedTurns> turns,
                                              std::span<const double> summands,
                                              TurnedEntry* entries) {
  row_of(circle, turns, summands, entries);
}
#endif

}  // namespace

FixedTurns fixed(const Turns& t) {
  FixedTurns result;
  result.error = t.error;
  std::array<std::uint64_t, 4> sum{};
  for (const double part : t.parts) {
    if (part == 0) continue;
    if (!(std::abs(part) < 0x1p60)) {
      result.error = std::numeric_limits<double>::infinity();
      return result;
    }
    const Parts parts = parts_of(part);
    add<4>(sum, shifted({parts.significand}, parts.exponent + kFraction),
           std::signbit(part));
    result.error += kDropped;
  }
  result.is_negative = sum[3] >> 63 != 0;
  add<4>(result.limbs, {sum[0], sum[1], sum[2], sum[3], 0}, result.is_negative);
  return result;
}

Circle circle_of(const std::vector<CosSinEnclosure>& eighth) {
  Circle circle;
  for (const auto& [c, s] : eighth) {
    circle.push_back({ordered_sum(c.hi, c.lo), ordered_sum(s.hi, s.lo)});
  }
  return circle;
}

void turn_row(const Circle& circle, std::span<const FixedTurns> turns,
              std::span<const double> summands, TurnedEntry* entries) {
#if defined(__x86_64__)
  if (kHasFused) return row_of_fused(circle, turns, summands, entries);
#endif
  row_of(circle, turns, summands, entries);
}

}  // namespace ropeproof::reference::sweep
