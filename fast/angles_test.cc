// Cosines and sines before they are rounded to f32.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fast/bounds.h"
#include "fast/dispatch.h"
#include "fast/testing.h"

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fast/angles_test.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "fast/angles-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace ropeproof::fast {
namespace HWY_NAMESPACE {

// The reduced angles of all pairs, and their cosines and sines by both sets of
// polynomials.
void FormUnrounded(const Plan& plan, double position, std::uint64_t* quadrant,
                   double* cos, double* sin, double* quick_cos,
                   double* quick_sin) {
  ForEachChunk<double>(plan.pairs(), [&](auto d64, std::size_t i) HWY_ATTR {
    const hn::RebindToUnsigned<decltype(d64)> u64;
    hn::Vec<decltype(u64)> n;
    hn::Vec<decltype(d64)> c, s, quick_c, quick_s;
    const auto remainder = ReduceNearAngle(
        d64, hn::Set(d64, 4 * position), hn::LoadU(d64, plan.circles_hi() + i),
        hn::LoadU(d64, plan.circles_lo() + i), n);
    CosSinOfRemainder(d64, remainder, c, s);
    QuickCosSinOfRemainders(d64, remainder, remainder, quick_c, quick_s,
                            quick_c, quick_s);
    hn::StoreU(n, u64, quadrant + i);
    hn::StoreU(c, d64, cos + i);
    hn::StoreU(s, d64, sin + i);
    hn::StoreU(quick_c, d64, quick_cos + i);
    hn::StoreU(quick_s, d64, quick_sin + i);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace ropeproof::fast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ropeproof::fast {
namespace {

ROPEPROOF_FAST_EXPORT(FormUnrounded);

// The error of a magnitude, relative to it.
double relative_error(double got, DoubleDouble want) {
  const auto sum = static_cast<long double>(want.hi) + want.lo;
  return static_cast<double>(std::abs((std::abs(got) - std::abs(sum)) / sum));
}

TEST_CASE("cosines and sines before rounding stay within their stated bounds",
          "[fast][R2]") {
  on_every_target([&](const std::string& target) {
    double worst = 0, worst_quick = 0;
    for (const double base : {1.5, 10.0, 10000.0}) {
      const Plan plan = plan_of(base, 256);
      const std::size_t n = plan.pairs();
      std::vector<std::uint64_t> quadrant(n);
      std::vector<double> cos(n), sin(n), quick_cos(n), quick_sin(n);
      for (const double p : {0.5, 1.0, 2.5, 3.0, 5.5, 7.5, 77.0, -4095.0,
                             131071.0, 0x1p24 + 1}) {
        ROPEPROOF_FAST_DISPATCH(FormUnrounded)
        (plan, p, quadrant.data(), cos.data(), sin.data(), quick_cos.data(),
         quick_sin.data());
        for (std::size_t j = 0; j < n; ++j) {
          CosSin want = exact_cos_sin(
              {p, 0}, {plan.circles_hi()[j], plan.circles_lo()[j]}, 1);
          if (quadrant[j] % 2 == 1) std::swap(want.cos, want.sin);
          worst = std::max({worst, relative_error(cos[j], want.cos),
                            relative_error(sin[j], want.sin)});
          worst_quick =
              std::max({worst_quick, relative_error(quick_cos[j], want.cos),
                        relative_error(quick_sin[j], want.sin)});
        }
      }
    }
    CAPTURE(target);
    CHECK(worst <= kCosSinBound);
    CHECK(4 * worst >= kCosSinBound);
    CHECK(worst_quick <= kQuickCosSinBound);
    CHECK(4 * worst_quick >= kQuickCosSinBound);
    record("cosine and sine, unrounded", target, "2^-53", kCosSinBound * 0x1p53,
           worst * 0x1p53);
    record("the same, quick", target, "2^-53", kQuickCosSinBound * 0x1p53,
           worst_quick * 0x1p53);
  });
}

}  // namespace
}  // namespace ropeproof::fast
#endif  // HWY_ONCE
