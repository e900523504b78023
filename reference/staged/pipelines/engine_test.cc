// The interpreter: forms of the rotation, and what it refuses.
#include "reference/staged/pipelines/engine.h"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "reference/staged/pipelines/test_grid.h"

namespace ropeproof::reference::staged {
namespace {

using X = std::array<double, 2>;

// Heads of one token, as pairs.
std::vector<X> random_pairs(Format t, std::size_t count, std::uint64_t seed) {
  const std::vector<double> x = random_numbers(t, 2 * count, seed);
  std::vector<X> pairs;
  for (std::size_t i = 0; i < count; ++i) {
    pairs.push_back({x[2 * i], x[2 * i + 1]});
  }
  return pairs;
}

bool same_bits(double a, double b) {
  return a == b && std::signbit(a) == std::signbit(b);
}

// --- the rotation ---

TEST_CASE("f32 rotations are the machine's, in every form",
          "[reference][staged][mpfi]") {
  if (!available()) SKIP("built without MPFI");
  const Engine engine(pipeline_of("meta_complex64"), Format::kF32, {1e4, 128});
  int different = 0, fused_differs = 0, outputs = 0;
  for (std::int64_t j = 0; j < 64; ++j) {
    const CosSin cos_sin = engine.cos_sin(4095, j);
    const auto c = static_cast<float>(cos_sin.c),
               s = static_cast<float>(cos_sin.s);
    for (const X& x :
         random_pairs(Format::kF32, 40, 1 + static_cast<std::uint64_t>(j))) {
      const auto u = static_cast<float>(x[0]), v = static_cast<float>(x[1]);
      const auto differs = [&](Output output, Fused fused, float want) {
        return !same_bits(engine.rotate(output, fused, cos_sin, u, v), want);
      };
      using enum Fused;
      different += differs(Output::kYu, kNone, u * c - v * s);
      different += differs(Output::kYu, kXu, std::fma(u, c, -(v * s)));
      different += differs(Output::kYu, kXv, std::fma(-v, s, u * c));
      different += differs(Output::kYv, kNone, u * s + v * c);
      different += differs(Output::kYv, kXu, std::fma(u, s, v * c));
      different += differs(Output::kYv, kXv, std::fma(v, c, u * s));
      fused_differs += differs(Output::kYu, kXu, u * c - v * s);
      ++outputs;
    }
  }
  CHECK(different == 0);
  // Measured elsewhere: contraction changes 25 % of the outputs.
  CHECK(fused_differs > outputs / 5);
  CHECK(fused_differs < outputs * 3 / 10);
}

TEST_CASE("16-bit rotations round where the pipeline says",
          "[reference][staged][mpfi]") {
  if (!available()) SKIP("built without MPFI");
  for (const Format t : {Format::kF16, Format::kBF16}) {
    const Engine hf(pipeline_of("hf_eager"), t, {1e4, 128});
    const Engine vllm(pipeline_of("vllm_cache"), t, {1e4, 128});
    const Engine meta(pipeline_of("meta_complex64"), t, {1e4, 128});
    const auto in_t = [&](float x) {
      return static_cast<float>(round_to(t, x));
    };
    int different = 0;
    for (std::int64_t j = 0; j < 64; ++j) {
      const CosSin wide = meta.cos_sin(1001, j), narrow = hf.cos_sin(1001, j);
      const auto c32 = static_cast<float>(wide.c);
      const auto s32 = static_cast<float>(wide.s);
      const float c = in_t(c32), s = in_t(s32);
      different += narrow.c != c || narrow.s != s;
      for (const X& x : random_pairs(t, 20, 7)) {
        const auto u = static_cast<float>(x[0]), v = static_cast<float>(x[1]);
        const auto y_u = [&](const Engine& engine) {
          return engine.rotate(Output::kYu, Fused::kNone,
                               engine.cos_sin(1001, j), u, v);
        };
        different += y_u(hf) != in_t(in_t(u * c) - in_t(v * s));
        different += y_u(vllm) != in_t(u * c - v * s);
        different += y_u(meta) != in_t(u * c32 - v * s32);
      }
    }
    CHECK(different == 0);
  }
}

TEST_CASE("position 0 changes nothing, in any form",
          "[reference][staged][exact][mpfi]") {
  if (!available()) SKIP("built without MPFI");
  for (const Pipeline& pipeline : pipelines()) {
    for (const Format t : pipeline.formats) {
      const Engine engine(pipeline, t, {5e5, 80});
      CAPTURE(std::string(pipeline.name));
      for (const std::int64_t j : {0, 17, 39}) {
        const CosSin cos_sin = engine.cos_sin(0, j);
        for (const X& pair : random_pairs(t, 4, 3)) {
          for (const Fused fused : {Fused::kNone, Fused::kXu, Fused::kXv}) {
            const auto y = [&](Output output) {
              return engine.rotate(output, fused, cos_sin, pair[0], pair[1]);
            };
            CHECK(y(Output::kYu) == pair[0]);
            CHECK(y(Output::kYv) == pair[1]);
          }
        }
      }
    }
  }
}

TEST_CASE("the adjoint rotates the other way", "[reference][staged][mpfi]") {
  if (!available()) SKIP("built without MPFI");
  const Pipeline& ggml = pipeline_of("ggml_cpu");
  const Parameters forward{1e4, 64, 1.25};
  Parameters adjoint = forward;
  adjoint.direction = Direction::kAdjoint;
  const Engine there(ggml, Format::kF32, forward);
  const Engine back(ggml, Format::kF32, adjoint);
  for (const X& x : random_pairs(Format::kF32, 20, 11)) {
    for (const Output output : {Output::kYu, Output::kYv}) {
      const auto y = [&](const Engine& engine, std::int64_t position) {
        return engine.rotate(output, Fused::kNone, engine.cos_sin(position, 3),
                             x[0], x[1]);
      };
      CHECK(same_bits(y(there, -1000), y(back, 1000)));
    }
  }
}

// --- refusals ---

TEST_CASE("what a pipeline does not have is refused in words",
          "[reference][staged][mpfi]") {
  if (!available()) SKIP("built without MPFI");
  using Catch::Matchers::ContainsSubstring;
  const auto make = [](const char* name, Format t, Parameters parameters) {
    return Engine(pipeline_of(name), t, parameters);
  };
  CHECK_THROWS_WITH(
      make("gemma_cpp", Format::kBF16, {1e4, 128}),
      ContainsSubstring("does not rotate tensors of this format"));
  CHECK_THROWS_WITH(make("gemma_cpp", Format::kF32, {1e4, 128, 1.5}),
                    "gemma_cpp has no amplitude");
  CHECK_NOTHROW(make("ggml_cpu", Format::kF32, {1e4, 128, 1.5}));
  CHECK_THROWS_WITH(make("hf_eager", Format::kF32, {0.5, 128}),
                    ContainsSubstring("base is 0.5"));
  CHECK_THROWS_WITH(make("hf_eager", Format::kF32, {1e4, 127}),
                    ContainsSubstring("rotary_dim is 127"));
  const Engine f16 = make("hf_eager", Format::kF16, {1e4, 128});
  CHECK_THROWS_WITH(f16.angle(kMaxPosition + 1, 0),
                    ContainsSubstring("position"));
  CHECK_THROWS_AS(f16.angle(1, 64), std::out_of_range);
}

}  // namespace
}  // namespace ropeproof::reference::staged
