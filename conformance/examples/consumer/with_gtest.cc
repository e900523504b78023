#include <gtest/gtest.h>
#include <ropeproof_judge.h>

#include "my_rope.h"

TEST(Rope, IsWithinItsBound) {
  const std::vector<std::int64_t> positions = {0, 257, 4097};
  const std::vector<float> x(3 * 2 * 8, 0.5f);
  const auto y = my_rope(x, positions, 2, 8);
  const auto problem =
      ropeproof_dense(ROPEPROOF_F32, ROPEPROOF_HALF_SPLIT, 1, 3, 2, 8, x.data(),
                      y.data(), positions.data(), 10000);
  EXPECT_STREQ(ropeproof_failure(&problem, nullptr), "");
}
