// The goldens formed at run time beside those of the oracle: the same bits,
// errors below the bounds, and exact values without asking.
#include "reference/sweep/fast_goldens.h"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cfenv>
#include <cmath>
#include <iostream>
#include <iterator>
#include <random>
#include <vector>

#include "reference/format.h"
#include "reference/sweep/arithmetic.h"
#include "reference/test_oracle.h"
#include "reference/test_variants.h"

namespace ropeproof::reference::sweep {
namespace {

using Catch::Matchers::ContainsSubstring;
using Random = std::mt19937_64;

// Between 0 and 1, with 53 bits.
double uniform(Random& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

// The numbers are close: both differences are exact.
double difference(std::uint64_t hi, std::uint64_t lo, const WideGolden& want) {
  if (hi == want.hi) return value(lo) - value(want.lo);
  return (value(hi) - value(want.hi)) + (value(lo) - value(want.lo));
}

// [axes, tokens]: whole and negative ones, beyond 2^32, fractions; each
// set has the origin and a repetition.
std::vector<double> positions_of(const Spec& spec, int kind) {
  const std::vector<double> sets[] = {
      {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 5},
      {0, 131071, 7, -7, -8, -9, 1e-3, 0.25, -0.5, 7},
      {0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, -6, 0.5},
      {-4095, -4094, -4093, -4092, -4091, -4090, -4089, 0, -4090},
      {0, 65535, 65536, 65537, 65538, 65539, 65540, 65541, 65541},
      {0x1p33, 0x1p33 + 1, 0x1p33 + 2, 0x1p33 + 3, 0x1p33 + 4, 0, 0x1p33},
      {0, 0x1p53, 0x1p53 - 1, -0x1.fffffffp45, 1.0 / 3, 0x1p-30, 0x1p53}};
  const std::vector<double>& set = sets[kind % 7];
  std::vector<double> result;
  for (std::int64_t k = 0; k < spec.axes.count; ++k) {
    for (std::size_t i = 0; i < set.size(); ++i) {
      // The last token repeats another on every axis.
      const bool is_last = i + 1 == set.size();
      const std::size_t other =
          is_last ? static_cast<std::size_t>(
                        std::ranges::find(set, set.back()) - set.begin())
                  : i;
      result.push_back(
          set[(other + static_cast<std::size_t>(3 * k)) % (set.size() - 1)]);
    }
  }
  return result;
}

const double kAmplitudes[] = {1, 7.5, -2.3, 1e-3, 0, -0.1};

// Pairs that cancel, that are zero, one zero, far apart, at the ends of their
// format; `c` and `s` are near those of the pair.
void fill_pair(int kind, double c, double s, Random& random, double& u,
               double& v) {
  const double size = std::max({1.0, std::abs(c), std::abs(s)});
  u = 2 * uniform(random) - 1;
  v = 2 * uniform(random) - 1;
  if (kind == 0) u = s / size, v = c / size;   // y_u = 0, nearly
  if (kind == 1) u = c / size, v = -s / size;  // y_v
  if (kind == 2) u = v = 0;
  if (kind == 3) u = 0;
  if (kind == 4) v = -0.0;
  if (kind == 5) u *= 0x1p14;
  if (kind == 6) u *= 0x1p-60;
  if (kind == 7) u = 1, v = 0;
}

std::vector<double> hard_inputs(const Spec& spec, std::int64_t heads,
                                const std::vector<GoldenCosSin>& table,
                                Format format, Random& random) {
  const std::int64_t pairs = spec.layout.rotary_dim / 2;
  const std::int64_t tokens = std::ssize(table) / pairs;
  std::vector<double> x;
  for (std::int64_t h = 0; h < tokens * heads; ++h) {
    std::vector<double> head;
    for (std::int64_t k = 0; k < spec.layout.head_dim; ++k) {
      head.push_back(2 * uniform(random) - 1);
    }
    for (std::int64_t j = 0; j < pairs; ++j) {
      const Pair pair = source_pair(spec, j);
      const GoldenCosSin& t = at(table, h / heads * pairs + j);
      const double sign = static_cast<int>(spec.direction);
      fill_pair(static_cast<int>(random() % 10), value(t.cos.bits),
                sign * value(t.sin.bits), random, at(head, pair.u),
                at(head, pair.v));
    }
    for (const double number : head) {
      x.push_back(round_to(format, number));
    }
  }
  return x;
}

// The worst errors so far, relative to the bounds.
struct Worst {
  double table = 0, rope = 0;
};

void check_tables(const FastGoldens& fast, const Goldens& goldens,
                  Worst& worst) {
  const auto odd = goldens.table(), got_odd = fast.table();
  const auto want = goldens.wide_table(), got = fast.wide_table();
  REQUIRE(got_odd.size() == odd.size());
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    CAPTURE(i);
    CHECK(got_odd[i].cos.bits == odd[i].cos.bits);
    CHECK(got_odd[i].sin.bits == odd[i].sin.bits);
    CHECK(got_odd[i].amplitude.bits == odd[i].amplitude.bits);
    CHECK(got[i].amplitude.bits == want[i].amplitude.bits);
    CHECK(got[i].cos.hi == want[i].cos.hi);
    CHECK(got[i].sin.hi == want[i].sin.hi);
    const double m = std::abs(value(want[i].amplitude.bits));
    const double bound = kTableError * m;
    for (const double error :
         {difference(got[i].cos.hi, got[i].cos.lo, want[i].cos),
          difference(got[i].sin.hi, got[i].sin.lo, want[i].sin)}) {
      // A golden is off by u^2 |m| / 2 itself, at most.
      CHECK(std::abs(error) + kU2 / 2 * m <= bound);
      if (m > 0) worst.table = std::max(worst.table, std::abs(error) / bound);
    }
  }
}

void check_rope(const Spec& spec, const FastGoldens& fast,
                const Goldens& goldens, std::int64_t heads,
                const std::vector<double>& x, Worst& worst) {
  std::vector<std::uint64_t> y(x.size()), hi(x.size()), lo(x.size());
  fast.rope(heads, x, y);
  fast.wide_rope(heads, x, hi, lo);
  const auto odd = goldens.rope(heads, x);
  const auto want = goldens.wide_rope(heads, x);
  std::size_t same = 0;
  while (same < x.size() && y[same] == odd[same].bits &&
         hi[same] == want[same].hi) {
    ++same;
  }
  CHECK(same == x.size());
  const auto table = goldens.table();
  const std::int64_t pairs = spec.layout.rotary_dim / 2;
  bool is_within = true;
  for (std::int64_t h = 0; h * spec.layout.head_dim < std::ssize(x); ++h) {
    const std::int64_t first = h * spec.layout.head_dim;
    for (std::int64_t j = 0; j < pairs; ++j) {
      const Pair from = source_pair(spec, j), to = target_pair(spec, j);
      const double m = value(at(table, h / heads * pairs + j).amplitude.bits);
      const double size = std::abs(m) * (std::abs(at(x, first + from.u)) +
                                         std::abs(at(x, first + from.v)));
      for (const std::int64_t k : {first + to.u, first + to.v}) {
        const double error = difference(at(hi, k), at(lo, k), at(want, k));
        is_within = is_within && std::abs(error) + kU2 / 2 * size <=
                                     kGoldenError * size + kPairUnderflow;
        if (size > 0x1p-900) {
          worst.rope =
              std::max(worst.rope, std::abs(error) / (kGoldenError * size));
        }
      }
    }
  }
  CHECK(is_within);
}

TEST_CASE("goldens formed at run time have the oracle's bits and their bounds",
          "[reference][sweep][bounds][certificate]") {
  const Oracle oracle = best_oracle();
  Random random(20261122);
  Worst worst;
  int kind = 0;
  const Named<Spec> variants = all_variants();
  for (std::size_t i = 0; i < variants.size(); i += 2, ++kind) {
    Spec spec = variants[i].second;
    const bool may_stretch =
        spec.frequencies.amplitude == 1 &&
        !std::holds_alternative<Yarn>(spec.frequencies.scaling) &&
        !std::holds_alternative<LongRope>(spec.frequencies.scaling);
    if (may_stretch) spec.frequencies.amplitude = kAmplitudes[random() % 6];
    if (random() % 2 == 0) spec.direction = Direction::kAdjoint;
    const Format format = static_cast<Format>(random() % 4);
    const bool is_too_large = spec.frequencies.xpos && kind % 7 > 4;
    const auto positions = positions_of(spec, is_too_large ? 0 : kind);
    const std::int64_t heads = 1 + static_cast<std::int64_t>(random() % 2);
    CAPTURE(variants[i].first, kind, spec.frequencies.amplitude, format, heads,
            static_cast<int>(spec.direction));
    const FastGoldens fast(oracle, spec, positions);
    const Goldens goldens(oracle, spec, positions);
    if (kind % 4 == 0) check_tables(fast, goldens, worst);
    const auto x = hard_inputs(spec, heads, fast.table(), format, random);
    check_rope(spec, fast, goldens, heads, x, worst);
  }
  std::cout << "formed goldens: " << kind << " specifications; worst table "
            << worst.table << " and worst rotation " << worst.rope
            << " of their bounds\n";
  CHECK(worst.table * kTableError > kU2);
  CHECK(worst.rope * kGoldenError > kU2);
}

TEST_CASE("rows that are rounded to odd at once have the oracle's bits",
          "[reference][sweep][certificate]") {
  Random random(7);
  const Spec spec{leading(32, 32, Pairing::kHalfSplit), {500000}};
  const std::vector<double> positions = {1, 2, 257, 65537, 0x1p33 + 1, 0.25};
  const CosSinTable table(best_oracle(), spec, positions);
  const Goldens goldens(best_oracle(), spec, positions);
  const auto entries = goldens.table();
  std::vector<double> x, head(32);
  for (std::int64_t token = 0; token < table.tokens(); ++token) {
    for (std::int64_t j = 0; j < 16; ++j) {
      constexpr int kKinds[] = {0, 1, 5, 6, 9};  // none is a zero
      const GoldenCosSin& t = at(entries, token * 16 + j);
      fill_pair(kKinds[random() % 5], value(t.cos.bits), value(t.sin.bits),
                random, at(head, j), at(head, j + 16));
    }
    for (const double number : head) {
      x.push_back(round_to(Format::kF32, number));
    }
  }
  const auto want = goldens.rope(1, x);
  for (std::int64_t token = 0; token < table.tokens(); ++token) {
    const std::int64_t row = table.row_of(token);
    const double* const u = x.data() + 32 * token;
    std::vector<std::uint64_t> y(32);
    std::vector<CosSinError> errors(table.errors(row).begin(),
                                    table.errors(row).end());
    const auto is_decided = [&] {
      return rotate_row_to_odd(table.cos_sin(row), errors.data(), u, u + 16,
                               y.data(), y.data() + 16);
    };
    REQUIRE(is_decided());
    for (int k = 0; k < 32; ++k) {
      CHECK(at(y, k) == at(want, 32 * token + k).bits);
    }
    errors[11].c = 0x1p-53;  // as far as the last bit: nothing is known
    CHECK(!is_decided());
  }
}

TEST_CASE("tables of long and scattered positions are the oracle's",
          "[reference][sweep][certificate]") {
  Random random(4096);
  const Spec spec{leading(32, 32, Pairing::kHalfSplit), {500000}};
  for (const bool is_scattered : {false, true}) {
    std::vector<double> positions, some;
    for (int i = 0; i < (is_scattered ? 200 : 4096); ++i) {
      positions.push_back(is_scattered ? std::floor(uniform(random) * 0x1p31)
                                       : i + 1000);
      if (i % 17 == 0) some.push_back(positions.back());
    }
    const auto got = FastGoldens(best_oracle(), spec, positions).table();
    const auto want = Goldens(best_oracle(), spec, some).table();
    for (std::size_t i = 0; i < want.size(); ++i) {
      const std::size_t at = i / 16 * 17 * 16 + i % 16;
      CHECK(got[at].cos.bits == want[i].cos.bits);
      CHECK(got[at].sin.bits == want[i].sin.bits);
    }
  }
}

TEST_CASE("exact results are formed without the oracle", "[reference][sweep]") {
  const Oracle oracle = best_oracle();
  Spec spec{leading(8, 6, Pairing::kInterleaved), {10000}};
  // The last pair stands still.
  spec.frequencies.exponents = {{0, 6}, {2, 6}, {4, 0}};
  for (const double amplitude : {1.0, -0.7, 1e-3, 0.0}) {
    spec.frequencies.amplitude = amplitude;
    const std::vector<double> positions{0, 1, 2, 3, 4, 5, 6, 7};
    const FastGoldens fast(oracle, spec, positions);
    Random random(1);
    std::vector<double> x(64);
    for (double& number : x) number = uniform(random) - 0.5;
    for (std::size_t i = 0; i < 3; ++i) x[16 + i] = x[24 + i] = 0;  // and -0
    x[18] = -0.0, x[19] = 0, x[9] = -0.0, x[8] = 0;
    std::vector<std::uint64_t> y(64), hi(64), lo(64);
    CAPTURE(amplitude);
    CHECK(fast.rope(1, x, y) == 0);
    CHECK(fast.wide_rope(1, x, hi, lo) == 0);
    const Goldens goldens(oracle, spec, positions);
    const auto want = goldens.rope(1, x);
    const auto sums = goldens.wide_rope(1, x);
    for (std::size_t i = 0; i < 64; ++i) {
      CAPTURE(i);
      CHECK(y[i] == want[i].bits);
      CHECK(hi[i] == sums[i].hi);
      if (i < 8 || i % 8 > 3) CHECK(lo[i] == sums[i].lo);
    }
  }
}

// x y = n + d with |d| < 1/x: x a whole number below 2^53, as large as the
// convergents of y give.
double nearly_whole_multiplier(const WideGolden& y) {
  using boost::multiprecision::cpp_int;
  using boost::multiprecision::cpp_rational;
  cpp_rational rest =
      abs(cpp_rational(value(y.hi)) + cpp_rational(value(y.lo)));
  cpp_int before = 1, q = 0;
  while (rest != 0) {
    const cpp_int whole = numerator(rest) / denominator(rest);
    const cpp_int next =
        q == 0 && before == 1 ? cpp_int(1) : cpp_int(whole * q + before);
    if (next >= cpp_int(1) << 53) break;
    before = std::exchange(q, next);
    if (rest == whole) break;
    rest = 1 / (rest - whole);
  }
  return q.convert_to<double>();
}

TEST_CASE("a result within its margin of a boundary is the oracle's",
          "[reference][sweep]") {
  const Oracle oracle = best_oracle();
  const Spec spec{leading(64, 64, Pairing::kInterleaved), {10000}};
  const double position[] = {77};
  const Goldens goldens(oracle, spec, position);
  const FastGoldens fast(oracle, spec, position);
  const auto table = goldens.wide_table();
  int asked = 0;
  for (std::size_t j = 0; j < 32; ++j) {
    std::vector<double> x(64);
    x[2 * j] = nearly_whole_multiplier(table[j].cos);
    std::vector<std::uint64_t> y(64);
    asked += static_cast<int>(fast.rope(1, x, y));
    const auto want = goldens.rope(1, x);
    for (std::size_t i = 0; i < 64; ++i) CHECK(y[i] == want[i].bits);
  }
  CHECK(asked > 3);
}

TEST_CASE("results beyond the range of doubles are the oracle's",
          "[reference][sweep]") {
  const Oracle oracle = best_oracle();
  Spec spec{leading(4, 4, Pairing::kHalfSplit), {10000}};
  for (const double amplitude : {1.0, 1e300, -1e-300}) {
    spec.frequencies.amplitude = amplitude;
    const std::vector<double> positions{0, 1, 1e-300, -3};
    const FastGoldens fast(oracle, spec, positions);
    const Goldens goldens(oracle, spec, positions);
    Worst worst;
    std::vector<double> x;
    for (const double number :
         {1e308, -1.7e308, 5e-324, 1e-310, 1e300, 0.5, 3e-308, -1e-100}) {
      x.push_back(number), x.push_back(number / 3);
    }
    check_rope(spec, fast, goldens, 1, x, worst);
    const auto want = goldens.wide_table(), got = fast.wide_table();
    const auto odd = goldens.table(), got_odd = fast.table();
    for (std::size_t i = 0; i < want.size(); ++i) {
      CHECK(got[i].cos.hi == want[i].cos.hi);
      CHECK(got[i].sin.hi == want[i].sin.hi);
      CHECK(got_odd[i].cos.bits == odd[i].cos.bits);
      CHECK(got_odd[i].sin.bits == odd[i].sin.bits);
    }
  }
}

TEST_CASE("what the oracle refuses is refused alike", "[reference][sweep]") {
  const Oracle oracle = best_oracle();
  Spec spec{leading(4, 4, Pairing::kInterleaved), {10000}};
  spec.axes.count = 2;
  const double three[] = {1, 2, 3}, two[] = {1, 2}, far[] = {1, 0x1p54};
  CHECK(refusal([&] { FastGoldens(oracle, spec, three); }) ==
        "positions has 3 entries; expected a multiple of 2");
  CHECK_THAT(refusal([&] { FastGoldens(oracle, spec, far); }),
             ContainsSubstring("position is"));
  const FastGoldens fast(oracle, spec, two);
  std::vector<double> x(4, 1);
  std::vector<std::uint64_t> y(4), short_y(3);
  CHECK(refusal([&] { fast.rope(2, x, y); }) == "x has 4 entries; expected 8");
  CHECK(refusal([&] { fast.rope(1, x, short_y); }) ==
        "y has 3 entries; expected 4");
  x[2] = INFINITY;
  CHECK(refusal([&] { fast.rope(1, x, y); }) ==
        "x holds inf; expected finite numbers");
  x[2] = 0;
  std::fesetround(FE_UPWARD);
  CHECK_THROWS_AS(fast.rope(1, x, y), ArithmeticError);
  CHECK_THROWS_AS(fast.table(), ArithmeticError);
  CHECK_THROWS_AS(FastGoldens(oracle, spec, two), ArithmeticError);
  std::fesetround(FE_TONEAREST);
}

}  // namespace
}  // namespace ropeproof::reference::sweep
