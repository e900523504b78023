// apply.h -- waivers on a report: which failures were expected.
#pragma once

#include <string>
#include <vector>

#include "conformance/cases/corpus.h"
#include "conformance/report/report.h"
#include "conformance/report/waivers.h"

namespace ropeproof::conformance::report {

// The ids of all cases, in the order of the corpus.
std::vector<std::string> case_ids(const cases::Corpus& corpus);

// Whether the waiver is for the report's kernel, its version and what it was
// asked.
bool applies(const Waiver& waiver, const Report& report);

// Notes the waivers for the report's kernel and turns each FAIL that one of
// them covers into XFAIL. A crash, a timeout, an error and a missing result
// cannot be waived. `ids` are those of all vectors. A waiver that ended before
// `today` is noted too, and covers nothing.
void apply_waivers(const Waivers& waivers, const std::vector<std::string>& ids,
                   const Date& today, Report& report);

// The first that holds and covers the case; null if none does.
const AppliedWaiver* covering(const std::vector<AppliedWaiver>& waivers,
                              const std::string& case_id);

}  // namespace ropeproof::conformance::report
