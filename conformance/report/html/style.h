// style.h -- how the page of a report looks, and its beginning.
#ifndef ROPEPROOF_CONFORMANCE_REPORT_HTML_STYLE_H_
#define ROPEPROOF_CONFORMANCE_REPORT_HTML_STYLE_H_

#include <string>

namespace ropeproof::conformance::report {

// From the first byte to the start of the body, with links to the sections for
// who uses no pointer. `title` is plain text.
std::string page_start(const std::string& title, bool has_since);

}  // namespace ropeproof::conformance::report

#endif  // ROPEPROOF_CONFORMANCE_REPORT_HTML_STYLE_H_
