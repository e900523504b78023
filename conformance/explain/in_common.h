// in_common.h -- what some cases have in common and no other has.
#ifndef ROPEPROOF_CONFORMANCE_EXPLAIN_IN_COMMON_H_
#define ROPEPROOF_CONFORMANCE_EXPLAIN_IN_COMMON_H_

#include <cstddef>
#include <string>
#include <vector>

#include "conformance/check/facts.h"

namespace ropeproof::conformance::explain {

// "head_dim is odd"; "" for those that no condition parts from the others.
struct Condition {
  std::string words;
  std::vector<std::size_t> members;  // numbers of those that it explains first
};

// The fewest conditions that hold for all of `members` together and for none of
// `others`, by greed: the one that explains most first, of equals the simplest;
// two at once where none alone does. Cost: conditions squared times cases / 64.
std::vector<Condition> in_common(const std::vector<check::Facts>& members,
                                 const std::vector<check::Facts>& others);

// The same as a sentence, "q_heads > 32 and batch > 1": "" without others, "?" where
// it takes more than two conditions.
std::string rule_of(const std::vector<check::Facts>& members,
                    const std::vector<check::Facts>& others);

}  // namespace ropeproof::conformance::explain

#endif  // ROPEPROOF_CONFORMANCE_EXPLAIN_IN_COMMON_H_
