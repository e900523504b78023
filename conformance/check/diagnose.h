// diagnose.h -- explains the failing checks of a run.
#pragma once

#include <vector>

#include "conformance/cases/corpus.h"
#include "conformance/check/run.h"
#include "conformance/explain/diagnosis.h"

namespace ropeproof::conformance::check {

// The faults: of wrong answers and crashes (explain/explain.h), then broken
// promises, those of most checks first; none for a run without failing checks.
// `corpus` is the run's. A kernel that is given is asked again, to see where
// its bugs strike: some hundred small calls for each.
std::vector<explain::Diagnosis> diagnose(const Run& run,
                                         const cases::Corpus& corpus,
                                         plugin::Kernel* kernel = nullptr);

}  // namespace ropeproof::conformance::check
