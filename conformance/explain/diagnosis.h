// diagnosis.h -- what is wrong with a kernel, where, and why: from all failing checks
// of a run.
#ifndef ROPEPROOF_CONFORMANCE_EXPLAIN_DIAGNOSIS_H_
#define ROPEPROOF_CONFORMANCE_EXPLAIN_DIAGNOSIS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace ropeproof::conformance::explain {

// One fault.
struct Diagnosis {
  // What the kernel does, in words that its author would accept; empty: no known bug
  // gives these numbers.
  std::string what = {};
  // Bugs that no answer of this run tells from it.
  std::vector<std::string> aliases = {};
  // Which elements of which cases are wrong, and no other: "q_heads > 32 and batch >
  // 1"; empty: all that the bug could spoil; "?": no simple rule.
  std::string where = {};
  // Its class, a key of cases::bug_classes(); empty if not known.
  std::string bug = {};
  int equation = 0;  // of judge/equation.h: the first step that goes wrong
  std::string advice = {};  // what to try, in a line
  // Failing checks that it explains, of those that were tried.
  std::int64_t checks = 0, tried = 0;
  double residual =
      -1;  // the largest left of any, over the bound; below 0: none
  // The next best, which explains fewer; and what it leaves of the same checks.
  std::string next = {};
  double next_residual = 0;
  std::string example = {};  // the smallest case that shows it
};

}  // namespace ropeproof::conformance::explain

#endif  // ROPEPROOF_CONFORMANCE_EXPLAIN_DIAGNOSIS_H_
