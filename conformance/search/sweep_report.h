// sweep_report.h -- what a sweep found, as a file: of a large one the parts,
// and the whole that they make.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/check/run.h"
#include "conformance/report/report_reader.h"
#include "conformance/search/sweep_kernel.h"

namespace ropeproof::conformance::search {

// The positions first .. end - 1 of one base.
struct SweepRow {
  double base = 0;
  std::int64_t first = 0, end = 0;
  // kPass: the kernel answered to the end; else the last call ended so, and
  // `detail` is what is known of it.
  check::Verdict answered = check::Verdict::kPass;
  std::string detail;
  judge::Measurement measurement;  // as of SweepResult
};

// A sweep of the positions 0 .. positions - 1, or a part of one.
struct Sweep {
  std::string suite_version, kernel_argument, kernel_sha256;  // as Report's
  plugin::Description kernel;
  bool is_certified = true;  // the exact values are
  std::uint32_t operation = 0;
  reference::Format format = reference::Format::kF32;
  std::int64_t rotary_dim = 0, positions = 0;
  std::vector<SweepRow> rows;  // by base, as they were asked, then by position

  // Whether each position of each base was judged, in every pair.
  bool is_complete() const;
  // The program's: 0 every value judged is within its bound and every call was
  // answered or declined, 1 not, 2 nothing was judged.
  int exit_status() const;
};

inline constexpr const char* kSweepFormat = "ropeproof-sweep/1";

// Writes it as JSON, and reads what that wrote: sweep_json(read_sweep(text,
// file)) == text, or it throws ReportError, one line that names the file.
std::string sweep_json(const Sweep& sweep);
bool is_sweep(const std::string& text);  // of some version, maybe cut short
Sweep read_sweep(const std::string& text, const std::string& file);

// Writes it for people; that it is complete where it is.
std::string sweep_text(const Sweep& sweep);

struct NamedSweep {
  std::string file;  // for errors
  Sweep sweep;
};

// The sweep that one run would have written, rows of one base joined, in
// whatever order the parts are given; it names the kernel as the first does.
// Throws ReportError, one line that names the files or the positions, if two
// parts are of different sweeps or have a position of a base both, or a
// position of a base is in none.
Sweep merge_sweeps(std::vector<NamedSweep> parts);

}  // namespace ropeproof::conformance::search
