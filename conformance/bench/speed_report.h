// speed_report.h -- the speed table, for people and for programs.
#ifndef ROPEPROOF_CONFORMANCE_BENCH_SPEED_REPORT_H_
#define ROPEPROOF_CONFORMANCE_BENCH_SPEED_REPORT_H_

#include <optional>
#include <string>
#include <vector>

#include "conformance/bench/admission.h"
#include "conformance/bench/measure.h"

namespace ropeproof::conformance::bench {

// A kernel of the table.
struct SpeedEntry {
  std::string label;  // its name; "x (2)" for the second of that name
  std::string version;
  std::string argument;  // "--lib ./libx.so", as the user typed it
  Admission admission;
};

// The parts of the table, in the order of printing; no line of theirs is longer
// than 100 columns, but for an argument. A group is a heading and the columns'
// names: what the rows of one operation, dtype and pairing share.
std::string speed_heading(const std::vector<SpeedEntry>& entries);
std::string speed_group(const SpeedRow& row);
std::string speed_lines(const RowSpeed& speed,
                        const std::vector<SpeedEntry>& entries);

inline constexpr const char* kSpeedFormat = "ropeproof-bench/1";

// One JSON document.
std::string speed_json(const std::string& suite_version, int repetitions,
                       const std::vector<SpeedEntry>& entries,
                       const std::vector<RowSpeed>& rows);

}  // namespace ropeproof::conformance::bench

#endif  // ROPEPROOF_CONFORMANCE_BENCH_SPEED_REPORT_H_
