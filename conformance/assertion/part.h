// part.h -- the part of a large result in which a wrong one is looked at.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/cases/case.h"
#include "conformance/judge/judge.h"

namespace ropeproof::conformance::assertion {

// Some tokens of one result, as a result of its own.
struct Part {
  cases::Case asked;
  judge::Output output;
  std::vector<std::int64_t> tokens;  // their numbers in it, row by row
  std::string text;                  // which these are, in words
};

// Tokens of `asked` that follow each other, of two batch rows where it has
// several, of at most `elements` elements or one token; `wrong` is among them.
// They are the first ones if it is, so that what depends on a token's number
// shows.
Part part_around(const cases::Case& asked, const judge::Output& output,
                 const judge::Element& wrong, std::int64_t elements);

}  // namespace ropeproof::conformance::assertion
