#include "conformance/explain/rule.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>

namespace ropeproof::conformance::explain {
namespace {

using Kind = Place::Kind;

// Sizes without a pattern.
std::int64_t drawn(std::size_t i, std::size_t k) {
  return static_cast<std::int64_t>((i * 2654435761u + k * 40503u) % 9973 % 251);
}

// Answers of many sizes, where is(facts) those that are struck.
template <class Is>
Rule rule(std::size_t count, const Is& is) {
  std::vector<Sighting> struck, spared;
  for (std::size_t i = 0; i < count; ++i) {
    Facts facts;
    for (std::size_t k = 0; k < 12; ++k) {
      facts["size " + std::to_string(k)] = drawn(i, 977 * k + 13);
    }
    (is(i, facts) ? struck : spared).push_back({facts, i});
  }
  return rule_of(struck, spared);
}

TEST_CASE("a threshold that many answers show is told", "[conformance]") {
  const Rule found = rule(300, [](std::size_t, const Facts& facts) {
    return std::get<std::int64_t>(facts.at("size 3")) > 128;
  });
  REQUIRE(found.place.kind == Kind::kRule);
  CHECK(found.place.rule.starts_with("size 3 > 12"));
  REQUIRE(found.conditions.size() == 1);
  CHECK(found.conditions[0].holds({{"size 3", std::int64_t{200}}}));
  CHECK(!found.conditions[0].holds({{"size 3", std::int64_t{20}}}));
}

TEST_CASE("a rule that few answers escape is told", "[conformance]") {
  std::vector<Sighting> struck, spared;
  for (std::size_t i = 0; i < 21; ++i) {
    const auto seq = static_cast<std::int64_t>(i < 6 ? 1 : i);
    (i < 6 ? spared : struck)
        .push_back({{{"seq", seq}, {"size", drawn(i, 7)}}, i});
  }
  CHECK(rule_of(struck, spared).place.rule == "seq > 1");
}

TEST_CASE("what strikes answers without a reason has no rule",
          "[conformance]") {
  for (const std::size_t each : {3u, 7u, 20u, 60u, 150u}) {
    CAPTURE(each);
    const Rule found = rule(300, [&](std::size_t i, const Facts&) {
      return (i * 2246822519u >> 7) % each == 0;
    });
    CHECK(found.place.kind == Kind::kNoSimpleRule);
  }
}

TEST_CASE("one answer of many is no ground for a rule of two terms",
          "[conformance]") {
  const Rule found =
      rule(300, [](std::size_t i, const Facts&) { return i == 17; });
  CHECK(found.place.kind == Kind::kNoSimpleRule);
}

}  // namespace
}  // namespace ropeproof::conformance::explain
