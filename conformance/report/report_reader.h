// report_reader.h -- a JSON report, back as the Report that it was written
// from.
#pragma once

#include <stdexcept>
#include <string>

#include "conformance/report/report.h"

namespace ropeproof::conformance::report {

// A file that is no report, or not one that this version wrote. what() is one
// line that begins with the file's name. Exit status 2.
struct ReportError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// Reads what json_report() wrote, and leaves a signature out:
// json_report(read_report(given, file)) == given, byte for byte, or it throws
// ReportError. An edited total is refused like a
// truncated file. The summary of a check that does not fail is not
// in the file, nor are the ids of a whole run.
Report read_report(const std::string& given, const std::string& file);

}  // namespace ropeproof::conformance::report
