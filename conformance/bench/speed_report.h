// speed_report.h -- the speed table, for people and for programs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "conformance/bench/admission.h"
#include "conformance/bench/measure.h"
#include "conformance/report/scoreboard.h"

namespace ropeproof::conformance::bench {

struct Entry {
  std::string label;  // its name; "x (2)" for the second of that name
  plugin::Description description;
  std::string argument;  // "--lib ./libx.so", as the user typed it
  Admission admission;
  // Behind walls: what each call costs beside its work.
  std::optional<double> doorbell_ns = {};
};

// The parts of the table, in the order of printing. Names are printed in full;
// a line of the rows has at most 100 columns if no name has more than 20. A
// group is a heading and the columns' names: what the rows of one operation,
// dtype and pairing share. `shows_limits` gives each limit a line of its own.
std::string speed_heading(const std::vector<Entry>& entries);
std::string speed_group(const Row& row, const std::vector<Entry>& entries);
std::string speed_lines(const RowSpeed& speed,
                        const std::vector<Entry>& entries, bool shows_limits);

std::string speed_json(const std::string& suite_version, int repetitions,
                       const std::vector<Entry>& entries,
                       const std::vector<RowSpeed>& rows);

// The ratios to the limit in such a document of each kernel that was timed; of
// none that was WRONG or offers no row. Throws ReportError, one line that names
// the file, for what is no speed_json() of this version of the suite.
std::map<report::Engine, report::SpeedRange> read_speeds(
    const std::string& text, const std::string& file,
    const std::string& suite_version);

}  // namespace ropeproof::conformance::bench
