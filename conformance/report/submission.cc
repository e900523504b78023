#include "conformance/report/submission.h"

#include <algorithm>
#include <set>

#include "conformance/check/filter.h"
#include "conformance/report/difference.h"
#include "conformance/report/scoreboard.h"
#include "conformance/text/one_line.h"
#include "conformance/text/sha256.h"

namespace ropeproof::conformance::report {
namespace {

bool is_of_same(const Report& a, const Report& b) {
  return a.kernel.name == b.kernel.name &&
         a.kernel.version == b.kernel.version && a.asked == b.asked;
}

// A report without what a path and waivers change: the run stays the same.
std::string bytes_of(Report report) {
  report.kernel_argument.clear();
  report.required.clear();
  report.waivers.clear();
  return json_report(report);
}

// How often checks of `again` end otherwise.
std::size_t changed(const NamedReport& submitted, const NamedReport& again) {
  const Difference difference = difference_of(submitted, again);
  std::size_t count = 0;
  for (const auto& [fate, checks] : difference.checks) {
    const bool is_same =
        fate == Fate::kStillPasses || fate == Fate::kStillFails;
    count += is_same ? 0 : checks.size();
  }
  return count;
}

class Looker {
 public:
  Looker(const Submission& submission, const cases::Corpus& corpus,
         const std::string& version)
      : submission_(submission), corpus_(corpus), version_(version) {}

  Findings look(const Date& today) {
    for (const NamedReport& named : submission_.reports) look_at_one(named);
    const Scoreboard board =
        make_scoreboard(submission_.reports, submission_.causes, {}, today);
    for (const std::string& point : open_points(board)) fault(point);
    for (const EngineRow& row : board.rows) {
      for (std::size_t i = 0; i < row.cells.size(); ++i) {
        if (row.cells[i]) add_cell(row.engine, board.columns[i], *row.cells[i]);
      }
    }
    for (const NamedReport& named : submission_.again) {
      if (std::ranges::none_of(
              submission_.reports, [&](const NamedReport& submitted) {
                return is_of_same(named.report, submitted.report);
              })) {
        fault(named.file +
              ": no report is of the same engine, version and tier"
              " or profile");
      }
    }
    return std::move(findings_);
  }

 private:
  void fault(const std::string& line) {
    findings_.faults.push_back(text::one_line(line));
  }

  void look_at_one(const NamedReport& named) {
    const Report& report = named.report;
    const std::string& file = named.file;
    if (report.suite_version != version_) {
      fault(file + ": of ropeproof " + report.suite_version + "; this is " +
            version_);
    }
    if (report.manifest_sha256 != corpus_.manifest_sha256) {
      fault(file + ": of other vectors than those of this program");
    }
    if (report.tier == cases::Tier::kSmoke) {
      fault(file + ": the smoke tier is too little; run core, or a profile");
    }
    if (!report.is_forked) fault(file + ": judged with --no-fork");
    if (report.kernel.name.empty() || report.kernel.version.empty()) {
      fault(file + ": the engine has no name, or no version");
    }
    look_for_cases(named);
  }

  void look_for_cases(const NamedReport& named) {
    std::set<std::string> there;
    std::string ids;
    for (const check::Check& check : named.report.checks) {
      if (there.insert(check.case_id).second) ids += check.case_id + "\n";
    }
    if (text::sha256(ids) != named.report.cases_sha256) {
      fault(named.file + ": its checks are not those of the cases it names");
    }
    if (!named.report.tier) return;  // a profile forms its cases
    std::size_t missing = 0;
    std::string first;
    for (const check::Named& c : check::all_cases(corpus_, {})) {
      if (c.tier > *named.report.tier || there.contains(c.id)) continue;
      if (missing++ == 0) first = c.id;
    }
    if (missing > 0) {
      fault(named.file + ": " + std::to_string(missing) +
            " committed cases are missing, the first is " + first);
    }
  }

  void add_cell(const Engine& engine, const Column& column, const Cell& cell) {
    findings_.cells.push_back(
        text::one_line(engine.name + " " + engine.version + ", " +
                       column.asked + ": " + verdict_text(cell) + "; " +
                       figures_text(cell) + "; " + standing(engine, column)));
  }

  std::string standing(const Engine& engine, const Column& column) {
    const NamedReport* submitted = nullptr;
    for (const NamedReport& named : submission_.reports) {
      const Report& report = named.report;
      if (report.kernel.name == engine.name &&
          report.kernel.version == engine.version &&
          report.asked == column.asked && report.profile == column.profile) {
        submitted = &named;
      }
    }
    const auto again =
        std::ranges::find_if(submission_.again, [&](const NamedReport& named) {
          return is_of_same(named.report, submitted->report);
        });
    if (again == submission_.again.end()) return "self-declared";
    if (bytes_of(again->report) == bytes_of(submitted->report)) {
      return "reproduced, the same bytes";
    }
    const std::size_t count = changed(*submitted, *again);
    if (count == 0) return "reproduced, the same verdicts";
    fault(submitted->file + ": " + std::to_string(count) +
          " checks have another verdict in " + again->file +
          "; `ropeproof diff` names them");
    return "not reproduced";
  }

  const Submission& submission_;
  const cases::Corpus& corpus_;
  const std::string& version_;
  Findings findings_;
};

}  // namespace

Findings look_at(const Submission& submission, const cases::Corpus& corpus,
                 const std::string& version, const Date& today) {
  return Looker(submission, corpus, version).look(today);
}

}  // namespace ropeproof::conformance::report
