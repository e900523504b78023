// Branches and defaults of the scalings, as each oracle decides them.
#include "reference/resolve.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <numbers>
#include <vector>

#include "reference/golden.h"
#include "reference/test_oracle.h"

namespace ropeproof::reference {
namespace {

Spec full(std::int64_t r, double base, const Scaling& scaling) {
  Spec spec;
  spec.layout = leading(r, r, Pairing::kHalfSplit);
  spec.frequencies.base = base;
  spec.frequencies.scaling = scaling;
  return spec;
}

// The values are those of mpmath 1.3 at 600 bits, rounded to nearest there.
TEST_CASE("YaRN's ranges and amplitudes are certified",
          "[reference][resolve][certificate][R10][R11]") {
  const Oracle oracle = any_oracle();
  struct Row {
    std::int64_t r;
    double base;
    Yarn yarn;
    double low, high, amplitude;
  };
  Yarn deepseek{40, 4096};
  deepseek.mscale = deepseek.mscale_all_dim = 1;
  Yarn gpt_oss{32, 4096};
  gpt_oss.truncate = false;
  Yarn half{40, 4096};
  half.mscale = 0.707, half.mscale_all_dim = 1;
  const Row rows[] = {{64, 1e4, deepseek, 10, 23, 1},
                      {64, 1.5e5, gpt_oss, 8.092779115512402,
                       17.398024501588555, 1.3465735902799727},
                      {64, 5e4, {32, 4096, 1, 1}, 19, 20, 1.3465735902799727},
                      {128, 5e5, {8, 8192}, 18, 35, 1.2079441541679836},
                      {128, 1e6, {4, 32768}, 23, 40, 1.138629436111989},
                      {128, 1e4, {16, 4096}, 20, 46, 1.2772588722239782},
                      {64, 1e4, half, 10, 23, 0.9210423553163399},
                      {64, 1e4, {1, 4096}, 10, 23, 1}};
  for (const Row& row : rows) {
    CAPTURE(row.base, row.yarn.factor);
    const Resolution got =
        golden_resolution(oracle, full(row.r, row.base, row.yarn));
    REQUIRE(got.ramps.size() == static_cast<std::size_t>(row.r / 2));
    for (const Ramp& ramp : got.ramps) {
      CHECK(ramp.low == row.low);
      CHECK(ramp.high == row.high);
    }
    CHECK(got.amplitude == row.amplitude);
  }
}

TEST_CASE("a ramp of YaRN that runs backwards is refused",
          "[reference][resolve][R10]") {
  const Oracle oracle = any_oracle();
  const auto refused = [&](std::int64_t length) {
    return refusal([&] {
      golden_resolution(oracle, full(64, 1e4, Yarn{4, length}));
    });
  };
  CHECK(refused(6) == "accepted");  // corr(1) = -0.2, ceiling 0
  CHECK(refused(4) ==               // corr(1) = -1.6
        "original_length is 4; expected one whose ramp of YaRN does not run "
        "from 0 back to -1");
  CHECK(refused(std::int64_t{1} << 52) ==
        "original_length is 4503599627370496; expected one whose ramp of YaRN "
        "does not run from 106 back to 63");
}

TEST_CASE("LongRoPE's amplitude is certified, also where it is a binary number",
          "[reference][resolve][certificate][R12]") {
  const Oracle oracle = any_oracle();
  const auto amplitude = [&](std::int64_t length, double factor) {
    return golden_resolution(
               oracle,
               full(4, 1e4, LongRope{{1, 1}, {1, 1}, length, 1, factor}))
        .amplitude;
  };
  CHECK(amplitude(4096, 32) == 1.1902380714238083);
  CHECK(amplitude(4096, 1) == 1);
  CHECK(amplitude(16, 32) == 1.5);  // sqrt(1 + 5/4)
}

// theta_0 = 1 makes L / (2 pi) rotations. The limits are that number, rounded,
// and its neighbours; no limit is equal to it, pi being odd.
TEST_CASE("llama3's bands are right one ulp from a limit",
          "[reference][resolve][exact][R13]") {
  const Oracle oracle = any_oracle();
  const auto band = [&](double low, double high, std::int64_t length) {
    return golden_resolution(oracle, full(2, 1e4, Llama3{8, low, high, length}))
        .bands[0];
  };
  const double rotations = 8192 / (2 * std::numbers::pi);
  const double below = std::nextafter(rotations, 0),
               above = rotations * 1.0000001;
  CHECK(band(1, below, 8192) == Band::kKeep);
  CHECK(band(std::nextafter(rotations, 9e9), above, 8192) == Band::kDivide);
  CHECK(band(below, above, 8192) == Band::kBlend);
}

TEST_CASE("a limit that a rational frequency meets exactly is no quandary",
          "[reference][resolve][exact][R13]") {
  const Oracle oracle = any_oracle();
  Spec spec = full(4, 1e4, Llama3{8, 4, 32, 8});
  // L theta / (2 pi) = 4 and 32.
  spec.frequencies.inv_freq = {std::numbers::pi, 8 * std::numbers::pi};
  const auto bands = golden_resolution(oracle, spec).bands;
  CHECK(bands == std::vector{Band::kDivide, Band::kKeep});
  const auto theta = golden_frequencies(oracle, spec);
  CHECK(value(theta[0].hi) == std::numbers::pi / 8);
  CHECK(theta[0].lo == 0);
  CHECK(value(theta[1].hi) == 8 * std::numbers::pi);
}

TEST_CASE("a scaling that makes a binary number of a frequency is exact",
          "[reference][resolve][exact]") {
  const Oracle oracle = any_oracle();
  // 10000^(-1/2) * 25/32 = 1/128: gamma 7/24 of 1 - 1/4.
  Spec spec = full(64, 1e4, Yarn{4, 4096});
  Resolution resolution = golden_resolution(oracle, spec);
  std::ranges::fill(resolution.ramps, Ramp{9, 33});
  CHECK(exact_frequency({spec, resolution}, 16) == BinaryNumber{1, -7});
  CHECK_FALSE(exact_frequency({spec, resolution}, 15).has_value());

  // 65536^(-2/8) 3/4: gamma is a third, no binary number, the result is one.
  std::ranges::fill(resolution.ramps, Ramp{0, 3});
  spec = full(8, 65536, Yarn{4, 4096});
  CHECK(exact_frequency({spec, resolution}, 1) == BinaryNumber{3, -6});

  // Bases and alphas that are powers of two, apart and together.
  const auto theta = golden_frequencies(oracle, full(8, 65536, Ntk{0x1p6}));
  for (std::size_t j = 0; j < 4; ++j) {
    CHECK(value(theta[j].hi) == std::ldexp(1.0, -6 * static_cast<int>(j)));
    CHECK(theta[j].lo == 0);
  }
  const auto half = golden_frequencies(oracle, full(4, 2, Ntk{0x1p3}));
  CHECK(value(half[1].hi) == std::exp2(-3.5));  // 2^(-1/2) 2^-3
  CHECK(half[1].lo != 0);
  const auto dynamic =
      golden_frequencies(oracle, full(8, 65536, DynamicNtk{21, 1, 4}));
  CHECK(value(dynamic[1].hi) == 0x1p-6);  // alpha = 21 * 4 - 20 = 2^6
  CHECK(dynamic[1].lo == 0);

  // Exponents that are negative: 10000^(1/2) 3, and 10000^(1/4).
  spec = full(4, 1e4, Ntk{3});
  spec.frequencies.exponents = {{-2, 4}, {-1, 4}};
  CHECK(value(golden_frequencies(oracle, spec)[0].hi) == 300);
  spec.frequencies.scaling = Default{};
  CHECK(value(golden_frequencies(oracle, spec)[1].hi) == 10);

  const auto linear = golden_frequencies(oracle, full(8, 65536, Linear{8}));
  CHECK(value(linear[1].hi) == 0x1p-7);
  CHECK(linear[1].lo == 0);
}

TEST_CASE("each axis has a ramp of its own", "[reference][resolve][R10]") {
  const Oracle oracle = any_oracle();
  Spec spec = full(8, 1e4, Yarn{4, 4096});
  spec.frequencies.exponents = {{0, 64}, {32, 64}, {0, 128}, {1, 0}};
  spec.frequencies.bases = {1e4, 1e4, 5e5, 1e4};
  const auto ramps = golden_resolution(oracle, spec).ramps;
  CHECK(ramps[0].low == 10);
  CHECK(ramps[1].high == 23);
  CHECK(ramps[2].low == 14);   // 128 ln(4096 / (64 pi)) / (2 ln 5e5) = 14.7
  CHECK(ramps[2].high == 32);  // 31.6
  CHECK(golden_frequencies(oracle, spec)[3].hi == 0);
}

}  // namespace
}  // namespace ropeproof::reference
