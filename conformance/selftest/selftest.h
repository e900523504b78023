// selftest.h -- the suite tested: honest kernels pass and come near their
// bounds, broken ones fail, hostile ones get exactly their verdict.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/cases/corpus.h"
#include "conformance/cover/arrays.h"
#include "conformance/explain/diagnosis.h"
#include "conformance/selftest/fakes.h"
#include "conformance/selftest/tally.h"

namespace ropeproof::conformance::selftest {

struct SelftestOptions {
  std::string fast_library;  // a builtin kernel of class A0; empty: none
  FakePlaces fakes;          // no libraries: no fakes
  std::shared_ptr<const cover::Arrays> arrays;  // what is formed; not null
  // The faults of three classes, too, on the full tier.
  bool with_three = false;
  // Every so many mutants one is diagnosed, from the first on; at least 1.
  std::size_t diagnosed_every = 1;
};

struct MutantRow {
  std::string name;
  cases::Bug bug;
  bool is_hypothesis = false;  // as Mutant says
  std::string killed_by;       // "smoke", "core, formed"
  // None: it is not diagnosed.
  std::optional<std::vector<explain::Diagnosis>> found;
};

struct SelftestReport {
  Tally controls, mutants, fakes;
  Tally named;                   // of those diagnosed that are no hypothesis
  Tally named_themselves;        // of the others that are diagnosed
  bool spares_right_one = true;  // a kernel without a bug fails nowhere
  bool finds_faults = true;      // as many as FaultFigures::holds asks for
  // Diagnoses of what is right: of the controls, and of the kernel without a
  // bug.
  std::size_t false_names = 0;
  std::vector<MutantRow> rows;
  std::string text;  // a line for each, and the scores

  bool holds() const {
    return controls.holds() && mutants.holds() && named.holds() &&
           named_themselves.holds() && fakes.holds() && spares_right_one &&
           finds_faults && false_names == 0 && controls.all > 0 &&
           mutants.all > 0;
  }
};

// Cost: seconds.
SelftestReport run_selftest(const cases::Corpus& corpus,
                            const SelftestOptions& options);

// "110 of 110 mutants killed, 102 of 110 named, 0 false names"
std::string score_text(const SelftestReport& report);

// Markdown: the score, and a row for each mutant: its bug's class, the smallest
// tier that kills it, and the name that a diagnosis gives it, a wrong one in
// bold.
std::string mutant_table(const SelftestReport& report);

}  // namespace ropeproof::conformance::selftest
