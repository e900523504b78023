// wrong_rows.h -- answers that are wrong in one row, put before the judge.
//
// A mistake is of an answer, not of a kernel, so it is no wrong::Mutation: what
// memory held before, the row beside it and twice a bound are nothing that a
// pipeline computes of one row. Two of the four can be mutations, where q and k
// are rotated: as such they are found in all but 72 of 62,946 answers of
// core, in twice the time (1.8 for 0.9 s); for tables and frequencies they
// would stay what they are.
#pragma once

#include <cstdint>

#include "conformance/cases/case.h"
#include "conformance/judge/judge.h"

namespace ropeproof::conformance::selftest {

// A row is a head of a token, q's heads before k's, or a token of a table, or
// all frequencies.
enum class Mistake {
  kSkipped,   // q or k as it came, not rotated; else what was there before
  kSineSign,  // the sine of one pair negated; of frequencies, the frequency
  // The next row's result; of tables and frequencies, the next entry's.
  kNeighbour,
  kTwiceBound  // one element, off by twice its bound
};
inline constexpr int kMistakes = 4;
// The first, a middle and the last row in which some sine can be seen: more
// than 1/16 of the amplitude, and the pair is finite and not tiny; and there
// the first, middle or last such pair. Where none can, of all rows and pairs.
inline constexpr int kPlaces = 3;

// A set of mistakes and places, a bit each: mistake * kPlaces + place.
using WrongRows = std::uint16_t;
inline constexpr int kWrongRows = kMistakes * kPlaces;

// Which of them the judge finds wrong in answers to a case that are the
// goldens, rounded once, but for one row. None in a row that it finds wrong as
// it should be. Cost: some 20 judgements of one row.
WrongRows found_in(const cases::Case& c, std::uint32_t operation,
                   const judge::Claim& claim);

}  // namespace ropeproof::conformance::selftest
