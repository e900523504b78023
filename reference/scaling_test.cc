// Facts about (R7)..(R16) that were known before this code: published numbers,
// decimals computed elsewhere, identities. Evaluated in double, as rope_test.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "reference/test_double.h"  // first: it lends scaling.h log and pow
#include "reference/test_near.h"

namespace ropeproof::reference {
namespace {

using Vector = std::vector<double>;

Rope rope_of(std::int64_t r, double base, const Scaling& scaling) {
  Spec spec;
  spec.layout = leading(r, r, Pairing::kHalfSplit);
  spec.frequencies.base = base;
  spec.frequencies.scaling = scaling;
  validate(spec);
  return resolve<PlainDouble>(spec);
}

Vector thetas(const Rope& rope) {
  Vector result;
  for (std::int64_t j = 0; j < rope.spec.layout.rotary_dim / 2; ++j) {
    result.push_back(frequency<double>(rope, j));
  }
  return result;
}

Vector thetas(std::int64_t r, double base, const Scaling& scaling) {
  return thetas(rope_of(r, base, scaling));
}

TEST_CASE("linear scaling divides every frequency by the factor",
          "[reference][scaling][R7]") {
  check_near(thetas(8, 10000, Linear{8}), {0.125, 0.0125, 0.00125, 0.000125});
  check_near(thetas(4, 10000, Linear{2.5}), {0.4, 0.004});
}

// b' = 10000 * 8^(8/6) = 160000: the slowest pair takes the whole of alpha, the
// fastest nothing.
TEST_CASE("NTK-aware scaling of 8 channels by 8 makes base 160000",
          "[reference][scaling][R8]") {
  check_near(thetas(8, 10000, Ntk{8}), {1, 0.05, 0.0025, 0.001 / 8});
  CHECK(thetas(8, 10000, Ntk{1}) == thetas(8, 10000, Default{}));
}

TEST_CASE("NTK-aware scaling counts against the channels of its exponents",
          "[reference][scaling][R8]") {
  Rope rope = rope_of(8, 10000, Ntk{8});
  rope.spec.frequencies.exponents = {{0, 4}, {2, 4}, {0, 4}, {2, 4}};
  check_near(thetas(rope), {1, 0.01 / 8, 1, 0.01 / 8});
}

// 128 channels, factor 2, 2048 positions.
TEST_CASE("dynamic NTK has base 30527.7 at 4096 and 72195.9 at 8192 positions",
          "[reference][scaling][R9]") {
  const auto base_at = [](std::int64_t seq_len) {
    const Vector theta = thetas(128, 10000, DynamicNtk{2, 2048, seq_len});
    return std::pow(theta[1], -64.0);
  };
  CHECK_THAT(base_at(4096), near(30527.7367488067));
  CHECK_THAT(base_at(8192), near(72195.86008650939));
  CHECK(dynamic_alpha<double>({2, 2048, 8192}) == 7);
  CHECK(dynamic_alpha<double>({3, 2048, 100}) == 1);
  CHECK(thetas(128, 10000, DynamicNtk{2, 2048, 2048}) ==
        thetas(128, 10000, Default{}));
  CHECK(thetas(128, 10000, DynamicNtk{2, 2048, 1}) ==
        thetas(128, 10000, Default{}));
  CHECK(base_at(2049) > 10000);
}

struct Range {
  std::string model;
  std::int64_t r, length;
  double base, fast, slow, low, high, floor, ceil;
};

// mpmath 1.3: r * log(L / (2 pi beta)) / (2 log(base)).
const Range kRanges[] = {{"DeepSeek-V3", 64, 4096, 1e4, 32, 1,
                          10.472240810318027, 22.513440636877274, 10, 23},
                         {"gpt-oss", 64, 4096, 1.5e5, 32, 1, 8.092779115512402,
                          17.398024501588555, 8, 18},
                         {"Olmo 3", 128, 8192, 5e5, 32, 1, 18.081135034337585,
                          34.98411900147241, 18, 35},
                         {"Qwen2.5", 128, 32768, 1e6, 32, 1, 23.5959476083381,
                          39.6508807104171, 23, 40},
                         {"Llama 2", 128, 4096, 1e4, 32, 1, 20.944481620636054,
                          45.02688127375455, 20, 46},
                         {"Kimi-K2", 64, 4096, 5e4, 1, 1, 19.1645748886269,
                          19.1645748886269, 19, 20}};

TEST_CASE("YaRN interpolates in the ranges that models publish",
          "[reference][scaling][R10]") {
  for (const Range& range : kRanges) {
    CAPTURE(range.model);
    Yarn yarn{8, range.length, range.fast, range.slow};
    Ramp ramp = rope_of(range.r, range.base, yarn).resolution.ramps[0];
    CHECK(ramp.low == range.floor);
    CHECK(ramp.high == range.ceil);

    yarn.truncate = false;
    ramp = rope_of(range.r, range.base, yarn).resolution.ramps[0];
    CHECK_THAT(ramp.low, near(range.low));
    const bool is_step = range.fast == range.slow;
    CHECK_THAT(ramp.high, near(range.high + (is_step ? 0.001 : 0)));
  }
}

TEST_CASE("YaRN clamps its range to channels 0 .. r - 1",
          "[reference][scaling][R10]") {
  // corr(32) = -5.6, corr(1) = 6.4: 40 positions hold no 32 rotations.
  const Rope low = rope_of(64, 10000, Yarn{4, 40});
  CHECK(low.resolution.ramps[0].low == 0);
  CHECK(low.resolution.ramps[0].high == 7);
  // corr(0.001) = 7.2, but 8 channels end at 7, and not at their 4 pairs.
  const Rope high = rope_of(8, 10000, Yarn{4, 100000, 32, 0.001});
  CHECK(high.resolution.ramps[0].low == 2);
  CHECK(high.resolution.ramps[0].high == 7);
}

// Computed by mpmath 1.3, f/s gamma + f (1 - gamma).
TEST_CASE("YaRN keeps fast pairs, divides slow ones and blends in between",
          "[reference][scaling][R10]") {
  const Vector plain = thetas(64, 10000, Default{});
  const Vector deepseek = thetas(64, 10000, Yarn{40, 4096});
  for (std::size_t j = 0; j <= 10; ++j) CHECK(deepseek[j] == plain[j]);
  CHECK_THAT(deepseek[11], near(0.039006926567143857993));
  CHECK_THAT(deepseek[16], near(0.0055));
  CHECK_THAT(deepseek[22], near(0.00017782794100389228012));
  for (std::size_t j = 23; j < 32; ++j) {
    CHECK_THAT(deepseek[j], near(plain[j] / 40));
  }

  Yarn yarn{32, 4096};
  yarn.truncate = false;
  const Vector gpt_oss = thetas(64, 150000, yarn);
  CHECK_THAT(gpt_oss[8], near(0.050813274815461473628));
  CHECK_THAT(gpt_oss[9], near(0.031705696184663767753));
  CHECK_THAT(gpt_oss[12], near(0.0067949594897322180185));
  CHECK_THAT(gpt_oss[17], near(0.00012931870124506264792));
  CHECK_THAT(gpt_oss[18], near(0.000038308812373753382914));
}

TEST_CASE("a YaRN range of no width is a step", "[reference][scaling][R10]") {
  Yarn yarn{32, 4096, 1, 1};
  for (const bool truncate : {true, false}) {
    yarn.truncate = truncate;
    const Vector theta = thetas(64, 50000, yarn);
    const Vector plain = thetas(64, 50000, Default{});
    CHECK(theta[19] == plain[19]);
    CHECK_THAT(theta[20], near(plain[20] / 32));
  }
}

TEST_CASE("the amplitude of YaRN is 0.1 ln s + 1",
          "[reference][scaling][R11]") {
  const std::pair<double, double> rows[] = {{1, 1},
                                            {2, 1.0693147180559945},
                                            {4, 1.138629436111989},
                                            {8, 1.2079441541679836},
                                            {16, 1.2772588722239782},
                                            {32, 1.3465735902799727},
                                            {40, 1.3688879454113936}};
  for (const auto& [s, want] : rows) {
    CAPTURE(s);
    CHECK_THAT(rope_of(64, 10000, Yarn{s, 4096}).resolution.amplitude,
               near(want, 1e-15));
  }
}

TEST_CASE("mscale over mscale_all_dim, and attention_factor before both",
          "[reference][scaling][R11]") {
  const auto amplitude = [](const Yarn& yarn) {
    return rope_of(64, 10000, yarn).resolution.amplitude;
  };
  Yarn yarn{40, 4096};
  yarn.mscale = yarn.mscale_all_dim = 0.707;  // DeepSeek-V2
  CHECK(amplitude(yarn) == 1);
  yarn.mscale_all_dim = 1;
  CHECK_THAT(amplitude(yarn), near(0.9210423553163399, 1e-15));
  yarn.factor = 1;
  CHECK(amplitude(yarn) == 1);
  yarn.attention_factor = 1.25;
  CHECK(amplitude(yarn) == 1.25);
  yarn.factor = 40;
  CHECK(amplitude(yarn) == 1.25);
}

LongRope long_rope_of(std::int64_t seq_len) {
  return {{1, 2, 4, 8}, {3, 5, 7, 9}, 4096, seq_len, 32};
}

TEST_CASE("LongRoPE switches lists at the first position beyond the original",
          "[reference][scaling][R12]") {
  const Vector brief = {1, 0.1 / 2, 0.01 / 4, 0.001 / 8};
  const Vector extended = {1.0 / 3, 0.1 / 5, 0.01 / 7, 0.001 / 9};
  check_near(thetas(8, 10000, long_rope_of(1)), brief);
  check_near(thetas(8, 10000, long_rope_of(4095)), brief);
  check_near(thetas(8, 10000, long_rope_of(4096)), brief);
  check_near(thetas(8, 10000, long_rope_of(4097)), extended);
}

TEST_CASE("the amplitude of LongRoPE is sqrt(1 + ln s / ln L)",
          "[reference][scaling][R12]") {
  LongRope scaling = long_rope_of(1);
  const auto amplitude = [&] {
    return rope_of(8, 10000, scaling).resolution.amplitude;
  };
  CHECK_THAT(amplitude(), near(1.1902380714238083, 1e-15));  // Phi-3-mini-128k
  scaling.factor = 1;
  CHECK(amplitude() == 1);
  scaling.attention_factor = 1.5;
  CHECK(amplitude() == 1.5);
  scaling.factor = 0;  // not needed
  CHECK(amplitude() == 1.5);
}

std::vector<std::int64_t> band_counts(std::int64_t r, const Llama3& scaling) {
  const auto bands = rope_of(r, 500000, scaling).resolution.bands;
  return {std::ranges::count(bands, Band::kKeep),
          std::ranges::count(bands, Band::kBlend),
          std::ranges::count(bands, Band::kDivide)};
}

TEST_CASE("llama3 keeps 29, blends 6, divides 29 pairs; 15, 3, 14 in 3.2",
          "[reference][scaling][R13]") {
  using Counts = std::vector<std::int64_t>;
  CHECK(band_counts(128, {8, 1, 4, 8192}) == Counts{29, 6, 29});
  CHECK(band_counts(64, {32, 1, 4, 8192}) == Counts{15, 3, 14});
  CHECK(band_counts(128, {16, 1, 1, 8192}) == Counts{35, 0, 29});  // Llama 4
}

// Computed by mpmath 1.3 with the binary64 next to pi.
TEST_CASE("llama3 frequencies agree with decimals computed elsewhere",
          "[reference][scaling][R13]") {
  const Vector theta = thetas(128, 500000, Llama3{8, 1, 4, 8192});
  CHECK(theta[0] == 1);
  CHECK_THAT(theta[28], near(0.0032114459947525910185));
  CHECK_THAT(theta[29], near(0.0021665707635033587108));
  CHECK_THAT(theta[31], near(0.00085675141291963212575));
  CHECK_THAT(theta[34], near(0.00017850781276799643158));
  CHECK_THAT(theta[35], near(0.000095562123539646830199));
  CHECK_THAT(theta[63], near(2.4551407911316089e-6 / 8));
}

TEST_CASE("frequency factors divide, each its own pair",
          "[reference][scaling][R14]") {
  check_near(thetas(8, 10000, FrequencyFactors{{1, 2, 3, 8}}),
             {1, 0.05, 0.01 / 3, 0.000125});
}

// F = exp(alpha) of alpha = 0, 0.25, -0.5, 0.125, from mpmath 1.3.
TEST_CASE("pair factors multiply what a scaling has made of each frequency",
          "[reference][scaling][R16]") {
  Spec spec;
  spec.layout = leading(8, 8, Pairing::kHalfSplit);
  spec.frequencies.scaling = Linear{4};
  spec.frequencies.pair_factors = {1, 1.2840254166877414, 0.6065306597126334,
                                   1.1331484530668263};
  check_near(thetas(resolve<PlainDouble>(spec)),
             {0.25, 0.03210063541719353, 0.0015163266492815836,
              0.00028328711326670657});

  // The ramp of YaRN and the bands of llama3 are those of the pairs, not of
  // their factors.
  const auto ratios = [&](const Scaling& scaling) {
    spec.frequencies.scaling = scaling;
    const Vector with = thetas(resolve<PlainDouble>(spec));
    spec.frequencies.pair_factors.clear();
    const Vector without = thetas(resolve<PlainDouble>(spec));
    Vector result;
    for (std::size_t j = 0; j < with.size(); ++j) {
      result.push_back(with[j] / without[j]);
    }
    return result;
  };
  const Vector factors = {5, 0.125, 30, 0.03125};
  for (const Scaling& scaling :
       {Scaling(Yarn{8, 4096}), Scaling(Llama3{8, 1, 4, 8192})}) {
    spec.frequencies.pair_factors = factors;
    check_near(ratios(scaling), factors);
  }
}

TEST_CASE("given frequencies take a scaling that needs no base",
          "[reference][scaling]") {
  Spec spec;
  spec.layout = leading(4, 4, Pairing::kHalfSplit);
  spec.frequencies.inv_freq = {0.5, 0};
  spec.frequencies.scaling = Linear{4};
  CHECK(thetas(resolve<PlainDouble>(spec)) == Vector{0.125, 0});
}

// zeta_0 = 0.4/1.4 = 2/7, and 0.6 of 1.4 for pair 2 of 20 channels.
TEST_CASE("xPos stretches queries and shrinks keys by a power of the distance",
          "[reference][scaling][R15]") {
  XPos query{512, 100, false}, key{512, 100, true};
  const auto stretch = [](const XPos& x, double position, std::int64_t j) {
    return xpos<double>(x, {2 * j, 20}, position);
  };
  CHECK(stretch(query, 100, 0) == 1);
  CHECK_THAT(stretch(query, 612, 0), near(2.0 / 7));
  CHECK_THAT(stretch(query, 612, 2), near(3.0 / 7));
  CHECK_THAT(stretch(query, 100 - 512, 2), near(7.0 / 3));
  CHECK_THAT(stretch(query, 100 + 256, 0), near(std::sqrt(2.0 / 7)));
  CHECK_THAT(stretch(key, 612, 0), near(3.5));
  CHECK_THAT(stretch(key, 100 + 256, 2), near(std::sqrt(7.0 / 3)));

  // Where the exponent is an integer, the power is found exactly.
  const auto exact = exact_xpos(query, {4, 20}, 100 - 1024);
  REQUIRE(exact);
  CHECK((exact->top == 7 && exact->bottom == 3 && exact->power == 2));
  CHECK_FALSE(exact_xpos(query, {4, 20}, 100 - 256));
}

}  // namespace
}  // namespace ropeproof::reference
