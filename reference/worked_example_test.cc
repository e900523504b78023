// The worked example of a published explanation of RoPE: batch 2, sequence 5,
// 2 query heads, 1 key head, head_dim 8, base 10000, positions 0..4,
// interleaved; xq = 0, 1, .. 159 and xk = 0, 1, .. 79. Below is what it prints.
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cmath>
#include <numeric>
#include <vector>

#include "reference/golden.h"

namespace ropeproof::reference {
namespace {

using Catch::Matchers::WithinAbs;

// Four decimals of float32 arithmetic: at most 5.4e-5 from the exact result.
constexpr double kPrinted = 5.4e-5;

// clang-format off
const std::vector<double> kCos = {
     1.0000,  1.0000,  1.0000,  1.0000,
     0.5403,  0.9950,  0.9999,  1.0000,
    -0.4161,  0.9801,  0.9998,  1.0000,
    -0.9900,  0.9553,  0.9996,  1.0000,
    -0.6536,  0.9211,  0.9992,  1.0000};
const std::vector<double> kSin = {
     0.0000,  0.0000,  0.0000,  0.0000,
     0.8415,  0.0998,  0.0100,  0.0010,
     0.9093,  0.1987,  0.0200,  0.0020,
     0.1411,  0.2955,  0.0300,  0.0030,
    -0.7568,  0.3894,  0.0400,  0.0040};

const std::vector<double> kXqOut = {
       0.0000,    1.0000,    2.0000,    3.0000,    4.0000,    5.0000,    6.0000,    7.0000,
       8.0000,    9.0000,   10.0000,   11.0000,   12.0000,   13.0000,   14.0000,   15.0000,
      -5.6602,   22.6487,   16.0132,   20.7021,   19.7890,   21.1989,   21.9770,   23.0220,
      -8.0695,   33.7029,   23.1746,   29.4608,   27.7086,   29.2785,   29.9690,   31.0300,
     -43.3235,   15.3647,   26.3688,   41.0571,   35.2528,   37.7126,   37.9219,   39.0759,
     -53.9271,   19.3099,   32.6200,   50.4870,   43.0913,   45.8709,   45.9059,   47.0919,
     -54.4345,  -41.7359,   32.6953,   63.4982,   50.3868,   54.5359,   53.8348,   55.1618,
     -63.4834,  -48.5269,   37.9738,   73.5050,   58.1433,   62.7723,   61.8107,   63.1857,
       7.3590,  -90.9222,   34.6990,   87.4127,   65.1863,   71.6641,   69.7154,   71.2794,
       8.1842, -102.2058,   38.9521,   97.8965,   72.8600,   79.9776,   77.6834,   79.3114,
      80.0000,   81.0000,   82.0000,   83.0000,   84.0000,   85.0000,   86.0000,   87.0000,
      88.0000,   89.0000,   90.0000,   91.0000,   92.0000,   93.0000,   94.0000,   95.0000,
     -29.7537,  133.1905,   87.6269,  108.2891,   98.9850,  101.9949,  101.8969,  103.1020,
     -32.1630,  144.2447,   94.7883,  117.0478,  106.9046,  110.0745,  109.8889,  111.1099,
    -149.3591,   54.8167,   88.8806,  135.3560,  113.6370,  119.2964,  117.7618,  119.2358,
    -159.9626,   58.7619,   95.1318,  144.7859,  121.4754,  127.4548,  125.7457,  127.2517,
    -144.9235, -109.6457,   85.4806,  163.5667,  127.9512,  136.8996,  133.5944,  135.4014,
    -153.9724, -116.4366,   90.7591,  173.5736,  135.7076,  145.1359,  141.5704,  143.4254,
      15.6117, -203.7579,   77.2304,  192.2510,  141.9232,  154.7992,  149.3948,  151.5988,
      16.4370, -215.0414,   81.4836,  202.7349,  149.5969,  163.1128,  157.3627,  159.6307};
const std::vector<double> kXkOut = {
      0.0000,   1.0000,   2.0000,   3.0000,   4.0000,   5.0000,   6.0000,   7.0000,
     -3.2508,  11.5945,   8.8519,  11.9434,  11.8694,  13.1193,  13.9850,  15.0140,
    -22.1164,   7.4743,  13.8665,  22.1973,  19.5760,  21.3958,  21.9540,  23.0440,
    -27.2878, -21.3629,  16.8597,  33.4776,  27.1175,  29.8268,  29.9069,  31.0899,
      4.0579, -45.7879,  17.6864,  45.4774,  34.4916,  38.4100,  37.8437,  39.1517,
     40.0000,  41.0000,  42.0000,  43.0000,  44.0000,  45.0000,  46.0000,  47.0000,
    -15.2976,  66.8654,  44.6587,  55.7369,  51.4674,  53.5173,  53.9450,  55.0540,
    -75.1342,  27.2003,  45.1224,  69.3467,  58.7681,  62.1877,  61.8739,  63.1239,
    -72.5323, -55.3178,  43.2524,  83.5119,  65.8997,  71.0087,  69.7867,  71.2097,
      8.1842, -102.2058,  38.9521,  97.8965,  72.8600,  79.9776,  77.6834,  79.3114};
// clang-format on

const Spec kSpec{
    leading(8, 8, Pairing::kInterleaved), {10000, {}, 1}, Direction::kForward};

double value(const Golden& golden) {
  return std::bit_cast<double>(golden.bits);
}

std::vector<double> rotated(std::int64_t heads) {
  const Oracle oracle =
      available(Oracle::kMpfi) ? Oracle::kMpfi : Oracle::kBinFloat;
  const std::vector<std::int64_t> positions = {0, 1, 2, 3, 4, 0, 1, 2, 3, 4};
  std::vector<double> x(static_cast<std::size_t>(80 * heads));
  std::iota(x.begin(), x.end(), 0.0);
  std::vector<double> y;
  for (const Golden& golden :
       golden_rope(oracle, kSpec, {2, 5, heads}, positions, x)) {
    y.push_back(value(golden));
  }
  return y;
}

void check_printed(const std::vector<double>& got,
                   const std::vector<double>& printed) {
  REQUIRE(got.size() == printed.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    CAPTURE(i / 8, i % 8);
    CHECK_THAT(got[i], WithinAbs(printed[i], kPrinted));
  }
}

TEST_CASE("xq_out and xk_out are what the worked example prints",
          "[reference][golden][R6]") {
  check_printed(rotated(2), kXqOut);
  check_printed(rotated(1), kXkOut);
}

TEST_CASE("cosines and sines are what the worked example prints",
          "[reference][golden][R2]") {
  const std::vector<std::int64_t> positions = {0, 1, 2, 3, 4};
  const auto table = golden_table(Oracle::kBinFloat, kSpec, positions);
  std::vector<double> cos, sin;
  for (const GoldenCosSin& entry : table) {
    cos.push_back(value(entry.cos));
    sin.push_back(value(entry.sin));
  }
  check_printed(cos, kCos);
  check_printed(sin, kSin);
}

TEST_CASE("five printed last digits are wrong, and these are the values",
          "[reference][golden]") {
  struct Row {
    std::int64_t heads;
    std::size_t row, channel;
    double printed, exact, half_unit;  // of the last digit of `exact`
  };
  const Row rows[] = {{2, 12, 7, 103.1020, 103.101948483, 5e-10},
                      {2, 15, 3, 144.7859, 144.785847431, 5e-10},
                      {2, 17, 1, -116.4366, -116.436650938, 5e-10},
                      {2, 19, 1, -215.0414, -215.041453279, 5e-10},
                      {1, 8, 5, 71.0087, 71.0086463424, 5e-11}};
  for (const Row& row : rows) {
    CAPTURE(row.row, row.channel);
    const double y = rotated(row.heads)[8 * row.row + row.channel];
    CHECK_THAT(y, WithinAbs(row.exact, row.half_unit));
    CHECK(std::round(1e4 * y) != std::round(1e4 * row.printed));
  }
}

TEST_CASE("every other printed digit is right", "[reference][golden]") {
  int wrong = 0;
  for (const std::int64_t heads : {2, 1}) {
    const auto& printed = heads == 2 ? kXqOut : kXkOut;
    const auto y = rotated(heads);
    for (std::size_t i = 0; i < y.size(); ++i) {
      wrong += std::round(1e4 * y[i]) != std::round(1e4 * printed[i]);
    }
  }
  CHECK(wrong == 5);
}

}  // namespace
}  // namespace ropeproof::reference
