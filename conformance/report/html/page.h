// page.h -- a report as one page for people who look: the verdict first, then
// what was judged, the diagnosis, the failures by their causes, pictures.
#ifndef ROPEPROOF_CONFORMANCE_REPORT_HTML_PAGE_H_
#define ROPEPROOF_CONFORMANCE_REPORT_HTML_PAGE_H_

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

#endif  // ROPEPROOF_CONFORMANCE_REPORT_HTML_PAGE_H_
