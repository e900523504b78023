// page.h -- a report as one page for people who look: the verdict first, then
// what was judged, the diagnosis, the failures by their causes, pictures.
#pragma once

#include <string>

#include "conformance/report/difference.h"
#include "conformance/report/report.h"

namespace ropeproof::conformance::report {

// Returns a self-contained HTML document without a script, below 1 MB however
// many checks fail. With `since`, what has changed against an earlier report
// stands behind the verdict.
std::string html_report(const Report& report);
std::string html_report(const Report& report, const Difference* since);

}  // namespace ropeproof::conformance::report
