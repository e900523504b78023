#include "conformance/judge/codec.h"

#include <catch2/catch_test_macros.hpp>
#include <random>

namespace ropeproof::conformance::judge {
namespace {

using reference::Format;

template <Format kFormat>
void compare(std::uint64_t double_bits) {
  const double x = std::bit_cast<double>(double_bits);
  const std::uint64_t want = reference::encode(kFormat, x);
  if (fast_encode(kFormat, x) != want) {
    CAPTURE(x, want);
    FAIL("fast_encode differs");
  }
  const double decoded = reference::decode(kFormat, want);
  const double fast = fast_decode(kFormat, want);
  if (std::bit_cast<std::uint64_t>(decoded) !=
          std::bit_cast<std::uint64_t>(fast) &&
      !std::isnan(decoded)) {
    CAPTURE(decoded, fast);
    FAIL("fast_decode differs");
  }
  if (std::isfinite(x) && std::abs(x) >= 0x1p-1000 &&
      fast_ulp<kFormat>(x) != reference::ulp(kFormat, x)) {
    CAPTURE(x);
    FAIL("fast_ulp differs");
  }
}

void compare_all(std::uint64_t bits) {
  compare<Format::kF64>(bits);
  compare<Format::kF32>(bits);
  compare<Format::kF16>(bits);
  compare<Format::kBF16>(bits);
}

TEST_CASE("the fast formats are the reference's, bit for bit",
          "[conformance][codec]") {
  std::mt19937_64 random(3);
  for (int i = 0; i < 300000; ++i) {
    const std::uint64_t bits = random();
    compare_all(bits);
    // Exponents of every format's range and its edges; few fraction bits, so
    // that ties are common.
    const std::uint64_t exponent = 1023 - 155 + random() % 290;
    const std::uint64_t fraction =
        (bits >> (random() % 64)) & ((1ull << 52) - 1);
    compare_all(bits >> 63 << 63 | exponent << 52 | fraction << 20 >> 20);
    compare_all(exponent << 52 | (bits & 0xffull << 41));
  }
  for (const std::uint64_t bits :
       {0ull, 1ull << 63, 0x7ff0000000000000ull, 0xfff0000000000000ull,
        0x7ff8000000000000ull, 0x40effc0000000000ull, 0x40f0000000000000ull}) {
    compare_all(bits);
  }
  for (std::uint64_t bits = 0; bits < 0x10000; ++bits) {
    compare_all(
        std::bit_cast<std::uint64_t>(reference::decode(Format::kF16, bits)));
    compare_all(
        std::bit_cast<std::uint64_t>(reference::decode(Format::kBF16, bits)));
  }
}

}  // namespace
}  // namespace ropeproof::conformance::judge
