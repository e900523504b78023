// fakes.h -- kernels that are hostile or lie: each must get exactly its verdict
// and exit status.
#pragma once

#include <string>

#include "conformance/cases/corpus.h"
#include "conformance/selftest/fakes/expected.h"

namespace ropeproof::conformance::selftest {

struct FakeScore {
  std::string name;  // "writes_past_end, guard page at the end"
  std::string want;  // "CRASH, exit status 1, \"...\""
  std::string got;   // the same, as it came
  bool is_right = false;
};

// Where the fakes are. A library that was not built is a fault of the suite.
struct FakePlaces {
  std::string libraries;  // folder of NAME.so
  std::string process;    // command to which a name is added; empty: no process
};

// Runs one fake on a case that it offers. Never throws for what a fake does.
FakeScore score(const ExpectedFake& fake, const FakePlaces& places,
                const cases::Corpus& corpus);

}  // namespace ropeproof::conformance::selftest
