// merge.h -- the reports of all shards, as the report of the whole.
#pragma once

#include <string>
#include <vector>

#include "conformance/report/report_reader.h"

namespace ropeproof::conformance::report {

struct NamedReport {
  std::string file;  // for errors
  Report report;
};

// The report that the same run without shards would have written, in whatever
// order the shards are given, byte for byte but for the diagnoses: of those
// that the shards have each fault once, with the checks of all and the names
// that none rules out. It names the kernel as shard 1 does. Throws ReportError,
// one line that names the files, if
//
// - two are of different runs: another suite, corpus, library (its bytes, not
//   its path), command, description, flag, selection or waiver
// - a shard is missing or given twice
// - a case is in the wrong shard, missing or there twice
Report merge_reports(std::vector<NamedReport> shards);

}  // namespace ropeproof::conformance::report
