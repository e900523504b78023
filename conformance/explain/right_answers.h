// right_answers.h -- right answers of a run, beside which wrong ones show where a bug strikes.
#ifndef ROPEPROOF_CONFORMANCE_EXPLAIN_RIGHT_ANSWERS_H_
#define ROPEPROOF_CONFORMANCE_EXPLAIN_RIGHT_ANSWERS_H_

#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "conformance/cases/corpus.h"
#include "conformance/check/run.h"
#include "conformance/explain/trial.h"

namespace ropeproof::conformance::explain {

// A check that passed, with the case's exact answer in the kernel's place.
struct RightAnswer {
  const check::Check* check = nullptr;
  std::shared_ptr<const void> asked;  // the case, which the trial looks at
  std::unique_ptr<Trial> trial;
};

// What the goldens say, rounded once: tables and frequencies to `table`, q and k to the
// dtype of the case. Channels outside the window are copied.
judge::Output exact_output(const cases::RopeCase& c, std::uint32_t operation,
                           reference::Format table);

// Some of those under these operations, evenly over the run; cases that were formed
// are formed again. Cost: a second at most.
std::vector<RightAnswer> right_answers(
    const check::Run& run, const cases::Corpus& corpus,
    const std::set<std::uint32_t>& operations);

}  // namespace ropeproof::conformance::explain

#endif  // ROPEPROOF_CONFORMANCE_EXPLAIN_RIGHT_ANSWERS_H_
