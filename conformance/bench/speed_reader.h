// speed_reader.h -- what `ropeproof bench --json` wrote, for the scoreboard.
#ifndef ROPEPROOF_CONFORMANCE_BENCH_SPEED_READER_H_
#define ROPEPROOF_CONFORMANCE_BENCH_SPEED_READER_H_

#include <map>
#include <string>

#include "conformance/report/scoreboard.h"

namespace ropeproof::conformance::bench {

// The ratios to the limit of each kernel that was timed; of none that was WRONG
// or offers no row. Throws ReportError, one line that names the file, for what
// is no speed_json() of this version of the suite.
std::map<report::Engine, report::SpeedRange> read_speeds(
    const std::string& text, const std::string& file,
    const std::string& suite_version);

}  // namespace ropeproof::conformance::bench

#endif  // ROPEPROOF_CONFORMANCE_BENCH_SPEED_READER_H_
