// The a-priori bound: never exceeded, never idle, and able to tell classes
// apart.
#include "reference/staged/bound.h"

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cmath>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "reference/staged/test_grid.h"

namespace ropeproof::reference::staged {
namespace {

using Catch::Matchers::WithinRel;

// STYLE.md's rule of thumb: a bound more than four times its measured maximum
// is a bug report.
constexpr double kTight = 0.25;

const char* name_of(Format format) {
  switch (format) {
    case Format::kF64:
      return "f64";
    case Format::kF32:
      return "f32";
    case Format::kF16:
      return "f16";
    case Format::kBF16:
      return "bf16";
  }
  return "?";
}

TEST_CASE("no pipeline exceeds its bound, and no bound is four times too wide",
          "[reference][staged][mpfi]") {
  if (!available()) SKIP("built without MPFI");
  std::printf("%-18s%-6s%8s%8s%8s%10s  error / bound\n", "pipeline", "T", "max",
              "angle", "local", "vacuous");
  for (const Format t : {Format::kF32, Format::kF16, Format::kBF16}) {
    std::vector<Grid> grids;
    for (const std::int64_t d : kDims) {
      for (const double base : kBases) grids.emplace_back(t, d, base, 3);
    }
    for (const Pipeline& pipeline : pipelines()) {
      if (std::ranges::find(pipeline.types, t) == pipeline.types.end()) {
        continue;
      }
      Measured all;
      for (const Grid& grid : grids) {
        all.add(measure(pipeline, pipeline, t, grid));
      }
      const std::string name(pipeline.name);
      std::printf("%-18s%-6s%8.3f%8.3f%8.3f%9.1f%%\n", name.c_str(), name_of(t),
                  all.ratio, all.angle_ratio, all.local_ratio,
                  100 * static_cast<double>(all.vacuous) /
                      static_cast<double>(all.outputs));
      CAPTURE(name, name_of(t));
      CHECK(all.outputs == 127'008);
      CHECK(all.violations == 0);
      CHECK(all.angle_ratio > kTight);
      CHECK(all.local_ratio > kTight);
    }
  }
}

TEST_CASE("an amplitude adds its roundings and scales the bound",
          "[reference][staged][mpfi]") {
  if (!available()) SKIP("built without MPFI");
  const double yarn = 1.2079441541679836;  // 0.1 ln 8 + 1
  for (const char* name : {"hf_eager", "vllm_cache", "ggml_cpu"}) {
    const Pipeline& pipeline = find_pipeline(name);
    for (const Format t : pipeline.types) {
      for (const double m : {yarn, -0.37}) {
        const Grid grid(t, 80, 1e4, 3, {1, 1000, 131071}, m);
        const Measured measured = measure(pipeline, pipeline, t, grid);
        CAPTURE(name, name_of(t), m);
        CHECK(measured.violations == 0);
        CHECK(measured.local_ratio > kTight);
      }
    }
  }
  const Parameters one{1e4, 128}, scaled{1e4, 128, yarn};
  const Pipeline& hf = find_pipeline("hf_eager");
  CHECK_THAT(bound(hf, Format::kF32, scaled, 1, 1, 0.5).local -
                 bound(hf, Format::kF32, one, 1, 1, 0.5).local,
             WithinRel(2 * 0x1p-24, 1e-6));
}

TEST_CASE("below the normal range the absolute term takes over",
          "[reference][staged][mpfi]") {
  if (!available()) SKIP("built without MPFI");
  for (const Pipeline& pipeline : pipelines()) {
    for (const Format t : pipeline.types) {
      const double smallest = ulp(t, 0);
      Measured all;
      for (const double scale : {1.0, 4.0, 64.0}) {
        all.add(
            measure(pipeline, pipeline, t,
                    Grid(t, 64, 1e4, 4, {1, 77, 4095}, 1, scale * smallest)));
      }
      CAPTURE(std::string(pipeline.name), name_of(t));
      CHECK(all.violations == 0);
      CHECK(all.ratio > kTight);
    }
  }
  // Without it the bound would not hold.
  const Pipeline& hf = find_pipeline("hf_eager");
  const Grid grid(Format::kF16, 64, 1e4, 4, {1, 77}, 1, 4 * 0x1p-24);
  const Engine engine(hf, Format::kF16, grid.parameters);
  double worst = 0;
  for (std::int64_t j = 0; j < grid.pairs(); ++j) {
    const std::size_t at = grid.at(1, 0, j);
    const double got =
        engine.rotate(Output::kYu, Fused::kNone, engine.turn(77, j), grid.x[at],
                      grid.x[at + 1]);
    Bound limit = bound(hf, Format::kF16, grid.parameters, 77, j,
                        grid.theta[static_cast<std::size_t>(j)]);
    limit.underflow = limit.table_underflow = 0;
    worst = std::max(worst, std::abs(got - grid.y[at]) /
                                limit.output(grid.x[at], grid.x[at + 1]));
  }
  CHECK(worst > 1);
}

// --- teeth ---

TEST_CASE("a coarser pipeline exceeds a finer one's bound",
          "[reference][staged][mpfi]") {
  if (!available()) SKIP("built without MPFI");
  struct Row {
    const char *coarse, *fine;
    Format t;
  };
  const Row rows[] = {
      {"hf_eager", "wan_f64", Format::kF32},
      {"ggml_cpu", "hf_eager", Format::kF32},
      {"ggml_cuda", "hf_eager", Format::kF32},
      {"mlx_exp", "gemma_cpp", Format::kF32},
      {"hf_eager", "meta_complex64", Format::kBF16},
      {"vllm_cache", "meta_complex64", Format::kBF16},
      {"candle_t_angles", "hf_eager", Format::kBF16},
  };
  for (const Row& row : rows) {
    const Grid grid(row.t, 128, 1e4, 8, {1000, 4095, 8191, 32767, 131071});
    const Pipeline& coarse = find_pipeline(row.coarse);
    const Pipeline& fine = find_pipeline(row.fine);
    CAPTURE(row.coarse, row.fine);
    CHECK(measure(coarse, fine, row.t, grid).violations > 0);
    CHECK(measure(coarse, coarse, row.t, grid).violations == 0);
    CHECK(measure(fine, fine, row.t, grid).violations == 0);
  }
}

// The steps that `name` depends on.
void collect(std::span<const Step> steps, std::string_view name,
             std::set<const Step*>& found) {
  for (const Step& step : steps) {
    if (step.out != name || found.contains(&step)) continue;
    found.insert(&step);
    for (const auto in : step.in) collect(steps, in, found);
  }
}

int roundings_towards(std::initializer_list<Stage> stages,
                      std::string_view name) {
  std::vector<Step> steps;
  for (const Stage& stage : stages) {
    steps.insert(steps.end(), stage.steps.begin(), stage.steps.end());
  }
  std::set<const Step*> found;
  collect(steps, name, found);
  return static_cast<int>(std::ranges::count_if(
      found, [](const Step* step) { return step->op != Op::kNegate; }));
}

int counted(std::initializer_list<Stage> stages) {
  int count = 0;
  for (const Stage& stage : stages) {
    for (const Roundings& row : stage.roundings)
      count += row.correct + row.libm;
  }
  return count;
}

TEST_CASE("a bound counts every rounding of its steps, once",
          "[reference][staged]") {
  for (const Pipeline& pipeline : pipelines()) {
    CAPTURE(std::string(pipeline.name));
    CHECK(counted({pipeline.frequency, pipeline.angle}) ==
          roundings_towards({pipeline.frequency, pipeline.angle}, "angle"));
    // Where storage has no roundings, its step is an exact cast to f64.
    const int exact = pipeline.storage.roundings.empty() ? 1 : 0;
    for (const char* entry : {"c", "s"}) {
      CHECK(counted({pipeline.trig, pipeline.storage}) + exact ==
            roundings_towards({pipeline.trig, pipeline.storage}, entry));
    }
  }
  // On each way through a rotation: product, sum, cast. A fused form has no
  // product on one of them.
  int count = 0;
  for (const Roundings& row : rotation_roundings()) {
    count += row.correct + row.libm;
  }
  CHECK(count == 3);
  for (const Output output : {Output::kYu, Output::kYv}) {
    for (const Fused fused : {Fused::kNone, Fused::kXu, Fused::kXv}) {
      const auto steps = rotation_steps(output, fused);
      CHECK(std::ranges::count_if(steps, [](const Step& step) {
              return step.op != Op::kNegate;
            }) == (fused == Fused::kNone ? 4 : 3));
    }
  }
}

// --- the numbers themselves ---

double k_of(const char* name, const Parameters& parameters,
            std::int64_t position, std::int64_t j, Libm libm = {}) {
  const double theta =
      std::pow(parameters.base, -2.0 * static_cast<double>(j) /
                                    static_cast<double>(parameters.rotary_dim));
  return bound(find_pipeline(name), Format::kF32, parameters, position, j,
               theta, libm)
      .k;
}

TEST_CASE("k is what counting by hand gives", "[reference][staged]") {
  const Parameters exact{1e4, 128}, inexact{1e4, 80};
  // The bound of |ln theta| exceeds it by at most 0.06.
  const double ln = 2 * 7 * std::log(1e4) / 80;

  // power, reciprocal, product; 2j/r inexact; p inexact
  CHECK(k_of("hf_eager", exact, 4095, 7) == 3);
  CHECK(k_of("hf_eager", exact, 16777217, 7) == 4);
  CHECK(k_of("hf_eager", exact, 16777218, 7) == 3);
  CHECK(std::abs(k_of("hf_eager", inexact, 4095, 7) - (3 + ln)) < 0.06);
  CHECK(k_of("hf_eager", inexact, 4095, 10) == 3);  // 20/80 is exact
  CHECK(k_of("hf_eager", exact, 4095, 7, {.frequency_ulp = 2}) == 6);
  CHECK(k_of("hf_eager", {10000.1, 128}, 4095, 7) == 4);
  // j times power and product
  CHECK(k_of("ggml_cpu", exact, 4095, 7) == 14);
  CHECK(k_of("ggml_cpu", exact, 4095, 0) == 0);
  CHECK(std::abs(k_of("ggml_cpu", inexact, 4095, 7) - (14 + ln)) < 0.06);
  CHECK(k_of("ggml_cpu", exact, 4095, 7, {.frequency_ulp = 1}) == 21);
  // j times power, power, product
  CHECK(k_of("ggml_cuda", exact, 4095, 7) == 9);
  // power, product; two roundings on the exponent
  CHECK(k_of("ggml_metal", exact, 4095, 7) == 2);
  CHECK(std::abs(k_of("ggml_metal", inexact, 4095, 7) - (2 + 2 * ln)) < 0.12);
  // power, quotient
  CHECK(k_of("jax_division", exact, 4095, 7) == 2);
  // exp2, product; logarithm and product on the exponent, and j/P
  CHECK(std::abs(k_of("mlx_exp2", inexact, 4095, 7) - (2 + 3 * ln)) < 0.18);
  CHECK(std::abs(k_of("mlx_exp", inexact, 4095, 7) - (2 + 3 * ln)) < 0.18);
  // cast, product, and little from f64
  CHECK(std::abs(k_of("gemma_cpp", inexact, 4095, 7) - 2) < 1e-7);
  CHECK(std::abs(k_of("trtllm_f64_power", inexact, 4095, 7) - 3) < 1e-7);
  // In units of 2^-53.
  CHECK(std::abs(k_of("wan_f64", inexact, 4095, 7) - (3 + ln)) < 0.06);
}

TEST_CASE("L is what counting by hand gives", "[reference][staged]") {
  const auto local = [](const char* name, Format t, Libm libm = {}) {
    return bound(find_pipeline(name), t, {1e4, 128}, 1, 0, 1, libm).local;
  };
  const double u = 0x1p-24, b = 0x1p-8, h = 0x1p-11;
  const auto power = [](double unit, int n) { return std::pow(1 + unit, n); };
  CHECK_THAT(local("hf_eager", Format::kF32), WithinRel(power(u, 3) - 1, 1e-7));
  CHECK_THAT(local("hf_eager", Format::kF32, {.trig_ulp = 1}),
             WithinRel(power(u, 4) - 1, 1e-7));
  CHECK_THAT(local("hf_eager", Format::kF32, {.trig_ulp = 2}),
             WithinRel(power(u, 6) - 1, 1e-7));
  CHECK_THAT(local("hf_eager", Format::kBF16),
             WithinRel(power(u, 1) * power(b, 3) - 1, 1e-12));
  CHECK_THAT(local("hf_eager", Format::kF16),
             WithinRel(power(u, 1) * power(h, 3) - 1, 1e-12));
  CHECK_THAT(local("meta_complex64", Format::kBF16),
             WithinRel(power(u, 3) * power(b, 1) - 1, 1e-12));
  CHECK_THAT(local("vllm_cache", Format::kBF16),
             WithinRel(power(u, 3) * power(b, 2) - 1, 1e-12));
  CHECK_THAT(local("wan_f64", Format::kF32), WithinRel(u + 3 * 0x1p-53, 1e-6));
}

}  // namespace
}  // namespace ropeproof::reference::staged
