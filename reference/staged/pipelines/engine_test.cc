// The forms of the rotation, against the machine's f32.
#include "reference/staged/pipelines/engine.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "reference/staged/pipelines/test_grid.h"

namespace ropeproof::reference::staged {
namespace {

TEST_CASE("f32 rotations are the machine's, in every form",
          "[reference][staged][mpfi]") {
  const Engine engine(pipeline_of("meta_complex64"), Format::kF32, {1e4, 128});
  int different = 0, fused_differs = 0, outputs = 0;
  for (std::int64_t j = 0; j < 64; ++j) {
    const CosSin cos_sin = engine.cos_sin(4095, j);
    const auto c = static_cast<float>(cos_sin.c),
               s = static_cast<float>(cos_sin.s);
    const std::vector<double> x =
        random_numbers(Format::kF32, 80, 1 + static_cast<std::uint64_t>(j));
    for (std::size_t i = 0; i < x.size(); i += 2) {
      const auto u = static_cast<float>(x[i]), v = static_cast<float>(x[i + 1]);
      const auto differs = [&](Output output, Fused fused, float want) {
        return engine.rotate(output, fused, cos_sin, u, v) != want;
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
  CHECK(fused_differs > outputs / 5);
}

}  // namespace
}  // namespace ropeproof::reference::staged
