// where.h -- at which elements of which cases a bug strikes.
#ifndef ROPEPROOF_CONFORMANCE_EXPLAIN_WHERE_H_
#define ROPEPROOF_CONFORMANCE_EXPLAIN_WHERE_H_

#include <string>
#include <vector>

#include "conformance/check/run.h"
#include "conformance/explain/trial.h"

namespace ropeproof::conformance::explain {

class Where {
 public:
  explicit Where(const check::Run& run) : run_(run) {}

  // Of an answer: elements that the bug explains, and right ones that it would have
  // spoilt.
  void add(const check::Check& check, const Trial& trial,
           const std::vector<Mark>& marks);

  // "q_heads > 32 and batch > 1"; "" where no element that it could spoil is right,
  // "?" where no few conditions part the two.
  std::string text() const;

 private:
  const check::Run& run_;
  std::vector<check::Facts> struck_, spared_;
};

// The class of a bug that strikes there: where rotation stops says more than that it
// does.
std::string bug_at(const std::string& bug, const std::string& where);

}  // namespace ropeproof::conformance::explain

#endif  // ROPEPROOF_CONFORMANCE_EXPLAIN_WHERE_H_
