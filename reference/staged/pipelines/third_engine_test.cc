// Staged goldens against programs that know nothing of pipelines as data.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <string>

#include "reference/staged/pipelines/test_grid.h"

namespace ropeproof::reference::staged {
namespace {

// Each pipeline written out by hand in Python, with mpmath at 400 bits and a
// rounding function of its own. Numbers of T as bits, the angle as a value.
struct EngineRow {
  const char* pipeline;
  Format t;
  double base;
  std::int64_t rotary_dim, j, position;
  double angle;
  std::uint64_t x_u, x_v, y_u, y_v;
};

const EngineRow kRows[] = {
    {"hf_eager", Format::kF64, 10000, 96, 29, 4095, 0x1.f609e4p+3,
     0xbfd18965d6170dcc, 0x3ffaffc9560ae271, 0x3fcee8746cf1034f,
     0xbffb141da25cbf63},
    {"hf_eager", Format::kF32, 500000, 128, 23, 1001, 0x1.1ec23ep+3, 0xbff1263a,
     0xbe0ccf42, 0x3fdf91c8, 0xbf382b1b},
    {"hf_eager", Format::kF16, 10000, 128, 4, 32767, 0x1.1fe8f4p+14, 0xbe30,
     0xafeb, 0x3bf1, 0x3cc6},
    {"hf_eager", Format::kBF16, 10000, 96, 35, 4095, 0x1.3d8460p+2, 0x3e97,
     0xbff9, 0xbfe8, 0xbf44},
    {"meta_complex64", Format::kF32, 10000, 96, 18, 32767, 0x1.030bc0p+10,
     0x3fd52b38, 0x3f880d2b, 0x3ffccc9c, 0x3d52ffb0},
    {"meta_complex64", Format::kF16, 10000, 80, 9, 1001, 0x1.f812e2p+6, 0x3784,
     0xbdf9, 0x3bac, 0xbcf3},
    {"meta_complex64", Format::kBF16, 10000, 80, 14, 32767, 0x1.461e96p+10,
     0x3fec, 0xbfab, 0xc011, 0xbe51},
    {"vllm_cache", Format::kF32, 10000, 96, 21, 32767, 0x1.23582cp+9,
     0x3e20a8ca, 0x3f361931, 0x3f327dba, 0xbe57ecb8},
    {"vllm_cache", Format::kF16, 10000, 80, 13, 16777217, 0x1.9a9296p+19,
     0xba70, 0xb871, 0xbb8d, 0x341b},
    {"vllm_cache", Format::kBF16, 10000, 80, 17, 4095, 0x1.46d2eep+6, 0xbf2c,
     0x3fa3, 0xbf34, 0x3fa1},
    {"ggml_cpu", Format::kF32, 10000, 128, 44, 131071, 0x1.d22996p+7,
     0xbfde324e, 0xbf141ec6, 0xbf8cf0b9, 0xbfbb0fc0},
    {"ggml_cpu", Format::kF16, 500000, 96, 45, 131071, 0x1.30c8b6p-1, 0xbd0b,
     0xaf08, 0xbbdc, 0xba62},
    {"ggml_cuda", Format::kF32, 10000, 80, 17, 4095, 0x1.46d2e6p+6, 0x3fe6003a,
     0xbf11c5c1, 0x3fe7b874, 0xbf067032},
    {"ggml_cuda", Format::kF16, 500000, 80, 36, 16777217, 0x1.f28c4ap+6, 0xb848,
     0x3506, 0xa04c, 0x38f7},
    {"ggml_metal", Format::kF32, 10000, 96, 3, 32767, 0x1.1fe8f4p+14,
     0x3efd5d42, 0x3fe8a665, 0x3f746ea4, 0xbfcfd96c},
    {"ggml_metal", Format::kF16, 10000, 80, 30, 131071, 0x1.06245ap+7, 0x2a66,
     0x3e49, 0x3cf5, 0x3bbe},
    {"gemma_cpp", Format::kF32, 500000, 96, 7, 1001, 0x1.275e5cp+7, 0x3f7e5c0f,
     0x3f982e18, 0xbf754a40, 0xbf9bdb9c},
    {"jax_division", Format::kF32, 500000, 80, 28, 4095, 0x1.adcef6p-2,
     0xbf9541aa, 0x3d5306dd, 0xbf8afcee, 0xbedb35dc},
    {"jax_division", Format::kBF16, 500000, 80, 22, 131071, 0x1.80b5a8p+6,
     0x3fd9, 0x3e39, 0xbf44, 0x3fc3},
    {"mlx_exp2", Format::kF32, 500000, 128, 21, 131071, 0x1.ba0cfep+10,
     0xbfa521a2, 0xbfd7f6aa, 0x3ff9f071, 0x3f55e815},
    {"mlx_exp2", Format::kF16, 10000, 128, 45, 131071, 0x1.93adf8p+7, 0x3ff3,
     0xbd6a, 0x40bb, 0x36e3},
    {"mlx_exp2", Format::kBF16, 10000, 80, 39, 1001, 0x1.0215f2p-3, 0x3fd9,
     0xbff0, 0x3ff5, 0xbfd3},
    {"mlx_exp", Format::kF32, 500000, 96, 30, 16777217, 0x1.1f91f0p+12,
     0xbfb5701d, 0x3ff5461f, 0xbfbeb506, 0xbfee2362},
    {"mlx_exp", Format::kF16, 10000, 96, 22, 32767, 0x1.e0f42cp+8, 0xbde9,
     0x3b6a, 0x3eb8, 0xb770},
    {"mlx_exp", Format::kBF16, 10000, 128, 58, 16777217, 0x1.f1501ap+11, 0xbfc9,
     0xbe86, 0xbe81, 0xbfca},
    {"trtllm_f64_power", Format::kF32, 10000, 80, 27, 131071, 0x1.058564p+8,
     0xbfb7b451, 0x3fd810d2, 0x400d21b2, 0xbe5c6bd4},
    {"trtllm_f64_power", Format::kF16, 10000, 128, 30, 16777217, 0x1.b4f7e4p+17,
     0x3a0b, 0xb9d5, 0xac45, 0x3c31},
    {"trtllm_f64_power", Format::kBF16, 500000, 96, 31, 16777217,
     0x1.b5914cp+11, 0x3fce, 0xbfc6, 0x400f, 0x3dba},
    {"wan_f64", Format::kF32, 10000, 128, 60, 16777217, 0x1.74eea79101085p+11,
     0x3fbc5024, 0xbfa3c746, 0xbec66c59, 0xbff49721},
    {"candle_t_angles", Format::kF32, 500000, 96, 33, 1001, 0x1.ef2ae4p-4,
     0x3fbc1a20, 0xbf0e007f, 0x3fc34aab, 0xbebf318a},
    {"candle_t_angles", Format::kBF16, 500000, 128, 38, 4095, 0x1.b20000p+0,
     0x3f85, 0xbf0c, 0x3ed4, 0x3f8d},
    {"ncnn_truncated", Format::kF32, 10000, 128, 11, 32767, 0x1.a48c90p+12,
     0xbf9cee26, 0xbf4d8bd3, 0xbfbb14f9, 0xbddc6958},
    {"ncnn_truncated", Format::kBF16, 500000, 80, 17, 1001, 0x1.e4d242p+1,
     0xbf2d, 0x3f81, 0x3f92, 0xbecb}};

TEST_CASE("staged goldens agree with a third engine, bit for bit",
          "[reference][staged][mpfi]") {
  for (const EngineRow& row : kRows) {
    CAPTURE(std::string(row.pipeline), row.j, row.position);
    const Engine engine(pipeline_of(row.pipeline), row.t,
                        {row.base, row.rotary_dim});
    CHECK(engine.angle(row.position, row.j) == row.angle);
    const auto y = [&](Output output) {
      return encode(
          row.t, engine.rotate(output, Fused::kNone,
                               engine.cos_sin(row.position, row.j),
                               decode(row.t, row.x_u), decode(row.t, row.x_v)));
    };
    CHECK(y(Output::kYu) == row.y_u);
    CHECK(y(Output::kYv) == row.y_v);
  }
}

TEST_CASE("the third engine has every pipeline in every format",
          "[reference][staged]") {
  for (const Pipeline& pipeline : pipelines()) {
    for (const Format t : pipeline.formats) {
      int rows = 0;
      for (const EngineRow& row : kRows) {
        rows += row.pipeline == pipeline.name && row.t == t;
      }
      CAPTURE(std::string(pipeline.name));
      CHECK(rows == 1);
    }
  }
}

}  // namespace
}  // namespace ropeproof::reference::staged
