// style.h -- how the page of a report looks, and its beginning.
#pragma once

#include <string>

namespace ropeproof::conformance::report {

// Returns a page from its first byte to the start of the body, with links to
// the sections for who uses no pointer. `title` is plain text.
std::string page_start(const std::string& title, bool has_since);

}  // namespace ropeproof::conformance::report
