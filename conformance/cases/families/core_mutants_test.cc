// Which family of the core tier notices which bug.
#include <catch2/catch_test_macros.hpp>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>

#include "conformance/cases/test_corpus.h"
#include "conformance/check/runner.h"
#include "conformance/diagnosis/knob_kernel.h"
#include "conformance/selftest/mutants.h"

namespace ropeproof::conformance::cases {
namespace {

// The families of the core tier alone: what the smoke tier would find as well.
Corpus core_alone() {
  Corpus corpus = committed();
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
                                    const selftest::Mutant& mutant) {
  selftest::MutantKernel kernel(mutant);
  check::Selection selection;
  selection.operations = {"rope"};
  diagnosis::Knobs knobs;
  mutant.mutate(knobs);
  if (knobs.misread) selection.operations.push_back("rotate");
  selection.values_only = true;
  std::map<std::string, int> groups;
  for (const check::Check& check :
       check::run_suite(kernel, corpus, selection).checks) {
    if (check.verdict != check::Verdict::kFail) continue;
    ++groups[check.case_id.substr(0, check.case_id.rfind('-'))];
  }
  return groups;
}

TEST_CASE("families of the core tier notice every bug without the smoke tier",
          "[conformance][core][mutants]") {
  // What wide calls and gaps between axes show, and no other family.
  const std::map<std::string_view, std::string> only_in = {
      {"heads of several pairs not rotated from the 16th on", "core-wide"},
      {"pairs from the 128th on not rotated", "core-wide"},
      {"tokens of several pairs not rotated from the 256th on", "core-wide"},
      {"axis stride of the positions ignored", "core-axes"}};
  const Corpus corpus = core_alone();
  CHECK(failures(corpus, {"none", "", [](diagnosis::Knobs&) {}}).empty());
  std::vector<selftest::Mutant> mutants = selftest::smoke_mutants();
  for (selftest::Mutant& mutant : selftest::core_mutants())
    mutants.push_back(std::move(mutant));
  std::size_t found = 0;
  for (const selftest::Mutant& mutant : mutants) {
    CAPTURE(mutant.name);
    const auto groups = failures(corpus, mutant);
    CHECK_FALSE(groups.empty());
    std::string line;
    for (const auto& [group, checks] : groups) {
      line += " " + group.substr(5) + " " + std::to_string(checks);
    }
    std::printf("%-46s%s\n", mutant.name, line.c_str());
    const auto only = only_in.find(mutant.name);
    if (only == only_in.end()) continue;
    CHECK(groups.contains(only->second));
    CHECK(groups.size() == 1);
    ++found;
  }
  CHECK(found == only_in.size());
}

}  // namespace
}  // namespace ropeproof::conformance::cases
