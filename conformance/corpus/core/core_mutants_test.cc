// Which family of the core tier notices which bug.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/corpus/corpus.h"
#include "conformance/selftest/mutants.h"
#include "conformance/verdict/runner.h"
#include "conformance/verdict/test_kernel.h"

namespace ropeproof::conformance {
namespace {

// The families of the core tier alone: what the smoke tier would find as well.
Corpus core_alone() {
  Corpus corpus = load_corpus(ROPEPROOF_VECTORS_DIR);
  std::erase_if(corpus.groups, [](const Group& group) {
    return !group.name.starts_with("core-") || group.rope_cases.empty();
  });
  // The mutants read whole positions.
  for (Group& group : corpus.groups) {
    std::erase_if(group.rope_cases,
                  [](const RopeCase& c) { return c.has_real_positions(); });
  }
  return corpus;
}

// Group -> checks that a kernel fails.
std::map<std::string, int> failures(const Corpus& corpus,
                                    const Mutant& mutant) {
  Knobs knobs = exact_knobs();
  mutant.mutate(knobs);
  TestKernel kernel(full_description(ROPEPROOF_A0), knobs);
  Selection selection;
  selection.operations = {"rope"};
  if (knobs.misread) selection.operations.push_back("rotate");
  std::map<std::string, int> groups;
  for (const Check& check : run_suite(kernel, corpus, selection).checks) {
    if (check.verdict != Verdict::kFail) continue;
    ++groups[check.case_id.substr(0, check.case_id.rfind('-'))];
  }
  return groups;
}

TEST_CASE("families of the core tier notice every bug without the smoke tier",
          "[conformance][core][mutants]") {
  const Corpus corpus = core_alone();
  CHECK(failures(corpus, {"none", [](Knobs&) {}}).empty());
  std::vector<Mutant> mutants = smoke_mutants();
  for (Mutant& mutant : core_mutants()) mutants.push_back(std::move(mutant));
  // Runs off the end of an empty batch, in this very process.
  std::erase_if(mutants, [](const Mutant& mutant) {
    return mutant.name == std::string("only batch row 0");
  });
  for (const Mutant& mutant : mutants) {
    CAPTURE(mutant.name);
    const auto groups = failures(corpus, mutant);
    CHECK_FALSE(groups.empty());
    std::string line;
    for (const auto& [group, checks] : groups) {
      line += " " + group.substr(5) + " " + std::to_string(checks);
    }
    std::printf("%-46s%s\n", mutant.name, line.c_str());
  }
}

TEST_CASE("wide calls and gaps between axes show what no other case shows",
          "[conformance][core][mutants]") {
  struct Expected {
    std::string_view mutant, group;
    bool is_only_one;  // that notices it
  };
  constexpr Expected kExpected[] = {
      {"heads from the 16th on not rotated", "core-wide", false},
      {"pairs from the 128th on not rotated", "core-wide", true},
      {"tokens from the 256th on not rotated", "core-wide", false},
      {"position axis stride ignored", "core-axes", true}};
  const Corpus corpus = core_alone();
  for (const Expected& expected : kExpected) {
    CAPTURE(expected.mutant);
    const std::vector<Mutant> mutants = core_mutants();
    const auto found =
        std::ranges::find(mutants, expected.mutant, &Mutant::name);
    REQUIRE(found != mutants.end());
    const auto groups = failures(corpus, *found);
    CHECK(groups.contains(std::string(expected.group)));
    if (expected.is_only_one) CHECK(groups.size() == 1);
  }
}

}  // namespace
}  // namespace ropeproof::conformance
