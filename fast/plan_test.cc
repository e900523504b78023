#include "fast/plan.h"

#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <vector>

#include "fast/bounds.h"
#include "fast/testing.h"
#include "reference/format.h"
#include "reference/golden.h"

namespace ropeproof::fast {
namespace {

constexpr double kBases[] = {10000, 500000, 1e6, 1e-3, 1.5, 10000.25, 1e30};

TEST_CASE("frequencies stay within their stated bound", "[fast][R1]") {
  double worst = 0, worst_f32 = 0;
  for (const std::int64_t r : {2, 10, 64, 80, 128, 256, 1024}) {
    for (const double base : kBases) {
      const auto pairs = static_cast<std::size_t>(r / 2);
      std::vector<double> hi(pairs), lo(pairs);
      frequencies(base, hi, lo);

      reference::Spec spec;
      spec.layout = reference::leading(r, r, reference::Pairing::kInterleaved);
      spec.frequencies.base = base;
      const auto want =
          reference::golden_frequencies(reference::Oracle::kBinFloat, spec);
      for (std::size_t j = 0; j < pairs; ++j) {
        CAPTURE(r, base, j);
        const auto want_hi = std::bit_cast<double>(want[j].hi);
        const auto want_lo = std::bit_cast<double>(want[j].lo);
        const double error =
            std::abs((hi[j] - want_hi) + (lo[j] - want_lo)) / want_hi;
        CHECK(error <= kFrequencyBound * static_cast<double>(r));
        worst = std::max(worst, error / static_cast<double>(r));

        const double error_f32 =
            std::abs(double{static_cast<float>(hi[j])} - want_hi) /
            reference::ulp(reference::Format::kF32, want_hi);
        CHECK(error_f32 <= 0.5 + 0x1p-29);
        worst_f32 = std::max(worst_f32, error_f32);
      }
    }
  }
  record("frequencies, x rotary_dim", "any", "2^-103",
         kFrequencyBound * 0x1p103, worst * 0x1p103);
  record("frequencies, as f32", "any", "ulp", 0.5, worst_f32);
}

TEST_CASE("frequencies of a power of two are exact", "[fast][R1]") {
  std::vector<double> hi(8), lo(8);
  frequencies(0x1p16, hi, lo);
  for (std::size_t j = 0; j < hi.size(); ++j) {
    CHECK(hi[j] == std::ldexp(1.0, -2 * static_cast<int>(j)));
    CHECK(lo[j] == 0);
  }
}

}  // namespace
}  // namespace ropeproof::fast
