// The bound of what each pipeline claims: never exceeded, nearly reached, and
// able to tell claims apart.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "reference/bound/bound.h"
#include "reference/staged/pipelines/test_grid.h"

namespace ropeproof::reference::staged {
namespace {

using bound::Claim;

// A bound more than four times its measured maximum is a bug report.
constexpr double kTight = 0.25;
// ggml_cuda is judged as iterated, up to 1 + 3 j + 1 roundings, for want of a
// row of its own: it has j + 2. Measured 0.250 in f16.
constexpr double kTightPowerOfRatio = 0.24;
// candle_t_angles forms its power in f64 and rounds it to T: in bf16 it has 2
// of the row's 5 + |ln theta|. Measured 0.226.
constexpr double kTightFinerPower = 0.2;
// hf_eager rotates f64 tensors by f32 cosines, whose error is all there is:
// that of a correctly rounded function, half of 1 ulp. Measured 0.244.
constexpr double kTightCosine = 0.24;

// Beyond these positions an f64 angle is seen in f32 outputs.
const std::vector<std::int64_t> kFarPositions{1ll << 40, (1ll << 45) + 1,
                                              (1ll << 49) - 1};

TEST_CASE("no pipeline exceeds the bound of its claim, and each comes near it",
          "[reference][staged][bound][mpfi]") {
  std::printf("%-18s%-6s%8s%8s%8s%10s  error / bound\n", "pipeline", "T", "max",
              "angle", "local", "vacuous");
  for (const Format t :
       {Format::kF64, Format::kF32, Format::kF16, Format::kBF16}) {
    std::vector<Grid> grids;
    for (const std::int64_t d : kDims) {
      for (const double base : kBases) grids.emplace_back(t, d, base, 3);
    }
    for (const Pipeline& pipeline : pipelines()) {
      if (std::ranges::find(pipeline.formats, t) == pipeline.formats.end()) {
        continue;
      }
      Measured all;
      for (const Grid& grid : grids) {
        all.add(measure(pipeline, claim_of(pipeline, t), grid));
      }
      CHECK(all.outputs == 127'008);
      const std::string name(pipeline.name);
      if (name == "wan_f64") {
        all.add(measure(pipeline, claim_of(pipeline, t),
                        Grid(t, 80, 1e4, 3, kFarPositions)));
      }
      std::printf("%-18s%-6s%8.3f%8.3f%8.3f%9.1f%%\n", name.c_str(),
                  Catch::Detail::stringify(t).c_str(), all.ratio,
                  all.angle_ratio, all.local_ratio,
                  100 * static_cast<double>(all.vacuous) /
                      static_cast<double>(all.outputs));
      CAPTURE(name, t);
      CHECK(all.violations == 0);
      CHECK(all.angle_ratio > (name == "ggml_cuda"         ? kTightPowerOfRatio
                               : name == "candle_t_angles" ? kTightFinerPower
                                                           : kTight));
      CHECK(all.local_ratio > (t == Format::kF64 ? kTightCosine : kTight));
    }
  }
}

TEST_CASE("an amplitude adds its roundings and scales the bound",
          "[reference][staged][bound][mpfi]") {
  const double yarn = 1.2079441541679836;  // 0.1 ln 8 + 1
  for (const char* name : {"hf_eager", "vllm_cache", "ggml_cpu"}) {
    const Pipeline& pipeline = pipeline_of(name);
    for (const Format t : pipeline.formats) {
      for (const double m : {yarn, -0.37}) {
        const Grid grid(t, 80, 1e4, 3, {1, 1000, 131071}, m);
        const Measured measured =
            measure(pipeline, claim_of(pipeline, t), grid);
        CAPTURE(name, t, m);
        CHECK(measured.violations == 0);
        CHECK(measured.local_ratio > kTight);
      }
    }
  }
}

TEST_CASE("a base that the arithmetic cannot hold is covered",
          "[reference][staged][bound][mpfi]") {
  constexpr double kBetween = 0x1p14 * (1 + 0x1p-24);  // two numbers of f32
  for (const char* name : {"hf_eager", "ggml_cpu", "ggml_metal", "mlx_exp2"}) {
    const Pipeline& pipeline = pipeline_of(name);
    const Grid grid(Format::kF32, 96, kBetween, 3, {1000, 4095, 131071});
    const Measured measured =
        measure(pipeline, claim_of(pipeline, Format::kF32), grid);
    CAPTURE(name, measured.angle_ratio);
    CHECK(measured.violations == 0);
  }
}

TEST_CASE("below the normal range the absolute term takes over",
          "[reference][staged][bound][mpfi]") {
  for (const Pipeline& pipeline : pipelines()) {
    for (const Format t : pipeline.formats) {
      // Goldens of the grid are single binary64 numbers.
      if (t == Format::kF64) continue;
      const double smallest = ulp(t, 0);
      Measured all;
      for (const double scale : {1.0, 4.0, 64.0}) {
        all.add(
            measure(pipeline, claim_of(pipeline, t),
                    Grid(t, 64, 1e4, 4, {1, 77, 4095}, 1, scale * smallest)));
      }
      CAPTURE(std::string(pipeline.name), t);
      CHECK(all.violations == 0);
      CHECK(all.ratio > kTight);
    }
  }
}

// --- teeth ---

TEST_CASE("a coarser pipeline exceeds the bound of a finer one's claim",
          "[reference][staged][bound][mpfi]") {
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
      {"ncnn_truncated", "vllm_cache", Format::kBF16},
      {"hf_eager", "vllm_cache", Format::kBF16},
      {"hf_eager", "wan_f64", Format::kF64},
  };
  for (const Row& row : rows) {
    const Grid grid(row.t, 128, 1e4, 8, {1000, 4095, 8191, 32767, 131071});
    const Pipeline& coarse = pipeline_of(row.coarse);
    const Claim finer = claim_of(pipeline_of(row.fine), row.t);
    CAPTURE(row.coarse, row.fine);
    CHECK(measure(coarse, finer, grid).violations > 0);
    CHECK(measure(coarse, claim_of(coarse, row.t), grid).violations == 0);
  }
  // A pow whose exponent is rounded twice: with b = 1e7 and r = 112, theta_49
  // is off by 15.8 u, where 2j/r is exact and the row of pow has 3.
  const Pipeline& metal = pipeline_of("ggml_metal");
  Claim by_pow = claim_of(metal, Format::kF32);
  by_pow.power = bound::Power::kPow;
  const Grid grid(Format::kF32, 112, 1e7, 8, {1000, 4095, 8191, 32767, 131071});
  CHECK(measure(metal, by_pow, grid).violations > 0);
  CHECK(measure(metal, claim_of(metal, Format::kF32), grid).violations == 0);
}

TEST_CASE("without its absolute term the bound is exceeded",
          "[reference][staged][bound][mpfi]") {
  const Pipeline& hf = pipeline_of("hf_eager");
  const Grid grid(Format::kF16, 64, 1e4, 4, {77}, 1, 4 * 0x1p-24);
  const Engine engine(hf, Format::kF16, grid.parameters);
  double worst = 0;
  for (std::int64_t j = 0; j < grid.pairs(); ++j) {
    const std::size_t at = grid.at(0, 0, j);
    const double got =
        engine.rotate(Output::kYu, Fused::kNone, engine.cos_sin(77, j),
                      grid.x[at], grid.x[at + 1]);
    const Limit limit(claim_of(hf, Format::kF16), grid, 77, j);
    const double relative =
        limit.relative(grid.x[at], grid.x[at + 1], grid.y[at]);
    worst = std::max(worst, std::abs(got - grid.y[at]) / relative);
  }
  CHECK(worst > 1);
}

}  // namespace
}  // namespace ropeproof::reference::staged
