// Staged goldens against figures measured beforehand with other programs.
#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "reference/staged/test_grid.h"

namespace ropeproof::reference::staged {
namespace {

// The largest error in units of the last place of ||x||, on 64 pairs of x for
// each pair of channels; nothing fused.
struct Errors {
  double relative = 0, norm_ulp = 0;
};

Errors errors(const char* name, Format t, std::int64_t position) {
  const Grid grid(t, 128, 1e4, 64, {position});
  const Engine engine(find_pipeline(name), t, grid.parameters);
  std::vector<Errors> parts(static_cast<std::size_t>(grid.pairs()));
#pragma omp parallel for
  for (std::int64_t j = 0; j < grid.pairs(); ++j) {
    const Turn turn = engine.turn(position, j);
    Errors& part = parts[static_cast<std::size_t>(j)];
    for (std::int64_t head = 0; head < grid.heads; ++head) {
      const std::size_t at = grid.at(0, head, j);
      const double x_u = grid.x[at], x_v = grid.x[at + 1];
      for (const Output output : {Output::kYu, Output::kYv}) {
        const double got = engine.rotate(output, Fused::kNone, turn, x_u, x_v);
        const double diff =
            std::abs(got - grid.y[at + (output == Output::kYv)]);
        const double length = std::hypot(x_u, x_v);
        part.relative = std::max(part.relative, diff / length);
        part.norm_ulp = std::max(part.norm_ulp, diff / ulp(t, length));
      }
    }
  }
  Errors all;
  for (const Errors& part : parts) {
    all.relative = std::max(all.relative, part.relative);
    all.norm_ulp = std::max(all.norm_ulp, part.norm_ulp);
  }
  return all;
}

// Printed to two digits, from other random x.
bool near(double got, double want) {
  return got > 0.8 * want && got < 1.25 * want;
}

TEST_CASE("f32 pipelines leave the exact result as measured",
          "[reference][staged][mpfi]") {
  if (!available()) SKIP("built without MPFI");
  struct Row {
    std::int64_t position;
    double hf, ggml;
  };
  const Row rows[] = {{1, 1.3e-7, 1.3e-7},     {1000, 3.2e-5, 1.1e-4},
                      {4095, 1.4e-4, 5.0e-4},  {8191, 4.9e-4, 9.9e-4},
                      {32767, 1.7e-3, 2.8e-3}, {131071, 4.2e-3, 1.3e-2},
                      {1048575, 3.1e-2, 0.10}, {16777217, 0.96, 1.1},
                      {2147483647, 2.0, 2.0}};
  for (const Row& row : rows) {
    const double hf = errors("hf_eager", Format::kF32, row.position).relative;
    const double ggml = errors("ggml_cpu", Format::kF32, row.position).relative;
    CAPTURE(row.position, hf, ggml);
    CHECK(near(hf, row.hf));
    CHECK(near(ggml, row.ggml));
  }
}

TEST_CASE("16-bit pipelines leave the exact result as measured",
          "[reference][staged][mpfi]") {
  if (!available()) SKIP("built without MPFI");
  struct Row {
    std::int64_t position;
    double meta_bf16, hf_bf16, hf_f16;  // norm-ulp
  };
  const Row rows[] = {{1, .50, 1.60, 1.35},         {1000, .50, 1.44, 1.40},
                      {4095, .50, 1.48, 1.51},      {8191, .53, 1.58, 1.34},
                      {32767, .69, 1.60, 3.7},      {131071, 1.04, 1.41, 8.4},
                      {1048575, 7.6, 8.0, 61},      {16777217, 236, 237, 1.9e3},
                      {2147483647, 502, 502, 4.0e3}};
  for (const Row& row : rows) {
    const double meta =
        errors("meta_complex64", Format::kBF16, row.position).norm_ulp;
    const double bf16 =
        errors("hf_eager", Format::kBF16, row.position).norm_ulp;
    const double f16 = errors("hf_eager", Format::kF16, row.position).norm_ulp;
    CAPTURE(row.position, meta, bf16, f16);
    CHECK(near(meta, row.meta_bf16));
    CHECK(near(bf16, row.hf_bf16));
    CHECK(near(f16, row.hf_f16));
  }
}

// Measured in C++ with glibc's f32 functions, over the 41 positions that end at
// p: the largest error of a cosine or sine, d = 128, base 1e4.
TEST_CASE("tables leave the exact ones as measured",
          "[reference][staged][mpfi]") {
  if (!available()) SKIP("built without MPFI");
  constexpr std::array<std::int64_t, 5> kEnds{511, 4095, 32767, 131071,
                                              1048575};
  struct Row {
    const char* name;
    std::array<double, 5> error;
  };
  const Row rows[] = {
      {"hf_eager", {2.8e-5, 1.4e-4, 1.9e-3, 7.6e-3, 5.4e-2}},
      {"ggml_cpu", {6.8e-5, 5.0e-4, 4.9e-3, 1.7e-2, 1.5e-1}},
      {"ggml_cuda", {5.5e-5, 4.6e-4, 3.7e-3, 1.5e-2, 1.2e-1}},
      {"mlx_exp", {3.0e-5, 2.2e-4, 1.8e-3, 7.6e-3, 5.9e-2}},
      {"jax_division", {3.1e-5, 2.4e-4, 2.0e-3, 8.4e-3, 6.6e-2}}};
  for (std::size_t e = 0; e < kEnds.size(); ++e) {
    std::vector<std::int64_t> positions;
    for (std::int64_t p = kEnds[e] - 40; p <= kEnds[e]; ++p) {
      positions.push_back(p);
    }
    const auto table =
        golden_table(Oracle::kMpfi, interleaved(128, 1e4), positions);
    for (const Row& row : rows) {
      const Engine engine(find_pipeline(row.name), Format::kF32, {1e4, 128});
      double worst = 0;
#pragma omp parallel for reduction(max : worst)
      for (std::size_t i = 0; i < table.size(); ++i) {
        const Turn turn =
            engine.turn(positions[i / 64], static_cast<std::int64_t>(i % 64));
        const double c = std::bit_cast<double>(table[i].cos.bits);
        const double s = std::bit_cast<double>(table[i].sin.bits);
        worst = std::max({worst, std::abs(turn.c - c), std::abs(turn.s - s)});
      }
      CAPTURE(std::string(row.name), kEnds[e], worst);
      CHECK(near(worst, row.error[e]));
    }
  }
}

}  // namespace
}  // namespace ropeproof::reference::staged
