#include <ropeproof_judge.h>

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "my_rope.h"

TEST_CASE("rope is within its bound") {
  const std::vector<std::int64_t> positions = {0, 257, 4097};
  const std::vector<float> x(3 * 2 * 8, 0.5f);
  const auto y = my_rope(x, positions, 2, 8);
  const auto problem =
      ropeproof_dense(ROPEPROOF_F32, ROPEPROOF_HALF_SPLIT, 1, 3, 2, 8, x.data(),
                      y.data(), positions.data(), 10000);
  CHECK(ropeproof_failure(&problem, nullptr) == std::string());
}
