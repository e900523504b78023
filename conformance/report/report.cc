#include "conformance/report/report.h"

#include <algorithm>
#include <set>

#include "conformance/judge/judge.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/report/headline.h"
#include "conformance/report/requirement.h"
#include "conformance/report/unasked.h"
#include "conformance/text/format.h"
#include "conformance/text/wildcard.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::report {
namespace {

double ratio_of(const check::Check& check) {
  return check.measurement && check.measurement->worst
             ? check.measurement->worst->ratio()
             : -1;
}

std::optional<std::uint32_t> tightest(const std::array<double, 3>& ratio) {
  for (std::uint32_t i = 0; i < ratio.size(); ++i) {
    if (ratio[i] <= 1) return i;
  }
  return std::nullopt;
}

// Whether results are as good as exact angles in the dtype of the tensors.
bool has_exact_angles(const plugin::Description& kernel) {
  return std::ranges::all_of(plugin::kDtypeWords, [&](const auto& dtype) {
    if ((kernel.dtypes & dtype.first) == 0) return true;
    const ropeproof_claim& claim = kernel.claim(dtype.first);
    return claim.angle_class == ROPEPROOF_A0 &&
           !has_coarse_table(claim, dtype.first);
  });
}

Level level_of(const Report& report, const Totals& totals,
               bool structure_holds) {
  if (!report.is_whole_tier || !report.shard.is_whole()) return Level::kPart;
  const bool has_values =
      std::ranges::any_of(report.checks, [](const check::Check& check) {
        return check.is_of_values() && check.passes();
      });
  if (!has_values) return Level::kNone;
  const bool conforms = exit_status(totals) == 0;
  if (!conforms) return structure_holds ? Level::kL0 : Level::kNone;
  if (totals.not_nearest == 0) return Level::kL3;
  return has_exact_angles(report.kernel) ? Level::kL2 : Level::kL1;
}

// A suffix holds if the kernel declares what it promises, something was judged
// for it, and nothing of that failed.
check::Suffixes suffixes_of(const Report& report, const Totals& totals) {
  check::Suffixes suffixes = 0;
  if (totals.level < Level::kL0) return suffixes;
  for (const auto& [suffix, features, meaning] : kAdditions) {
    bool holds = (report.kernel.features & features) == features;
    std::int64_t passed = 0;
    for (const check::Check& check : report.checks) {
      if ((check.suffixes & suffix) == 0) continue;
      if (check.passes()) ++passed;
      holds = holds && (check.passes() || !check::is_judged(check.verdict));
    }
    if (holds && passed > 0) suffixes |= suffix;
  }
  return suffixes;
}

void add_verdict(Totals& totals, const Report& report,
                 const check::Check& check) {
  ++totals.count[check.verdict];
  if (!check::is_judged(check.verdict)) {
    if (check.verdict == check::Verdict::kUnsupported) {
      ++totals.unsupported[check.reason];
    }
    if (!report.profile.empty() && check.is_of_values()) ++totals.lacking;
  }
}

void add_measurement(Totals& totals, const check::Check& check) {
  const judge::Measurement& m = *check.measurement;
  totals.elements += m.elements;
  totals.vacuous += m.vacuous;
  totals.not_nearest += m.not_nearest;
  totals.other_bits += m.other_bits;
  totals.max_norm_ulp = std::max(totals.max_norm_ulp, m.max_norm_ulp);
  totals.phase_rho = std::max(totals.phase_rho, m.phase_rho);
  if (m.phase_error > totals.phase_error ||
      (m.phase_error == totals.phase_error &&
       m.phase_position < totals.phase_position)) {
    totals.phase_error = m.phase_error;
    totals.phase_position = m.phase_position;
  }
  totals.highest_position =
      std::max(totals.highest_position, m.highest_position);
  for (std::size_t k = 0; k < m.at_positions.size(); ++k) {
    totals.at_positions[k] += m.at_positions[k];
    totals.vacuous_at[k] += m.vacuous_at[k];
  }
  totals.has_angles =
      totals.has_angles || (check.operation != ROPEPROOF_ROTATE &&
                            check.operation != ROPEPROOF_LOOKUP &&
                            check.operation != ROPEPROOF_PERMUTE);
  for (std::size_t i = 0; i < m.class_ratio.size(); ++i) {
    totals.class_ratio[i] = std::max(totals.class_ratio[i], m.class_ratio[i]);
  }
  if ((check.operation & plugin::kTensors) != 0) {
    double& of_dtype = totals.dtype_ratio[check.dtype];
    of_dtype = std::max(of_dtype, ratio_of(check));
  }
  const double ratio = ratio_of(check);
  if (ratio >= 0 &&
      (totals.worst == nullptr || ratio > ratio_of(*totals.worst))) {
    totals.worst = &check;
  }
}

// Whether a check of values leaves it open that the structure is right. Waived
// failures are left out; what the contract says of memory is another matter.
bool structure_may_hold(const check::Check& check) {
  if (!check.is_of_values() || check.verdict == check::Verdict::kXfail ||
      !check::is_judged(check.verdict)) {
    return true;
  }
  const bool judged = check.verdict == check::Verdict::kPass ||
                      check.verdict == check::Verdict::kFail;
  return judged && check.measurement && check.reason.empty() &&
         check.measurement->beyond_structure == 0;
}

// The totals of the checks that `takes` accepts.
template <class Takes>
Totals total_where(const Report& report, const Takes& takes) {
  Totals totals;
  bool structure_holds = true;
  for (const check::Check& check : report.checks) {
    if (!takes(check)) continue;
    add_verdict(totals, report, check);
    structure_holds = structure_holds && structure_may_hold(check);
    if (check.measurement) add_measurement(totals, check);
  }
  if (totals.elements > 0) totals.tightest_class = tightest(totals.class_ratio);
  totals.level = level_of(report, totals, structure_holds);
  totals.suffixes = suffixes_of(report, totals);
  return totals;
}

// A shard, or part of a case's operations, decides about no waiver: the
// failures may be elsewhere. So they may for one that covers more cases than
// were asked, unless it names what was asked.
std::vector<const AppliedWaiver*> stale_waivers(const Report& report) {
  std::vector<const AppliedWaiver*> stale;
  if (!report.shard.is_whole() || !report.operations.empty()) return stale;
  for (const AppliedWaiver& applied : report.waivers) {
    if (applied.is_expired) continue;
    std::set<std::string> cases;
    bool some_pass = false, all_pass = true;
    for (const check::Check& check : report.checks) {
      if (!text::matches(applied.waiver.id, check.case_id)) continue;
      cases.insert(check.case_id);
      some_pass = some_pass || check.verdict == check::Verdict::kPass;
      all_pass = all_pass && (check.verdict == check::Verdict::kPass ||
                              !check::is_judged(check.verdict));
    }
    const bool is_named =
        report.is_whole_tier && applied.waiver.asked == report.asked;
    const bool is_judged =
        is_named || static_cast<std::int64_t>(cases.size()) == applied.cases;
    if (is_judged && some_pass && all_pass) stale.push_back(&applied);
  }
  return stale;
}

// "speed 0.5 of plain C++": less than a policy demands; empty where it is
// enough, or not asked for.
std::string slower_than_required(const Report& report) {
  if (!report.speed) return "";
  const Speed& speed = *report.speed;
  if (!speed.fault.empty()) return "no speed: " + speed.fault;
  return speed.ratio >= report.least_speed
             ? ""
             : "speed " + text::format("%.3g", speed.ratio) +
                   " of plain C++, not " +
                   text::format("%.3g", report.least_speed);
}

}  // namespace

std::int64_t Totals::of(check::Verdict verdict) const {
  const auto found = count.find(verdict);
  return found == count.end() ? 0 : found->second;
}

Totals total(const Report& report) {
  Totals totals = total_where(report, [](const check::Check&) { return true; });
  totals.staged_is_missing = report.staged_is_missing;
  totals.is_shard = !report.shard.is_whole();
  totals.weaker = weaker_than_required(report, totals);
  const std::string slower = slower_than_required(report);
  if (!slower.empty())
    totals.weaker += (totals.weaker.empty() ? "" : "; ") + slower;
  totals.stale = stale_waivers(report);
  for (const AppliedWaiver& applied : report.waivers) {
    if (applied.is_expired) totals.expired.push_back(&applied);
  }
  // What the waivers say is no longer true: there is nothing to state.
  if (!totals.stale.empty()) {
    totals.level = Level::kPart;
    totals.suffixes = 0;
  }
  totals.unasked = unasked(report);
  // A profile is about all of its positions.
  const double told = highest_told(totals);
  if (!report.profile.empty() && !totals.is_shard && told >= 0 &&
      told < totals.highest_position) {
    totals.unasked.push_back("positions beyond " + reach_text(totals));
  }
  return totals;
}

Totals total_of(const Report& report, std::uint32_t operations) {
  return total_where(report, [operations](const check::Check& check) {
    return (check.operation & operations) != 0;
  });
}

Totals total(const Report& report, std::uint32_t operation) {
  return total_where(report, [operation](const check::Check& check) {
    return check.operation == operation && check.is_of_values();
  });
}

Totals total_contract(const Report& report, std::uint32_t operations) {
  return total_where(report, [operations](const check::Check& check) {
    return (check.operation & operations) != 0 && !check.is_of_values();
  });
}

std::string suffix_text(check::Suffixes suffixes) {
  std::string text;
  for (const std::string& letter :
       text::words_of(check::kSuffixWords, suffixes)) {
    text += "+" + letter;
  }
  return text;
}

std::string tightest_text(const Totals& totals) {
  return totals.tightest_class
             ? text::word(plugin::kAngleClassWords, *totals.tightest_class)
             : "none";
}

std::string level_text(const Totals& totals) {
  return text::word(totals.level) + suffix_text(totals.suffixes);
}

std::string subcommand(const Report& report) {
  return report.transport == Transport::kFiles ? "check" : "run";
}

std::string angle_classes(const plugin::Description& kernel) {
  std::string text;
  for (const auto& [angle_class, word] : plugin::kAngleClassWords) {
    const bool is_claimed =
        std::ranges::any_of(plugin::kDtypeWords, [&](const auto& dtype) {
          return (kernel.dtypes & dtype.first) != 0 &&
                 kernel.claim(dtype.first).angle_class == angle_class;
        });
    if (is_claimed) text += (text.empty() ? "" : " and ") + std::string(word);
  }
  return text;
}

std::string conformance_statement(const Report& report, const Totals& totals) {
  if (exit_status(totals) != 0 || totals.level == Level::kPart) return "";
  const std::int64_t declined = totals.of(check::Verdict::kDeclined);
  const std::string coarse = coarse_text(report, totals);
  return "engine " + report.kernel.name + " " + report.kernel.version +
         backend_text(report) + ": ropeproof " + report.suite_version +
         ", level " + level_text(totals) + ", " + report.asked +
         (report.seed == 0 ? "" : ", fresh " + std::to_string(report.seed)) +
         ", angle " + angle_classes(report.kernel) +
         (coarse.empty() ? "" : ", with " + coarse) + ", " +
         scope_text(report, totals) + ", " +
         std::to_string(report.waivers.size()) +
         (report.waivers.size() == 1 ? " waiver" : " waivers") +
         (declined == 0
              ? ""
              : ", " + std::to_string(declined) +
                    (declined == 1 ? " check" : " checks") + " declined");
}

bool are_waivers_alone(const Totals& totals) {
  Totals without = totals;
  without.stale.clear();
  without.expired.clear();
  return exit_status(totals) != 0 && exit_status(without) == 0;
}

int exit_status(const Totals& totals) {
  if (totals.of(check::Verdict::kFail) + totals.of(check::Verdict::kCrash) +
              totals.of(check::Verdict::kTimeout) +
              totals.of(check::Verdict::kMissing) >
          0 ||
      !totals.stale.empty() || !totals.expired.empty()) {
    return 1;
  }
  if (totals.of(check::Verdict::kError) > 0) return 3;
  if (totals.lacking > 0 || totals.staged_is_missing) return 1;
  if (totals.of(check::Verdict::kPass) == 0 && !totals.is_shard) return 2;
  if (!totals.weaker.empty()) return 1;
  return totals.unasked.empty() ? 0 : 6;
}

}  // namespace ropeproof::conformance::report
