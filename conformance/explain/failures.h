// failures.h -- wrong answers and crashes of a run, and which hypotheses
// explain each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "conformance/explain/answer.h"
#include "conformance/explain/diagnosis.h"
#include "conformance/explain/predictor.h"
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
  // The number of a failure in the evidence.
  std::size_t number(std::size_t i) const {
    return static_cast<std::size_t>(failures_[i].answer -
                                    evidence_.wrong.data());
  }

  // Tries the hypotheses from number `first` on on some failures, and on all
  // those that explain one of them at least, which become leads.
  void try_from(std::size_t first, const std::vector<std::size_t>& some);

  // The fit of a hypothesis to a failure; tried now if it was not before.
  const Fit& fit(std::size_t failure, std::size_t hypothesis);

  // Whether it is no coincidence that a hypothesis gives what stands in some
  // failures, though no rule says where it strikes: it gives many elements that
  // are far from right, and where it rounds, whole answers.
  bool are_sure(const std::vector<std::size_t>& some, std::size_t hypothesis);

  // Right elements of these failures that a hypothesis would have spoilt.
  std::int64_t broken_by(std::size_t hypothesis,
                         const std::vector<std::size_t>& some);
  // Whether heads are right in pairs that a hypothesis would have spoilt beside
  // those that it explains, though a token has one position, or though it stops
  // rotating and pair 0 alone is right, as of frequencies that are 0.
  bool spares_pairs(std::size_t hypothesis,
                    const std::vector<std::size_t>& some);
  // Whether a hypothesis would write elsewhere what no wrong element of these
  // failures shows: none was written.
  bool are_unwritten(const std::vector<std::size_t>& some,
                     std::size_t hypothesis) const;

  // A lead that explains these failures, too, and changes all that this one
  // does in the same way, and more; none that rounds. Where no rule says where
  // it strikes, none that would have spoilt far more.
  std::optional<std::size_t> whole_of(std::size_t part,
                                      const std::vector<std::size_t>& failures,
                                      bool has_rule);

  // Says of a diagnosis the aliases, which explain as much of these failures as
  // `best` does; and the best of the other leads.
  void add_rivals(Diagnosis& d, std::size_t best,
                  const std::vector<std::size_t>& failures);

  // The hypotheses that change the answer of a trial, each in its own way.
  std::vector<std::size_t> unlike(const Trial& trial) const;

  // Hypotheses that explain some failure, in the order in which they were
  // found.
  const std::vector<std::size_t>& leads() const { return leads_; }

 private:
  // Tries the hypotheses from number `first` on on a failure.
  void scan(std::size_t failure, std::size_t first);

  const Evidence& evidence_;
  const std::vector<wrong::Mutation>& hypotheses_;
  std::vector<Failure> failures_;
  std::vector<std::size_t> leads_;
};

// Tries bugs on the calls in which the kernel crashed: which bug would have
// left the memory of each?
class LostAnswers {
 public:
  // `evidence` outlives this.
  explicit LostAnswers(const Evidence& evidence);

  // How many calls are left to be explained.
  std::size_t left() const { return left_.size(); }
  // The bugs that leave their memory in each, and spoil no right answer; none
  // where there is none.
  std::vector<std::size_t> bugs_of_all(
      const std::vector<wrong::Mutation>& hypotheses,
      const std::vector<Failure>& right) const;
  std::set<std::uint32_t> operations() const;

  // Takes the calls in which the bug leaves its memory, and says how many they
  // stand for: all that crashed, where none is left.
  std::size_t take(const wrong::Change& change);
  // All calls that were taken, by their numbers in the evidence; once none is
  // left, all that crashed are explained.
  const std::set<std::size_t>& taken() const { return taken_; }
  bool are_all_taken() const { return left_.empty() && !taken_.empty(); }

 private:
  struct Call {
    std::size_t number;
    Predictor bugs;
  };

  const Evidence& evidence_;
  std::vector<Call> left_;
  std::set<std::size_t> taken_;
};

}  // namespace ropeproof::conformance::explain
