// submission.h -- reports that somebody hands in for an engine, before they
// enter the scoreboard.
#pragma once

#include <string>
#include <vector>

#include "conformance/cases/corpus.h"
#include "conformance/report/merge.h"
#include "conformance/report/waivers.h"

namespace ropeproof::conformance::report {

struct Submission {
  std::vector<NamedReport> reports;
  Waivers causes;                  // as of make_scoreboard()
  std::vector<NamedReport> again;  // of the same engine, by who looks at it
};

// What is to be said of it, a line each.
struct Findings {
  std::vector<std::string> cells;   // what each report would add
  std::vector<std::string> faults;  // empty: it may enter
};

// Looks at a submission with the eyes of the suite of this program: `corpus`
// and `version`. A fault is a report of another suite or vectors, of the smoke
// tier, of a kernel in the suite's own process, one in which committed cases of
// its tier are missing, red without a cause, or with other verdicts than
// `again`. Numbers that somebody wrote by hand into a report, consistently,
// only `again` finds. Throws ReportError as make_scoreboard() does.
Findings look_at(const Submission& submission, const cases::Corpus& corpus,
                 const std::string& version, const Date& today);

}  // namespace ropeproof::conformance::report
