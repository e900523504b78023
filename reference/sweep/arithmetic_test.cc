// That broken arithmetic is noticed before it is trusted.
#include "reference/sweep/arithmetic.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cfenv>
#include <cmath>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace ropeproof::reference::sweep {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("this machine computes as IEEE 754 says", "[reference][sweep]") {
  CHECK(arithmetic_fault() == "");
  CHECK_NOTHROW(require_arithmetic());
}

TEST_CASE("every other rounding mode is refused", "[reference][sweep]") {
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fesetround(mode);
    const std::string fault = arithmetic_fault();
    std::fesetround(FE_TONEAREST);
    CHECK_THAT(fault, ContainsSubstring("round to nearest"));
  }
}

#if defined(__x86_64__)
TEST_CASE("flushing subnormal numbers to zero is refused",
          "[reference][sweep]") {
  constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x40;
  const unsigned before = _mm_getcsr();
  for (const unsigned flag : {kFlushToZero, kDenormalsAreZero}) {
    _mm_setcsr(before | flag);
    const std::string fault = arithmetic_fault();
    _mm_setcsr(before);
    CHECK_THAT(fault, ContainsSubstring("flushes subnormal"));
  }
}
#endif

TEST_CASE("a fused multiplication and addition is refused",
          "[reference][sweep]") {
  CHECK_THAT(arithmetic_fault([](double a, double b, double c) {
               return std::fma(a, b, c);
             }),
             ContainsSubstring("-ffp-contract=off"));
}

}  // namespace
}  // namespace ropeproof::reference::sweep
