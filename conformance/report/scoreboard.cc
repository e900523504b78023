#include "conformance/report/scoreboard.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "conformance/report/apply.h"
#include "conformance/report/failure_text.h"
#include "conformance/text/one_line.h"
#include "conformance/text/wildcard.h"

namespace ropeproof::conformance::report {
namespace {

[[noreturn]] void refuse(const std::string& fault) {
  throw ReportError(text::one_line(fault));
}

// What was found, without what the run knew of waivers or was required to
// reach.
Report without_waivers(Report report) {
  for (check::Check& check : report.checks) {
    if (check.verdict == check::Verdict::kXfail) {
      check.verdict = check::Verdict::kFail;
    }
  }
  report.waivers.clear();
  report.required.clear();
  report.staged_is_missing = false;
  return report;
}

bool is_lacking(const Report& report, const check::Check& check) {
  return !report.profile.empty() && check.is_of_values() &&
         !check::is_judged(check.verdict);
}

void check_usable(const NamedReport& named, const NamedReport& first) {
  const auto& [file, report] = named;
  if (!report.shard.is_whole()) {
    refuse(file + ": is shard " + report.shard.text() +
           "; merge the shards first");
  }
  if (report.seed != 0) {
    refuse(file + ": is of fresh cases, which no other engine was asked");
  }
  if (!report.is_whole_tier) {
    refuse(file + ": is of part of a tier or profile; expected a whole one");
  }
  const auto differs = [&](const char* what, const std::string& a,
                           const std::string& b) {
    if (a == b) return;
    refuse(first.file + " and " + file + " are of different " + what + ": " +
           a + " and " + b);
  };
  differs("versions of ropeproof", first.report.suite_version,
          report.suite_version);
  differs("vectors", first.report.manifest_sha256.substr(0, 12),
          report.manifest_sha256.substr(0, 12));
}

class Maker {
 public:
  Maker(const Waivers& causes, const Date& today) : today_(today) {
    board_.origin.date = today;
    for (const Waiver& waiver : causes.entries) {
      if (waiver.kind == WaiverKind::kNone) {
        refuse(causes.file + ": the waiver of \"" + waiver.id + "\" for " +
               waiver.engine + " has no kind; expected defect or limit");
      }
      board_.causes.push_back({waiver, Cause::State::kOtherVersion});
    }
    is_known_.resize(board_.causes.size());
    covers_.resize(board_.causes.size());
  }

  Scoreboard make(const std::vector<NamedReport>& reports,
                  const std::map<Engine, SpeedRange>& speeds,
                  const std::vector<KeptRow>& kept) {
    if (reports.empty()) refuse("no report");
    const Report& first = reports[0].report;
    board_.origin.suite_version = first.suite_version;
    board_.origin.vectors_version = first.vectors_version;
    board_.origin.manifest_sha256 = first.manifest_sha256;
    for (const NamedReport& named : reports) {
      check_usable(named, reports[0]);
      add(named);
    }
    set_speeds(speeds);
    for (const KeptRow& row : kept) {
      if (std::ranges::none_of(reports, [&](const NamedReport& named) {
            return named.report.kernel.name == row.row.engine.name;
          })) {
        keep(row);
      }
    }
    set_rows();
    set_causes();
    return std::move(board_);
  }

 private:
  void add(const NamedReport& named) {
    const Report report = without_waivers(named.report);
    const Engine engine{report.kernel.name, report.kernel.version};
    const Column column{report.asked, report.profile};
    const auto [at, is_new] = files_.try_emplace({engine, column}, named.file);
    if (!is_new) {
      refuse(at->second + " and " + named.file + " are both of " + engine.name +
             " " + engine.version + ", " + column.asked);
    }
    cells_[{engine, column}] = cell_of(report);
    rows_[engine] = {engine, board_.origin, {}, {}};
  }

  void keep(const KeptRow& kept) {
    rows_[kept.row.engine] = {
        kept.row.engine, kept.row.origin, {}, kept.row.speed};
    for (std::size_t i = 0; i < kept.columns.size(); ++i) {
      Cell cell = *kept.row.cells[i];
      find_causes(cell, kept, i);
      cells_[{kept.row.engine, kept.columns[i]}] = cell;
    }
  }

  // Those of a kept cell, whose checks nobody sees any more.
  void find_causes(Cell& cell, const KeptRow& kept, std::size_t column) {
    Report asked;
    asked.kernel.name = kept.row.engine.name;
    asked.kernel.version = kept.row.engine.version;
    asked.asked = kept.columns[column].asked;
    std::set<std::string> reasons(kept.reasons[column].begin(),
                                  kept.reasons[column].end());
    for (const std::size_t i : causes_of(asked)) {
      const Waiver& waiver = board_.causes[i].waiver;
      if (reasons.erase(waiver.reason) == 0) continue;
      cell.causes.push_back(i);
      covers_[i] = true;
      cell.expired += is_expired(waiver, today_) ? 1 : 0;
    }
    if (!reasons.empty()) cell.unexplained = cell.failed + cell.lacking;
  }

  Cell cell_of(const Report& report) {
    const Totals totals = total(report);
    Cell cell;
    const int status = exit_status(totals);
    cell.kind = status == 0   ? Cell::Kind::kConforms
                : status == 6 ? Cell::Kind::kInPart
                              : Cell::Kind::kRed;
    cell.level = level_text(totals);
    cell.claim = angle_classes(report.kernel);
    if (const auto& backend = report.kernel.backend) {
      cell.backend = backend->name + " " + backend->version;
      cell.covers = backend->shows + "; not " + backend->hides;
    }
    if (totals.worst != nullptr && totals.worst->measurement->worst) {
      cell.worst = totals.worst->measurement->worst->ratio();
    }
    cell.phase_rho = totals.phase_rho;
    cell.lacking = totals.lacking;
    std::set<std::size_t> shown;
    const std::vector<std::size_t> known = causes_of(report);
    for (const check::Check& check : report.checks) {
      const bool lacks = is_lacking(report, check);
      cell.asked += lacks || check::is_judged(check.verdict) ? 1 : 0;
      cell.failed += check::is_failure(check.verdict) ? 1 : 0;
      if (lacks || check::is_failure(check.verdict)) {
        explain(cell, known, &check, shown);
      }
    }
    if (cell.kind == Cell::Kind::kRed && cell.failed + cell.lacking == 0) {
      explain(cell, known, nullptr, shown);
    }
    cell.causes.assign(shown.begin(), shown.end());
    return cell;
  }

  std::vector<std::size_t> causes_of(const Report& report) {
    std::vector<std::size_t> known;
    for (std::size_t i = 0; i < board_.causes.size(); ++i) {
      if (!applies(board_.causes[i].waiver, report)) continue;
      is_known_[i] = true;
      known.push_back(i);
    }
    return known;
  }

  // Null: that nothing was judged. What is not offered is no defect.
  void explain(Cell& cell, const std::vector<std::size_t>& known,
               const check::Check* check, std::set<std::size_t>& shown) {
    const bool is_failing =
        check != nullptr && check::is_failure(check->verdict);
    bool is_covered = false, is_over = false;
    for (const std::size_t i : known) {
      const Waiver& waiver = board_.causes[i].waiver;
      if (waiver.kind == WaiverKind::kDefect && !is_failing) continue;
      if (check != nullptr && !text::matches(waiver.id, check->case_id)) {
        continue;
      }
      shown.insert(i);
      covers_[i] = true;
      (is_expired(waiver, today_) ? is_over : is_covered) = true;
    }
    if (is_covered) return;
    ++(is_over ? cell.expired : cell.unexplained);
  }

  void set_speeds(const std::map<Engine, SpeedRange>& speeds) {
    for (const auto& [engine, speed] : speeds) {
      const auto row = rows_.find(engine);
      if (row == rows_.end()) {
        refuse("a speed of " + engine.name + " " + engine.version +
               ", and no report");
      }
      row->second.speed = speed;
    }
  }

  void set_rows() {
    for (const auto& [key, cell] : cells_) {
      if (std::ranges::find(board_.columns, key.second) ==
          board_.columns.end()) {
        board_.columns.push_back(key.second);
      }
      if (!cell.backend.empty()) {
        board_.backends.emplace(cell.backend, cell.covers);
      }
    }
    std::ranges::sort(board_.columns, {}, [](const Column& column) {
      return std::tuple(!column.profile.empty(), column.asked);
    });
    for (auto& [engine, row] : rows_) {
      for (const Column& column : board_.columns) {
        const auto found = cells_.find({engine, column});
        row.cells.push_back(found == cells_.end()
                                ? std::nullopt
                                : std::optional(found->second));
      }
      board_.rows.push_back(std::move(row));
    }
  }

  // Those of engines that were not judged at all say nothing here; the cells'
  // indices follow.
  void set_causes() {
    std::vector<Cause> kept;
    std::vector<std::size_t> place(board_.causes.size());
    for (std::size_t i = 0; i < board_.causes.size(); ++i) {
      Cause& cause = board_.causes[i];
      const Waiver& waiver = cause.waiver;
      const auto is_of = [&](const EngineRow& row, bool with_version) {
        return text::matches(waiver.engine, row.engine.name) &&
               (!with_version || waiver.version.empty() ||
                row.engine.version == waiver.version);
      };
      const auto any = [&](bool with_version) {
        return std::ranges::any_of(board_.rows, [&](const EngineRow& row) {
          return is_of(row, with_version);
        });
      };
      // The cause is of an engine, or a selection, that no report has.
      if (!any(false) || (any(true) && !is_known_[i])) continue;
      if (is_known_[i]) {
        cause.state = !covers_[i]                  ? Cause::State::kStale
                      : is_expired(waiver, today_) ? Cause::State::kExpired
                                                   : Cause::State::kInForce;
      }
      place[i] = kept.size();
      kept.push_back(cause);
    }
    board_.causes = std::move(kept);
    for (EngineRow& row : board_.rows) {
      for (std::optional<Cell>& cell : row.cells) {
        if (!cell) continue;
        for (std::size_t& cause : cell->causes) cause = place[cause];
      }
    }
  }

  Date today_;
  Scoreboard board_;
  std::vector<bool> is_known_, covers_;  // by cause: met its cell, a red check
  std::map<Engine, EngineRow> rows_;     // without their cells
  std::map<std::pair<Engine, Column>, Cell> cells_;
  std::map<std::pair<Engine, Column>, std::string> files_;
};

}  // namespace

bool EngineRow::conforms() const {
  return std::ranges::all_of(cells, [](const std::optional<Cell>& cell) {
    return !cell || cell->kind == Cell::Kind::kConforms;
  });
}

Scoreboard make_scoreboard(const std::vector<NamedReport>& reports,
                           const Waivers& causes,
                           const std::map<Engine, SpeedRange>& speeds,
                           const Date& today,
                           const std::vector<KeptRow>& kept) {
  return Maker(causes, today).make(reports, speeds, kept);
}

}  // namespace ropeproof::conformance::report
