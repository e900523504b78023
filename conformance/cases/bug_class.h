// bug_class.h -- what the cases are there to catch.
#ifndef ROPEPROOF_CONFORMANCE_CASES_BUG_CLASS_H_
#define ROPEPROOF_CONFORMANCE_CASES_BUG_CLASS_H_

#include <map>
#include <string>

namespace ropeproof::conformance::cases {

// What goes wrong with RoPE, and a public case of it: an issue, a change or
// a commit of a project that it happened to.
struct BugClass {
  std::string meaning;
  std::string link;  // empty: no public case is known
};

// Every class by its key: an area, a slash and what goes wrong there,
// "layout/pairs-swapped".
const std::map<std::string, BugClass>& bug_classes();

// The meaning of a key in a case's `targets`. Throws std::out_of_range.
const std::string& bug_class(const std::string& key);

// The bytes of vectors/targets.json: key -> meaning and link.
std::string write_targets();

}  // namespace ropeproof::conformance::cases

#endif  // ROPEPROOF_CONFORMANCE_CASES_BUG_CLASS_H_
