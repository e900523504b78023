// mutants.h -- kernels with one bug each, which the suite must fail.
//
// Each is the exact kernel of test_kernel.h with one knob changed. The bugs are
// ones that engines have shipped.
#ifndef ROPEPROOF_CONFORMANCE_SELFTEST_MUTANTS_H_
#define ROPEPROOF_CONFORMANCE_SELFTEST_MUTANTS_H_

#include <functional>
#include <string>
#include <vector>

#include "conformance/selftest/test_kernel.h"

namespace ropeproof::conformance::selftest {

struct Mutant {
  const char* name;
  std::function<void(Knobs&)> mutate;
};

// Killed by the smoke tier already.
std::vector<Mutant> smoke_mutants();

// Bugs of features that the smoke tier does not combine.
std::vector<Mutant> core_mutants();

}  // namespace ropeproof::conformance::selftest

#endif  // ROPEPROOF_CONFORMANCE_SELFTEST_MUTANTS_H_
