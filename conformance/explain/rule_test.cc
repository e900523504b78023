#include "conformance/explain/rule.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>

#include "conformance/explain/where.h"

namespace ropeproof::conformance::explain {
namespace {

using Kind = Place::Kind;

// Sizes without a pattern.
std::int64_t drawn(std::size_t i, std::size_t k) {
  return static_cast<std::int64_t>((i * 2654435761u + k * 40503u) % 9973 % 251);
}

// Bits without a pattern in common with those sizes: of splitmix64.
std::uint64_t mixed(std::uint64_t i) {
  std::uint64_t x = (i + 1) * 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

// Answers of many sizes from the `first` on, where is(facts) those that are
// struck.
template <class Is>
Seen seen(std::size_t first, std::size_t count, const Is& is) {
  Seen some;
  for (std::size_t i = first; i < first + count; ++i) {
    Facts facts;
    for (std::size_t k = 0; k < 12; ++k) {
      facts["size " + std::to_string(k)] = drawn(i, 977 * k + 13);
    }
    (is(i, facts) ? some.struck : some.spared).push_back({facts, i});
  }
  return some;
}
template <class Is>
Rule rule(std::size_t count, const Is& is) {
  const Seen some = seen(0, count, is);
  return rule_of(some.struck, some.spared);
}

bool is_large(std::size_t, const Facts& facts) {
  return std::get<std::int64_t>(facts.at("size 3")) > 128;
}

// Fresh answers, `count` a round.
template <class Is>
auto fresh(std::size_t count, const Is& is) {
  return [=](int round, const Rule&) {
    return seen(1000 + 500 * static_cast<std::size_t>(round), count, is);
  };
}

TEST_CASE("a threshold that many answers show is told", "[conformance]") {
  const Rule found = rule(300, is_large);
  REQUIRE(found.place.kind == Kind::kRule);
  CHECK(found.place.rule.starts_with("size 3 > 12"));
  CHECK(found.holds({{"size 3", std::int64_t{200}}}));
  CHECK(!found.holds({{"size 3", std::int64_t{20}}}));
}

TEST_CASE("a threshold is told as the roundest number that parts as well",
          "[conformance]") {
  std::vector<Sighting> struck, spared;
  for (std::size_t i = 0; i < 40; ++i) {
    const auto size = static_cast<std::int64_t>(i < 20 ? 900 + i : 1100 + i);
    (i < 20 ? spared : struck).push_back({{{"size", size}}, i});
  }
  CHECK(rule_of(struck, spared).place.rule == "size > 1024");
}

TEST_CASE("what a number leaves when it is divided is a rule",
          "[conformance]") {
  const auto found = rule(1000, [](std::size_t, const Facts& facts) {
    return std::get<std::int64_t>(facts.at("size 5")) % 10 == 7;
  });
  CHECK(found.place.rule == "size 5 modulo 10 is 7");
}

TEST_CASE("a rule is told once fresh answers confirm it", "[conformance]") {
  const auto is_any = [](std::size_t i, const Facts&) { return i % 3 == 0; };
  const Seen some = seen(0, 100, is_large);
  CHECK(confirmed_rule(some, true, fresh(200, is_large)).place.rule ==
        "size 3 > 128");
  CHECK(confirmed_rule(some, true, fresh(200, is_any)).place.kind ==
        Kind::kNoSimpleRule);
  // Nobody answers; and nothing spared is everywhere, until something is.
  CHECK(confirmed_rule(some, false, [](int, const Rule&) {
          return Seen();
        }).place.kind == Kind::kRule);
  const Seen all{some.struck, {}};
  CHECK(confirmed_rule(all, false, [&](int, const Rule&) {
          return all;
        }).place.kind == Kind::kEverywhere);
  CHECK(confirmed_rule(all, false, fresh(200, is_large)).place.rule ==
        "size 3 > 128");
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

TEST_CASE("what holds for all that is struck is told, though it spares some",
          "[conformance]") {
  // A third of what is large is struck: of a bug that needs numbers of a kind.
  const auto is_some = [](std::size_t i, const Facts& facts) {
    return is_large(i, facts) && mixed(i) % 3 == 0;
  };
  const Seen some = seen(0, 200, is_some);
  const Place told = confirmed_rule(some, true, fresh(60, is_some)).place;
  CHECK(told.kind == Kind::kWithin);
  CHECK(told.word().starts_with("size 3 > 1"));
  CHECK(Place::of_word(told.word()) == told);
  // Nobody answers, or what is struck there is small, too.
  const auto is_any = [](std::size_t i, const Facts&) { return i % 5 == 0; };
  CHECK(confirmed_rule(some, true, [](int, const Rule&) {
          return Seen();
        }).place.kind == Kind::kNoSimpleRule);
  CHECK(confirmed_rule(some, true, fresh(60, is_any)).place.kind ==
        Kind::kNoSimpleRule);
}

TEST_CASE("a term that another one says, too, is not told", "[conformance]") {
  Seen some;
  for (std::size_t i = 0; i < 400; ++i) {
    for (std::int64_t pair = 0; pair < (i % 2 == 0 ? 12 : 1); ++pair) {
      (pair > 6 && mixed(i) % 2 == 0 ? some.struck : some.spared)
          .push_back({{{"index of the pair", pair}}, i});
    }
  }
  // "> 0" parts answers, too, and is tried first.
  CHECK(rule_of(some.struck, some.spared).place.rule ==
        "index of the pair > 1");
}

TEST_CASE("what whole tiles of a loop leave is a rule", "[conformance]") {
  std::vector<Sighting> struck, spared;
  for (std::int64_t count = 1; count <= 30; ++count) {
    for (std::int64_t i = 0; i < count; ++i) {
      (i < count / 3 * 3 ? spared : struck)
          .push_back(
              {{{"index of the token", i}, {"tokens behind it", count - 1 - i}},
               static_cast<std::size_t>(count)});
    }
  }
  CHECK(rule_of(struck, spared).place.rule ==
        "index of the token is behind whole tiles of 3");
}

TEST_CASE("what strikes answers without a reason has no rule",
          "[conformance]") {
  for (const std::size_t each : {3u, 7u, 20u, 60u, 150u}) {
    CAPTURE(each);
    const Rule found = rule(
        300, [&](std::size_t i, const Facts&) { return mixed(i) % each == 0; });
    CHECK(found.place.kind == Kind::kNoSimpleRule);
  }
}

TEST_CASE("one answer of many is no ground for a rule of two terms",
          "[conformance]") {
  const Rule found =
      rule(300, [](std::size_t i, const Facts&) { return i == 17; });
  CHECK(found.place.kind == Kind::kNoSimpleRule);
}

TEST_CASE(
    "a rotation that ends early has the class of its loop, a lost sine none",
    "[conformance]") {
  Rule where;
  where.terms = {{.words = "index of the token modulo 16 is 15",
                  .facts = {{Owner::kElement, Subject::kTokens}}}};
  CHECK(bug_at(wrong::known("not rotated"), where) ==
        cases::Bug("shape/32-bit-overflow"));
  CHECK(bug_at(wrong::known("sine lost"), where) ==
        cases::Bug("rotation/sine-lost"));
}

}  // namespace
}  // namespace ropeproof::conformance::explain
