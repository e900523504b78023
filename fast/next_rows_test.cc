#include "fast/next_rows.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "fast/testing.h"

namespace ropeproof::fast {
namespace {

// Whether the row is at hand; then it is the table's, to the bit.
bool has_row(NextRows& rows, const Plan& plan, std::int64_t position) {
  const Table<const void> row = rows.at(position);
  if (row.cos == nullptr) return false;
  const OwnTable want = table_at(plan, {&position, 1});
  const auto numbers = [&](const void* first) {
    return std::span(static_cast<const float*>(first), plan.pairs());
  };
  REQUIRE(same_bits(numbers(row.cos), want.cos));
  REQUIRE(same_bits(numbers(row.sin), want.sin));
  return true;
}

TEST_CASE("rows of the next positions have the bits of a table", "[fast][R2]") {
  on_every_target([](const std::string& target) {
    for (const std::int64_t rotary_dim : kRotaryDims) {
      const Plan plan = plan_of(10000, rotary_dim, 1.25);
      for (const std::int64_t from : kPositions) {
        NextRows rows(plan);
        CAPTURE(target, rotary_dim, from);
        for (std::int64_t i = 0; i < 2 * NextRows::kMost; ++i) {
          if (from + i > std::int64_t{1} << 53) break;
          CHECK(has_row(rows, plan, from + i) == (i >= 2));
        }
      }
    }
  });
}

TEST_CASE("rows are at hand for layers at one position, not for jumps",
          "[fast][R2]") {
  const Plan plan = plan_of(500000, 128);
  NextRows rows(plan);
  const auto are_at_hand = [&](std::initializer_list<std::int64_t> positions) {
    std::string answers;
    for (const std::int64_t p : positions) {
      answers += has_row(rows, plan, p) ? 'y' : 'n';
    }
    return answers;
  };
  CHECK(are_at_hand({7, 7, 7, 7, 8, 8, 9, 10, 11, 12}) == "nnyyyyyyyy");
  CHECK(are_at_hand({1000, 1001, 50, 51, 7, 900, 901}) == "nnnnnnn");
  CHECK(are_at_hand({11, 12, 19, 20, -20, -19, -18, -17}) == "yynnnnyy");
  CHECK(are_at_hand({-18, -14, -19, -18, -16}) == "yynnn");
}

TEST_CASE("no rows of plans that are wide or have axes are kept",
          "[fast][R2]") {
  const std::vector<double> theta(NextRows::kMaxPairs + 1, 0.5);
  const std::vector<std::int32_t> axes(2, 0);
  const std::span<const double> two(theta.data(), 2);
  for (const Plan& plan : {Plan(theta, theta), Plan(two, two, 1, axes),
                           Plan(two, two, 1, {}, two)}) {
    NextRows rows(plan);
    for (int i = 0; i < 4; ++i) CHECK_FALSE(has_row(rows, plan, i));
  }
}

}  // namespace
}  // namespace ropeproof::fast
