// lost.h -- calls in which a kernel crashed, and bugs that leave their memory
// there.
#ifndef ROPEPROOF_CONFORMANCE_EXPLAIN_LOST_H_
#define ROPEPROOF_CONFORMANCE_EXPLAIN_LOST_H_

#include <cstddef>
#include <set>
#include <vector>

#include "conformance/explain/answer.h"
#include "conformance/explain/predictor.h"
#include "conformance/wrong/mutation.h"

namespace ropeproof::conformance::explain {

class LostAnswers {
 public:
  // The evidence outlives it.
  explicit LostAnswers(const Evidence& evidence);

  // How many are left to be explained, and whether a bug leaves its memory in
  // each.
  std::size_t left() const { return left_.size(); }
  bool are_all(const wrong::Change& change) const;
  std::set<std::uint32_t> operations() const;

  // Takes those in which the bug leaves its memory, and says how many calls
  // they stand for: all that crashed, where none is left.
  std::size_t take(const wrong::Change& change);
  // Of all that were taken, by their numbers in the evidence; once none is
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

#endif  // ROPEPROOF_CONFORMANCE_EXPLAIN_LOST_H_
