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
};

// Judges `kernel` on every selected case under every operation that the case
// defines. Throws std::invalid_argument naming an unknown tier, id or
// operation.
Report run_suite(Kernel& kernel, const Corpus& corpus,
                 const Selection& selection);

// What a description does not offer of a call, in words; empty if it offers
// everything.
std::string missing_feature(const Description& description,
                            std::uint32_t operation, const RopeCase& c,
                            bool shares_memory);
std::string missing_feature(const Description& description,
                            const PermuteCase& c);

// A case in one line: dtype, pairing, shape, base.
std::string summary(const RopeCase& c);
std::string summary(const PermuteCase& c);

}  // namespace ropeproof::conformance

#endif  // ROPEPROOF_CONFORMANCE_VERDICT_RUNNER_H_
