// scoreboard.h -- engines by what they were asked: the reports of many runs as
// one table, and why a cell of it is red. A run of a few engines joins the rows
// of an earlier table.
//
// A cell is one report: an engine of one version, asked a tier or a profile. It
// is red if the report does not conform, waivers aside; README.md says what a
// cause of that is and covers.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/report/merge.h"
#include "conformance/report/waivers.h"

namespace ropeproof::conformance::report {

struct Engine {
  std::string name, version;  // as the kernel declares them
  auto operator<=>(const Engine&) const = default;
};

// The time of the machine's limit over the engine's, in the rows of `bench` in
// which it was timed.
struct SpeedRange {
  double least = 0, most = 0;
  std::int64_t rows = 0;
};

struct Cell {
  enum class Kind { kConforms, kInPart, kRed };
  Kind kind = Kind::kRed;
  std::string level;    // with suffixes: "L1+M+D", "none"
  std::string claim;    // classes of angles: "A1", "A1 and A0"
  std::string backend;  // "lavapipe 22.3.6"; empty: where the engine belongs
  std::string covers;   // what a verdict on it does: "logic; not precision"
  double worst = -1;    // the largest error over its bound; below 0: none seen
  double phase_rho = -1;  // of Totals
  // The checks that count; how many of them were wrong or had no answer; and
  // how many a profile asks of what the engine does not offer.
  std::int64_t asked = 0, failed = 0, lacking = 0;
  std::vector<std::size_t> causes;  // of Scoreboard::causes, in their order
  // Red checks that no cause covers, and those that only an expired one does. 1
  // of them if nothing was judged at all.
  std::int64_t unexplained = 0, expired = 0;
};

struct Cause {
  enum class State {
    kInForce,
    kExpired,       // its last day is over, and it covered something
    kStale,         // it covers nothing that is red any more
    kOtherVersion,  // the engine was judged, this version was not
  };
  Waiver waiver;
  State state = State::kInForce;
};

// When a row was judged, and by what.
struct Origin {
  Date date;
  std::string suite_version, vectors_version, manifest_sha256;
  bool operator==(const Origin&) const = default;
};

struct EngineRow {
  Engine engine;
  Origin origin;
  std::vector<std::optional<Cell>> cells;  // one per column; none: not asked
  std::optional<SpeedRange> speed;

  bool conforms() const;  // every cell that is there
};

// What a run asked: a tier, or a profile.
struct Column {
  std::string asked;    // "tier core", "profile llama3-f32-128k"
  std::string profile;  // "llama3-f32-128k"; empty: a tier
  auto operator<=>(const Column&) const = default;
};

struct Scoreboard {
  Origin origin;                // of what was judged last
  std::vector<Column> columns;  // tiers first, then profiles by name
  std::vector<EngineRow> rows;  // by name and version
  std::vector<Cause> causes;    // of the engines that were judged
  // Each backend, and what a verdict on it covers.
  std::set<std::pair<std::string, std::string>> backends;
};

// A row of an earlier board, as a file keeps it: its cells name their causes by
// the reason.
struct KeptRow {
  EngineRow row;
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> reasons;  // by cell
};

// Makes the scoreboard, in whatever order the reports are given. `today`
// decides what has expired. A kept row stays unless a report is of its engine,
// of whatever version; where a cause of it is gone, its cell is unexplained.
// Throws ReportError, one line that names the file, if
//
// - a report is a shard, of chosen cases or operations, or of fresh cases
// - two are of the same engine, version and selection, or of different versions
//   of the suite or its vectors
// - a cause does not say what kind it is
// - `speeds` has an engine that no report has
Scoreboard make_scoreboard(const std::vector<NamedReport>& reports,
                           const Waivers& causes,
                           const std::map<Engine, SpeedRange>& speeds,
                           const Date& today,
                           const std::vector<KeptRow>& kept = {});

// Returns what somebody must look at, a line each: red cells that are
// unexplained, causes that have expired, are stale or are of another version.
std::vector<std::string> open_points(const Scoreboard& board);

// "23 engines, 9 conform".
std::string count_text(const Scoreboard& board);

// How columns, cells and causes read, in every format.
std::string heading_text(const Column& column);  // "llama3-f32-128k"
std::string verdict_text(const Cell& cell);  // "L1+M", "none: 12 of 306 fail"
std::string figures_text(const Cell& cell);  // "A1, worst 0.83, rho 0.41"
std::string backend_text(const Cell& cell);  // "on lavapipe 22.3.6", or none
std::string speed_text(const SpeedRange& speed);
// "2026-11-30", and by what, where that is not what judged last.
std::string origin_text(const Origin& origin, const Scoreboard& board);
std::string kind_text(const Cause& cause);   // "defect"
std::string place_text(const Cause& cause);  // "litgpt 0.5.13, profile *yarn*"
std::string state_text(const Cause& cause);  // "until 2027-03-31", ...

// One document each, which nobody edits; badge.svg stands beside the Markdown.
std::string scoreboard_markdown(const Scoreboard& board);
std::string scoreboard_html(const Scoreboard& board);
std::string scoreboard_badge(const Scoreboard& board);  // SVG

// The rows of a board, to be kept. read_kept() throws ReportError for any
// other text.
std::string scoreboard_json(const Scoreboard& board);
std::vector<KeptRow> read_kept(const std::string& text,
                               const std::string& file);

}  // namespace ropeproof::conformance::report
