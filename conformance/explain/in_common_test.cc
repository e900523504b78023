#include "conformance/explain/in_common.h"

#include <catch2/catch_test_macros.hpp>

namespace ropeproof::conformance::explain {
namespace {

Facts facts(std::int64_t head_dim, const char* pairing, double base = 10000) {
  return {{"head_dim", head_dim}, {"pairing", pairing}, {"base", base}};
}

// Conditions with the number of cases that each explains.
std::vector<std::pair<std::string, std::size_t>> found(
    const std::vector<Facts>& members, const std::vector<Facts>& others) {
  std::vector<std::pair<std::string, std::size_t>> all;
  for (const Condition& condition : in_common(members, others)) {
    all.emplace_back(condition.words(), condition.members.size());
  }
  return all;
}

using Found = std::vector<std::pair<std::string, std::size_t>>;

TEST_CASE("the condition that holds for some cases and no other is named",
          "[conformance][report]") {
  const std::vector<Facts> others = {facts(64, "half_split"),
                                     facts(128, "interleaved")};
  CHECK(found({facts(63, "half_split"), facts(7, "interleaved"),
               facts(127, "half_split")},
              others) == Found{{"head_dim is odd", 3}});
  CHECK(found({facts(256, "half_split"), facts(512, "half_split")}, others) ==
        Found{{"head_dim > 128", 2}});
  CHECK(found({facts(64, "half_split", 500000)}, others) ==
        Found{{"base is 500000", 1}});
  CHECK(found({facts(64, "interleaved")}, others) ==
        Found{{"pairing is interleaved and head_dim is 64", 1}});
  const std::vector<Facts> given = {facts(64, "half_split", 500000),
                                    facts(128, "interleaved", 10000)};
  std::vector<Facts> lacking = given;
  for (Facts& one : lacking) one.erase("base");
  CHECK(found(given, lacking) == Found{{"base is given", 2}});
  CHECK(found(lacking, given) == Found{{"no base is given", 2}});
}

TEST_CASE("several conditions part what one does not",
          "[conformance][report]") {
  const std::vector<Facts> others = {facts(64, "half_split")};
  CHECK(found({facts(63, "half_split"), facts(65, "half_split"),
               facts(64, "interleaved")},
              others) ==
        Found{{"head_dim is odd", 2}, {"pairing is interleaved", 1}});
}

TEST_CASE("equal cases are parted by nothing", "[conformance][report]") {
  CHECK(found({facts(64, "half_split")}, {facts(64, "half_split")}) ==
        Found{{"", 1}});
  CHECK(found({facts(64, "half_split")}, {}) == Found{{"every case", 1}});
  CHECK(found({}, {facts(64, "half_split")}).empty());
}

}  // namespace
}  // namespace ropeproof::conformance::explain
