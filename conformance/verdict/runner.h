// runner.h -- cases x kernel -> report.
#ifndef ROPEPROOF_CONFORMANCE_VERDICT_RUNNER_H_
#define ROPEPROOF_CONFORMANCE_VERDICT_RUNNER_H_

#include <string>
#include <vector>

#include "conformance/corpus/corpus.h"
#include "conformance/kernels/kernel.h"
#include "conformance/verdict/report.h"

namespace ropeproof::conformance {

struct Selection {
  std::string tier = "core";            // "core" contains "smoke"
  std::vector<std::string> cases;       // ids; empty: all of the tier
  std::vector<std::string> operations;  // words; empty: all
  std::string profile;  // name; then all of the corpus is the profile's
  Shard shard;          // of the cases that all of the above select
};

// Judges `kernel` on every selected case under every operation that the case
// defines. Throws std::invalid_argument naming an unknown tier, id or
// operation, or a shard beyond the last case.
Report run_suite(Kernel& kernel, const Corpus& corpus,
                 const Selection& selection);

}  // namespace ropeproof::conformance

#endif  // ROPEPROOF_CONFORMANCE_VERDICT_RUNNER_H_
