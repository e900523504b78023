// selftest.h -- the suite tested: honest kernels pass and come near their
// bounds, broken ones fail, hostile ones get exactly their verdict.
#ifndef ROPEPROOF_CONFORMANCE_SELFTEST_SELFTEST_H_
#define ROPEPROOF_CONFORMANCE_SELFTEST_SELFTEST_H_

#include <memory>
#include <string>

#include "conformance/cases/corpus.h"
#include "conformance/cover/arrays.h"
#include "conformance/selftest/fakes.h"
#include "conformance/selftest/mutants.h"
#include "conformance/selftest/tally.h"

namespace ropeproof::conformance::selftest {

struct SelftestOptions {
  std::string fast_library;  // a builtin kernel of class A0; empty: none
  FakePlaces fakes;          // no libraries: no fakes
  // What is formed for each kernel; null: no faults.
  std::shared_ptr<const cover::Arrays> arrays;
  bool with_full = false;  // the faults of three classes, too
};

struct SelftestReport {
  Tally controls, mutants, fakes;
  bool finds_faults = true;  // as many as FaultFigures::holds asks for
  std::string text;          // a line for each, and the scores

  bool holds() const {
    return controls.holds() && mutants.holds() && fakes.holds() &&
           finds_faults && controls.all > 0 && mutants.all > 0;
  }
};

// Whether a mutant fails on a tier.
bool is_killed(const Mutant& mutant, const cases::Corpus& corpus,
               const std::string& tier);

// Cost: seconds.
SelftestReport run_selftest(const cases::Corpus& corpus,
                            const SelftestOptions& options);

}  // namespace ropeproof::conformance::selftest

#endif  // ROPEPROOF_CONFORMANCE_SELFTEST_SELFTEST_H_
