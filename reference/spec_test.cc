// What is refused, and in which words.
#include "reference/spec.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>

#include "reference/golden.h"

namespace ropeproof::reference {
namespace {

Spec good() {
  return {leading(8, 4, Pairing::kInterleaved), {}, Direction::kForward};
}

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

std::string refusal(const std::function<void(Spec&)>& change) {
  Spec spec = good();
  change(spec);
  const std::string why = refusal([&] { validate(spec); });
  // Every way in refuses the same.
  const std::int64_t positions[] = {0};
  const double x[8] = {};
  using enum Oracle;
  CHECK(refusal([&] { golden_frequencies(kBinFloat, spec); }) == why);
  CHECK(refusal([&] { golden_table(kBinFloat, spec, positions); }) == why);
  CHECK(refusal([&] {
          golden_rope(kBinFloat, spec, {1, 1, 1}, positions, x);
        }) == why);
  return why;
}

TEST_CASE("a specification out of range is refused by field, value and range",
          "[reference][spec]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(refusal([](Spec&) {}) == "accepted");
  CHECK(refusal([](Spec& s) { s.layout.head_dim = 1; }) ==
        "head_dim is 1; expected 2 .. 1048576");
  CHECK(refusal([](Spec& s) { s.layout.rotary_dim = 3; }) ==
        "rotary_dim is 3; expected an even number");
  CHECK(refusal([](Spec& s) { s.layout.rotary_dim = 10; }) ==
        "rotary_dim is 10; expected 2 .. 8");
  CHECK(refusal([](Spec& s) { s.layout.rotary_dim = 0; }) ==
        "rotary_dim is 0; expected 2 .. 8");
  CHECK(refusal([](Spec& s) { s.layout.rotary_offset = 5; }) ==
        "rotary_offset is 5; expected 0 .. 4");
  CHECK(refusal([](Spec& s) { s.layout.rotary_offset = -1; }) ==
        "rotary_offset is -1; expected 0 .. 4");
  CHECK(refusal([](Spec& s) { s.frequencies.base = 0; }) ==
        "base is 0.000000; expected a finite number > 0");
  CHECK(refusal([](Spec& s) { s.frequencies.base = -2; }) ==
        "base is -2.000000; expected a finite number > 0");
  CHECK(refusal([&](Spec& s) { s.frequencies.base = nan; }) ==
        "base is nan; expected a finite number > 0");
  CHECK(refusal([](Spec& s) { s.frequencies.base = HUGE_VAL; }) ==
        "base is inf; expected a finite number > 0");
  CHECK(refusal([&](Spec& s) { s.frequencies.amplitude = nan; }) ==
        "amplitude is nan; expected a finite number");
  CHECK(refusal([](Spec& s) { s.frequencies.inv_freq = {1}; }) ==
        "inv_freq is 1 long; expected rotary_dim/2 = 2 entries");
  CHECK(refusal([](Spec& s) {
          s.frequencies.inv_freq = {1, -HUGE_VAL};
        }) == "inv_freq is -inf; expected finite numbers");
}

TEST_CASE("a base that given frequencies replace does not matter",
          "[reference][spec]") {
  CHECK(refusal([](Spec& s) {
          s.frequencies.base = 0;
          s.frequencies.inv_freq = {1, 0.5};
        }) == "accepted");
}

TEST_CASE("positions are refused beyond 2^53 on either side",
          "[reference][spec]") {
  const auto at = [](std::int64_t position) {
    return refusal([&] { validate_position(position); });
  };
  CHECK(at(kMaxPosition) == "accepted");
  CHECK(at(-kMaxPosition) == "accepted");
  const std::string range = "; expected -9007199254740992 .. 9007199254740992";
  CHECK(at(kMaxPosition + 1) == "position is 9007199254740993" + range);
  CHECK(at(-kMaxPosition - 1) == "position is -9007199254740993" + range);
  CHECK(at(std::numeric_limits<std::int64_t>::min()) ==
        "position is -9223372036854775808" + range);

  const std::int64_t beyond[] = {0, kMaxPosition + 1};
  CHECK(refusal([&] { golden_table(Oracle::kBinFloat, good(), beyond); }) ==
        "position is 9007199254740993" + range);
}

TEST_CASE("shapes, sizes and values that do not fit are refused",
          "[reference][spec]") {
  const auto rope = [](const Shape& shape, std::vector<std::int64_t> positions,
                       std::vector<double> x) {
    return refusal(
        [&] { golden_rope(Oracle::kBinFloat, good(), shape, positions, x); });
  };
  const std::vector<double> x(16, 1.0);
  CHECK(rope({1, 2, 1}, {0, 0}, x) == "accepted");
  CHECK(rope({0, 2, 1}, {}, {}) == "accepted");
  CHECK(rope({1, 2, 1}, {0}, x) == "positions has 1 entries; expected 2");
  CHECK(rope({1, 2, 2}, {0, 0}, x) == "x has 16 entries; expected 32");
  CHECK(rope({-1, 2, 1}, {0, 0}, x) ==
        "batch is -1; expected 0 .. 1099511627776");
  CHECK(rope({1, -2, 1}, {0, 0}, x) ==
        "seq is -2; expected 0 .. 1099511627776");
  CHECK(rope({1, 2, -1}, {0, 0}, x) ==
        "heads is -1; expected 0 .. 549755813888");
  // Sizes that do not fit 64 bits are refused, not multiplied.
  const std::int64_t many = std::int64_t{1} << 40;
  CHECK(rope({many, 1, 1}, {0, 0}, x) ==
        "positions has 2 entries; expected 1099511627776");
  CHECK(rope({many, many, 1}, {}, {}) ==
        "seq is 1099511627776; expected 0 .. 1");
  CHECK(rope({many / 4, 4, many}, {}, {}) ==
        "heads is 1099511627776; expected 0 .. 1");

  for (const double bad : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    std::vector<double> y = x;
    y[7] = bad;  // outside the window: no golden either
    CHECK(rope({1, 2, 1}, {0, 0}, y) ==
          "x holds " + std::to_string(bad) + "; expected finite numbers");
  }
}

}  // namespace
}  // namespace ropeproof::reference
