// account.h -- what the wrong elements of an output say of the bug.
#pragma once

#include <string>
#include <vector>

#include "conformance/explain/answer.h"

namespace ropeproof::conformance::explain {

// An account is empty for an output without wrong elements.
struct Account {
  std::string pattern;  // that wrong elements follow, in words
  int equation = 0;     // that they contradict (equation.h)
  // The numbers show that it is this one; else it is the likeliest.
  bool is_equation_shown = false;
  // What stands in place of wrong elements (matches.h), and the rotation that
  // was seen in place of the one due, in sentences.
  std::vector<std::string> measured;
};

// The account of an answer that has an output. It may take milliseconds; one
// that is brief, without what is measured, a tenth.
Account account_of(const Answer& answer, bool is_brief = false);

}  // namespace ropeproof::conformance::explain
