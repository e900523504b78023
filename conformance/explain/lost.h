// lost.h -- calls in which a kernel crashed, and bugs that leave their memory there.
#ifndef ROPEPROOF_CONFORMANCE_EXPLAIN_LOST_H_
#define ROPEPROOF_CONFORMANCE_EXPLAIN_LOST_H_

#include <cstddef>
#include <functional>
#include <set>
#include <vector>

#include "conformance/check/run.h"
#include "conformance/explain/predictor.h"
#include "conformance/wrong/pipeline.h"

namespace ropeproof::conformance::explain {

class LostAnswers {
 public:
  // The run outlives it.
  explicit LostAnswers(const check::Run& run);

  // How many are left to be explained, and whether a bug leaves its memory in each.
  std::size_t left() const { return left_.size(); }
  bool are_all(const std::function<void(wrong::Pipeline&)>& change) const;
  std::set<std::uint32_t> operations() const;

  // Takes those in which the bug leaves its memory, and says how many calls they
  // stand for: all that crashed, where none is left.
  std::size_t take(const std::function<void(wrong::Pipeline&)>& change);
  // The checks of all that were taken.
  const std::set<std::size_t>& taken() const { return taken_; }

 private:
  struct Call {
    std::size_t check;
    Predictor bugs;
  };

  const check::Run& run_;
  std::vector<Call> left_;
  std::set<std::size_t> taken_;
};

}  // namespace ropeproof::conformance::explain

#endif  // ROPEPROOF_CONFORMANCE_EXPLAIN_LOST_H_
