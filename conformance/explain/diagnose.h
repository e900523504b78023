// diagnose.h -- explains the failing checks of a run.
//
// Rotation is linear and every operation has few steps, so a kernel with a known bug
// is predictable to the last bit: hypotheses.h has the bugs, trial.h compares. A bug
// is named where its answers are the kernel's, for every element of a check; where it
// explains all wrong elements and spoils right ones, too, what the wrong ones have in
// common (in_common.h) says where it strikes. What nothing explains is said to be so.
#ifndef ROPEPROOF_CONFORMANCE_EXPLAIN_DIAGNOSE_H_
#define ROPEPROOF_CONFORMANCE_EXPLAIN_DIAGNOSE_H_

#include <vector>

#include "conformance/cases/corpus.h"
#include "conformance/check/run.h"
#include "conformance/explain/diagnosis.h"

namespace ropeproof::conformance::explain {

// The faults, the one that explains most checks first; none for a run without wrong
// answers. `corpus` is the run's. Cost: some seconds for a core run that fails
// throughout.
std::vector<Diagnosis> diagnose(const check::Run& run,
                                const cases::Corpus& corpus);

}  // namespace ropeproof::conformance::explain

#endif  // ROPEPROOF_CONFORMANCE_EXPLAIN_DIAGNOSE_H_
