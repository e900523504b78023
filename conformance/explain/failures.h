// failures.h -- wrong answers of a run, and which hypotheses explain each.
#ifndef ROPEPROOF_CONFORMANCE_EXPLAIN_FAILURES_H_
#define ROPEPROOF_CONFORMANCE_EXPLAIN_FAILURES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "conformance/explain/answer.h"
#include "conformance/explain/trial.h"
#include "conformance/wrong/mutation.h"

namespace ropeproof::conformance::explain {

// One wrong answer.
struct Failure {
  const Answer* answer = nullptr;
  std::unique_ptr<Trial> trial;
  std::map<std::size_t, Fit> fits;  // by the number of the hypothesis
};

class Failures {
 public:
  // The evidence and the hypotheses outlive it. Of many wrong answers some are
  // tried, the small ones first.
  Failures(const Evidence& evidence,
           const std::vector<wrong::Mutation>& hypotheses);

  std::size_t size() const { return failures_.size(); }
  const Failure& at(std::size_t i) const { return failures_[i]; }
  const Answer& answer(std::size_t i) const { return *failures_[i].answer; }

  // Fits of all failures for those hypotheses that explain one of them at
  // least; and what each leaves of the first few.
  void try_all();

  // Of a failure and a hypothesis; tried now if it was not before.
  const Fit& fit(std::size_t failure, std::size_t hypothesis);

  // Hypotheses that explain some failure, in the order in which they were
  // found.
  const std::vector<std::size_t>& leads() const { return leads_; }

 private:
  // Tries all hypotheses on a failure.
  void scan(std::size_t failure);

  const std::vector<wrong::Mutation>& hypotheses_;
  std::vector<Failure> failures_;
  std::vector<std::size_t> leads_;
};

}  // namespace ropeproof::conformance::explain

#endif  // ROPEPROOF_CONFORMANCE_EXPLAIN_FAILURES_H_
