#include "reference/fused/stored.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <random>

namespace ropeproof::reference::fused {
namespace {

constexpr Stored kTypes[] = {Stored::kE4M3, Stored::kE5M2, Stored::kInt8};

// The number of the type nearest to t, or the next one towards 0.
double stored(Stored type, double t, bool is_cut = false) {
  double best = std::numeric_limits<double>::quiet_NaN();
  for (int byte = 0; byte < 256; ++byte) {
    const double number = decode(type, static_cast<std::uint8_t>(byte));
    if (!std::isfinite(number)) continue;
    if (is_cut && (std::abs(number) > std::abs(t) || number * t < 0)) continue;
    if (std::isnan(best) || std::abs(number - t) < std::abs(best - t)) {
      best = number;
    }
  }
  return best;
}

// The largest error over the bound of numbers within the type's range.
double largest_ratio(Stored type, bool is_cut) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<float> signs(-1, 1), exponents(-12, 5);
  double worst = 0;
  for (int i = 0; i < 4000; ++i) {
    const float y = signs(random) * std::exp2(exponents(random));
    const float scale = 0.3f;
    const float t = y * (1 / scale);
    const double exact = static_cast<double>(y) / static_cast<double>(scale);
    const double error = std::abs(stored(type, t, is_cut) - exact);
    worst = std::max(worst, error / (stored_error(type) * std::abs(exact) +
                                     traits(type).half_step));
  }
  return worst;
}

TEST_CASE("bytes of 8-bit types are the numbers of their standards",
          "[reference][fused]") {
  CHECK(decode(Stored::kE4M3, 0x7e) == 448);
  CHECK(decode(Stored::kE4M3, 0x08) == 0x1p-6);
  CHECK(decode(Stored::kE4M3, 0x01) == 0x1p-9);
  CHECK(decode(Stored::kE4M3, 0xb8) == -1);
  CHECK(std::isnan(decode(Stored::kE4M3, 0xff)));
  CHECK(decode(Stored::kE5M2, 0x7b) == 57344);
  CHECK(decode(Stored::kE5M2, 0x01) == 0x1p-16);
  CHECK(decode(Stored::kE5M2, 0x3c) == 1);
  CHECK(std::isinf(decode(Stored::kE5M2, 0xfc)));
  CHECK(decode(Stored::kInt8, 0x80) == -128);
  CHECK(decode(Stored::kInt8, 0x7f) == 127);
}

TEST_CASE("the nearest number is within the error of its type, and near it",
          "[reference][fused]") {
  for (const Stored type : kTypes) {
    const double ratio = largest_ratio(type, false);
    CAPTURE(static_cast<int>(type), ratio);
    CHECK(ratio <= 1);
    CHECK(ratio > 0.45);
  }
}

TEST_CASE("a number that is cut off is beyond the error of its type",
          "[reference][fused]") {
  for (const Stored type : kTypes) {
    CAPTURE(static_cast<int>(type));
    CHECK(largest_ratio(type, true) > 1);
  }
}

}  // namespace
}  // namespace ropeproof::reference::fused
