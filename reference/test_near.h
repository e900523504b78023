// test_near.h -- numbers of double, to a relative error.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <vector>

namespace ropeproof::reference {

inline auto near(double want, double relative = 1e-12) {
  return Catch::Matchers::WithinRel(want, relative);
}

inline void check_near(const std::vector<double>& got,
                       const std::vector<double>& want) {
  REQUIRE(got.size() == want.size());
  for (std::size_t j = 0; j < got.size(); ++j) {
    CAPTURE(j);
    CHECK_THAT(got[j], near(want[j]));
  }
}

}  // namespace ropeproof::reference
