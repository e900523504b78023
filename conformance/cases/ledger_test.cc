// The ledger: what may change about committed cases, and what may not.
#include "conformance/cases/ledger.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "conformance/cases/encoding_case.h"
#include "conformance/cases/test_corpus.h"
#include "conformance/cases/test_groups.h"

namespace ropeproof::conformance::cases {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("the committed vectors are what the ledger says",
          "[conformance][ledger]") {
  const std::string text = text::read_file(kVectors / "LEDGER.txt");
  const Ledger ledger = read_ledger(text, "LEDGER.txt");
  CHECK(write_ledger(ledger) == text);
  // Nothing is refused, nothing is new.
  CHECK(extended(ledger, committed().groups, load_encodings(kVectors), "9")
            .size() == ledger.size());
}

TEST_CASE("new cases are appended, with the version that they came with",
          "[conformance][ledger]") {
  std::vector<Group> groups = {plain_group()};
  const Ledger first = extended({}, groups, {}, "1.0.0");
  REQUIRE(first.size() == 3);
  groups = test_groups();
  std::ranges::reverse(groups);
  const Ledger second = extended(first, groups, {}, "1.1.0");
  CHECK(write_ledger(second).starts_with(write_ledger(first)));
  CHECK(second.back().since == "1.1.0");
  CHECK(write_ledger(extended(second, groups, {}, "2.0.0")) ==
        write_ledger(second));
}

TEST_CASE("words about a case may improve, its content may not",
          "[conformance][ledger]") {
  std::vector<Group> groups = test_groups();
  const Ledger ledger = extended({}, groups, {}, "1");
  const auto refused = [&] {
    return refusal([&] { extended(ledger, groups, {}, "2"); });
  };
  Case& c = groups[0].rope_cases[1];
  REQUIRE(c.id == "plain-002");
  SECTION("comment, targets, certificate") {
    c.comment = "better words";
    c.targets = {"layout/pairs-swapped", "frequency/wrong-base"};
    c.golden.precision_bits = 513;
    groups[0].is_bulk = true;
    CHECK(refused() == "accepted");
    return;
  }
  SECTION("an expected value") { c.golden.q.push_back(1); }
  SECTION("an input") { c.problem.q[0] ^= 1; }
  SECTION("a parameter") { c.problem.spec.frequencies.base = 7; }
  CHECK_THAT(refused(), ContainsSubstring("plain-002") &&
                            ContainsSubstring("give the changed case a new") &&
                            !ContainsSubstring("\n"));
}

TEST_CASE("a case that vanishes must be retired, and stays so",
          "[conformance][ledger]") {
  std::vector<Group> groups = test_groups();
  Ledger ledger = extended({}, groups, {}, "1");
  groups[3].reject_cases.pop_back();
  const auto refused = [&] {
    return refusal([&] { extended(ledger, groups, {}, "2"); });
  };
  CHECK_THAT(refused(), ContainsSubstring("reject-002") &&
                            ContainsSubstring("retired: reason"));
  const auto entry = std::ranges::find(ledger, "reject-002", &LedgerEntry::id);
  entry->retired = "it asked for the impossible";
  CHECK(refused() == "accepted");

  groups = test_groups();
  CHECK_THAT(refused(), ContainsSubstring("reject-002") &&
                            ContainsSubstring("is retired"));
}

TEST_CASE("generating refuses what the ledger refuses, before it writes",
          "[conformance][ledger]") {
  std::vector<Group> groups = test_groups();
  const Ledger ledger = extended({}, groups, {}, "1");
  groups[0].rope_cases[0].problem.q[0] ^= 1;
  CHECK_THROWS_AS(
      corpus_files(groups, reference::Oracle::kBinFloat, "2", ledger),
      text::FileError);
}

TEST_CASE("a ledger that is none is refused by its line",
          "[conformance][ledger]") {
  const std::string digest(64, 'a');
  const auto read = [](const std::string& text) {
    return refusal([&] { read_ledger(text, "L"); });
  };
  const std::string good = "a-001  " + digest + "  1\n";
  CHECK(read(good + "b-001  " + digest + "  1  retired: wrong\n") ==
        "accepted");
  CHECK_THAT(read(good + good), ContainsSubstring("L:2: id a-001 occurs"));
  const std::vector<std::string> wrong = {"a-001",
                                          "a-001  " + digest,
                                          "a-001  12ab  1",
                                          "a-001  " + digest + "  1  gone",
                                          "a-001  " + digest + "  1  retired: ",
                                          ""};
  for (const std::string& line : wrong) {
    CHECK_THAT(read(line + "\n"), ContainsSubstring("L:1: expected id"));
  }
}

}  // namespace
}  // namespace ropeproof::conformance::cases
