// recheck.h -- proves expected values anew.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/prove/second_oracle/number.h"
#include "tools/prove/second_oracle/vectors.h"

namespace ropeproof::second_oracle {

struct Result {
  std::int64_t values = 0;  // looked at; a pair of hi and lo is one
  slong bits = 0;           // widest precision used; 0: nothing to enclose
  std::int64_t disagreements = 0;
  std::vector<std::string> lines;  // about the first few, one each

  void disagree(const std::string& line);
};

// A value that stays undecided counts as a disagreement, and so does a case
// with a tensor of the wrong size or a parameter that makes no sense. Cost:
// about 5 us per token and pair, and 1 us per value.
Result recheck(const Group& group);

// One case of a group of type rope. Throws std::runtime_error for one that
// makes no sense.
void recheck_rope(const Case& c, Result& result);

}  // namespace ropeproof::second_oracle
