// mutant_table.h -- what becomes of each mutant, as a page.
#pragma once

#include <string>

#include "conformance/selftest/selftest.h"

namespace ropeproof::conformance::selftest {

// "110 of 110 mutants killed, 102 of 110 named, 0 false names"
std::string score_text(const SelftestReport& report);

// Markdown: the score, and a row for each mutant: its bug's class, the smallest
// tier that kills it, and the name that a diagnosis gives it, a wrong one in
// bold.
std::string mutant_table(const SelftestReport& report);

}  // namespace ropeproof::conformance::selftest
