// difference.h -- two reports of one kernel: what has become of each check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "conformance/report/merge.h"
#include "conformance/report/scoreboard.h"

namespace ropeproof::conformance::report {

enum class Fate {
  kBroken,       // it passed, and fails
  kGivenUp,      // it passed, and the kernel no longer offers it
  kWaived,       // it passed, and fails under a waiver
  kFixed,        // it failed, waived or not, and passes
  kStillFails,   // waived or not
  kStillPasses,  //
  kNew,          // it was not judged, or not asked
  kGone,         // it is no longer asked, or failed and is not judged
};

struct CheckPair {
  const check::Check* before = nullptr;  // null: not in the report
  const check::Check* after = nullptr;
};

// How far off the values of one operation and dtype are, in the checks of both
// reports that were judged.
struct Drift {
  std::uint32_t operation = 0, dtype = 0;
  double ratio_before = -1, ratio_after = -1;  // worst/bound; below 0: not seen
  double rho_before = -1, rho_after = -1;      // as Measurement::phase_rho
  std::string worst_case;                      // of `ratio_after`

  bool is_drifted() const;  // to three digits
};

struct SpeedDrift {
  Engine engine;
  SpeedRange before, after;
};

struct Difference {
  // `before` and `after` outlive it.
  const NamedReport* before = nullptr;
  const NamedReport* after = nullptr;
  std::map<Fate, std::vector<CheckPair>> checks;  // in the order of `after`
  std::vector<Drift> drifts;                      // those that are drifted
  std::vector<SpeedDrift> speeds;  // of engines with figures in both

  const std::vector<CheckPair>& of(Fate fate) const;
  std::size_t compared() const;  // checks that both reports judged
  // The program's: 1 something is broken or given up, 2 nothing was compared.
  int exit_status() const;
};

// Compares two reports check by check. Reports of unlike shards, or of unlike
// seeds, ask different questions under one name: they throw ReportError.
Difference difference_of(const NamedReport& before, const NamedReport& after,
                         const std::map<Engine, SpeedRange>& speeds_before = {},
                         const std::map<Engine, SpeedRange>& speeds_after = {});

// Writes it for people, and as a comment for a pull request; of each list at
// most `most` checks.
std::string difference_text(const Difference& difference, std::size_t most);
std::string difference_markdown(const Difference& difference, std::size_t most);

}  // namespace ropeproof::conformance::report
