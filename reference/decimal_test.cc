// Decimals written out by hand.
#include "reference/decimal.h"

#include <catch2/catch_test_macros.hpp>

namespace ropeproof::reference {
namespace {

TEST_CASE("a decimal is rounded once, ties to even, to the digits asked for",
          "[reference][decimal]") {
  CHECK(to_decimal(0, 1) == "0.0");
  CHECK(to_decimal(-215.041453279, 4) == "-215.0415");
  CHECK(to_decimal(0x1p60, 1) == "1152921504606846976.0");
  CHECK(to_decimal(0.1, 18) == "0.100000000000000006");
  CHECK(to_decimal(0.125, 2) == "0.12");
  CHECK(to_decimal(0.375, 2) == "0.38");
  CHECK(to_decimal(9.96875, 1) == "10.0");
  // Just beside: the double nearest to 0.15 lies below it.
  CHECK(to_decimal(0.15, 1) == "0.1");
}

TEST_CASE("what rounds to zero has no sign", "[reference][decimal]") {
  CHECK(to_decimal(-0.0, 2) == "0.00");
  CHECK(to_decimal(-0.004, 2) == "0.00");
  CHECK(to_decimal(-0.006, 2) == "-0.01");
  CHECK(to_decimal(0x1p-1074, 18) == "0.000000000000000000");
}

}  // namespace
}  // namespace ropeproof::reference
