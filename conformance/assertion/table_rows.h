// table_rows.h -- which rows and columns of a table a kernel took in place of
// those that were due.
#pragma once

#include <string>

#include "conformance/assertion/given_table.h"
#include "conformance/cases/case.h"
#include "conformance/judge/output.h"
#include "conformance/judge/tolerance.h"

namespace ropeproof::conformance::assertion {

// "rows of the table: 0, 1, 2, ... whatever the positions", "row of the table
// used: the given one + 1"; empty unless the rows named give every wrong token,
// each element within its bound. `all`: the whole table; the problem's
// positions are the rows that were due. Cost: some 10 ns for each row and wrong
// token.
std::string rows_taken(const cases::Case& asked, const GivenTable& all,
                       const judge::Claim& claim, const judge::Output& output);

// Says which entries of a table that has two for each pair give every element
// within its bound: "cos and sin of each pair's first channel for both"; empty
// if none do. Cost: three judgements.
std::string channels_taken(const cases::Problem& problem,
                           const GivenTable& given, const judge::Claim& claim,
                           const judge::Output& output);

}  // namespace ropeproof::conformance::assertion
