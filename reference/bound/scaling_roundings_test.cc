// The roundings of scalings beside kernels that compute them in f32.
#include "reference/bound/scaling_roundings.h"

#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdio>
#include <functional>
#include <variant>
#include <vector>

#include "reference/golden.h"

namespace ropeproof::reference::bound {
namespace {

// Measured 0.231 at least.
constexpr double kTightScaling = 0.2;

// The scalings as engines compute them, every operation in f32.
float f32_theta(const Spec& spec, std::int64_t j) {
  const float e =
      static_cast<float>(2 * j) / static_cast<float>(spec.layout.rotary_dim);
  return 1.0f / std::pow(static_cast<float>(spec.frequencies.base), e);
}

float f32_llama3(const Spec& spec, std::int64_t j) {
  const auto& s = std::get<Llama3>(spec.frequencies.scaling);
  const float theta = f32_theta(spec, j);
  const auto length = static_cast<float>(s.original_length);
  const auto low = static_cast<float>(s.low_freq_factor);
  const auto high = static_cast<float>(s.high_freq_factor);
  const auto factor = static_cast<float>(s.factor);
  const float wavelength = 6.2831855f / theta;
  if (wavelength < length / high) return theta;
  if (wavelength > length / low) return theta / factor;
  const float sigma = (length / wavelength - low) / (high - low);
  return (1 - sigma) * theta / factor + sigma * theta;
}

// low and high: the ramp of the model, from its documents.
float f32_yarn(const Spec& spec, std::int64_t j, float low, float high) {
  const auto& s = std::get<Yarn>(spec.frequencies.scaling);
  const float theta = f32_theta(spec, j);
  const float ramp = std::min(
      1.0f, std::max(0.0f, (static_cast<float>(j) - low) / (high - low)));
  const float keep = 1 - ramp;
  return theta / static_cast<float>(s.factor) * (1 - keep) + theta * keep;
}

// A pow that is off by `ulps`.
float pow_off_by(int ulps, float a, float b) {
  const float power = std::pow(a, b);
  return power + static_cast<float>(ulps * ulp(Format::kF32, power));
}

float f32_dynamic(const Spec& spec, std::int64_t j, int ulps) {
  const auto& s = std::get<DynamicNtk>(spec.frequencies.scaling);
  const auto d = static_cast<float>(spec.layout.rotary_dim);
  const auto factor = static_cast<float>(s.factor);
  const float alpha = factor * static_cast<float>(s.seq_len) /
                          static_cast<float>(s.max_position) -
                      (factor - 1);
  const float base = static_cast<float>(spec.frequencies.base) *
                     pow_off_by(ulps, alpha, d / (d - 2));
  return 1.0f / pow_off_by(ulps, base, static_cast<float>(2 * j) / d);
}

TEST_CASE("bounds of scalings hold where a kernel computes them in f32",
          "[reference][bound]") {
  Yarn qwen, deepseek;
  qwen.factor = 4, qwen.original_length = 32768;
  deepseek.factor = 40, deepseek.original_length = 4096;
  const struct {
    const char* name;
    std::int64_t rotary_dim;
    double base;
    Scaling scaling;
    std::function<float(const Spec&, std::int64_t)> compute;
    Claim claim = {};
  } rows[] = {
      {"llama3 s=8", 128, 5e5, Llama3{8, 1, 4, 8192}, f32_llama3},
      {"llama3 s=32", 64, 5e5, Llama3{32, 1, 4, 8192}, f32_llama3},
      {"yarn s=4", 128, 1e6, qwen,
       [](const auto& spec, auto j) { return f32_yarn(spec, j, 23, 40); }},
      {"yarn s=40", 64, 1e4, deepseek,
       [](const auto& spec, auto j) { return f32_yarn(spec, j, 10, 23); }},
      {"dynamic NTK", 96, 1e4, DynamicNtk{2, 2048, 2100},
       [](const auto& spec, auto j) { return f32_dynamic(spec, j, 0); }},
      {"NTK, 4 ulp",
       96,
       1e4,
       DynamicNtk{2, 2048, 2100},
       [](const auto& spec, auto j) {
         return j == 0 ? 1.0f : f32_dynamic(spec, j, 3);
       },
       {.power_ulp = 4}}};
  for (const auto& row : rows) {
    Spec spec;
    spec.layout = leading(row.rotary_dim, row.rotary_dim, Pairing::kHalfSplit);
    spec.frequencies.base = row.base;
    spec.frequencies.scaling = row.scaling;
    const auto golden = golden_frequencies(Oracle::kBinFloat, spec);
    const std::vector<double> scaling = scaling_roundings(row.claim, spec);
    double worst = 0;
    for (std::int64_t j = 0; j < row.rotary_dim / 2; ++j) {
      const double theta =
          std::bit_cast<double>(golden[static_cast<std::size_t>(j)].hi);
      PairAngle pair{j, row.rotary_dim, theta, 1};
      pair.scaling = scaling[static_cast<std::size_t>(j)];
      const double error = std::abs(double{row.compute(spec, j)} - theta);
      worst = std::max(worst, error / angle_error(row.claim, pair));
    }
    std::printf("scaling bound %-12s largest error/bound %.3f\n", row.name,
                worst);
    INFO(row.name);
    CHECK(worst <= 1);
    CHECK(worst >= kTightScaling);
  }
}

TEST_CASE("powers and logarithms of a scaling count by their ulp",
          "[reference][bound]") {
  Spec spec;
  spec.layout = leading(128, 128, Pairing::kHalfSplit);
  // What 4 ulp cost beyond 1, in each pair.
  const auto added = [&](Claim claim) {
    std::vector<double> k = scaling_roundings(claim, spec);
    claim.power_ulp = 4;
    const std::vector<double> four = scaling_roundings(claim, spec);
    for (std::size_t j = 0; j < k.size(); ++j) k[j] = four[j] - k[j];
    return k;
  };
  // NTK: 2 for each ulp of the power, on the base, whose exponent is 2j/r.
  spec.frequencies.scaling = Ntk{.alpha = 4};
  CHECK(std::abs(added(Claim{})[32] - 6 * 0.5) < 1e-9);
  // By exp2, and 2 |ln alpha| d/(d - 2) for each ulp of the logarithm.
  const double by_exp2 = (6 * std::log(4.0) * 128 / 126 + 6) * 0.5;
  const double got = added({.power = Power::kExp2})[32];
  CHECK(got >= by_exp2);
  CHECK(got < by_exp2 * 1.1);
  // YaRN: two logarithms of each edge of the ramp, unless they are integers.
  Yarn yarn;
  yarn.factor = 4, yarn.original_length = 4096;
  spec.frequencies.scaling = yarn;
  CHECK(added(Claim{})[30] == 0);
  yarn.truncate = false;
  spec.frequencies.scaling = yarn;
  const Ramp ramp = golden_resolution(Oracle::kBinFloat, spec).ramps[30];
  const double width = ramp.high - ramp.low, g = (30 - ramp.low) / width;
  const double edges = 12 * ((1 - g) * ramp.low + g * ramp.high) / width;
  const double divided = 1 - g + g / 4;
  CHECK(std::abs(added(Claim{})[30] - edges * (1 - 1.0 / 4) / divided) < 1e-6);
}

}  // namespace
}  // namespace ropeproof::reference::bound
