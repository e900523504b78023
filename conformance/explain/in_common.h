// in_common.h -- what some cases have in common and no other has.
#ifndef ROPEPROOF_CONFORMANCE_EXPLAIN_IN_COMMON_H_
#define ROPEPROOF_CONFORMANCE_EXPLAIN_IN_COMMON_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "conformance/check/facts.h"
#include "conformance/explain/diagnosis.h"

namespace ropeproof::conformance::explain {

// What a condition says of one fact, "head_dim is odd", or of two.
struct Term {
  std::string words;
  std::vector<std::string> facts;  // their names
  std::optional<check::Fact> is;   // the one value that it allows
};

// Terms that hold together; none for those that no condition parts from the others.
struct Condition {
  std::vector<Term> terms;
  std::vector<std::size_t> members;  // numbers of those that it explains first

  std::string words() const;  // "head_dim is odd and batch > 1"
};

// The fewest conditions that hold for all of `members` together and for none of
// `others`, by greed: the one that explains most first, of equals the simplest;
// two at once where none alone does. Cost: conditions squared times cases / 64.
std::vector<Condition> in_common(const std::vector<check::Facts>& members,
                                 const std::vector<check::Facts>& others);

// At most two such conditions; none without others.
struct Rule {
  Place place;
  std::vector<Condition> conditions;
};
Rule rule_of(const std::vector<check::Facts>& members,
             const std::vector<check::Facts>& others);

}  // namespace ropeproof::conformance::explain

#endif  // ROPEPROOF_CONFORMANCE_EXPLAIN_IN_COMMON_H_
