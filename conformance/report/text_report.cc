#include <algorithm>
#include <sstream>
#include <vector>

#include "conformance/judge/judge.h"
#include "conformance/judge/tolerance.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/report/apply.h"
#include "conformance/report/declined.h"
#include "conformance/report/diagnoses_text.h"
#include "conformance/report/failure_text.h"
#include "conformance/report/headline.h"
#include "conformance/report/unasked.h"
#include "conformance/text/one_line.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::report {
namespace {

template <std::size_t kSize>
std::string bit_words(const text::Words<std::uint32_t, kSize>& words,
                      std::uint32_t bits) {
  return text::joined(text::words_of(words, bits), " ");
}

// How the angles are formed, and what is not as most kernels do it.
std::string claim_text(const ropeproof_claim& k, std::uint32_t dtypes) {
  std::string text =
      "angle " + text::word(plugin::kAngleClassWords, k.angle_class) + ", ";
  if (k.angle_class == ROPEPROOF_A0) text += "error independent of position";
  if (k.angle_class == ROPEPROOF_A1) {
    const std::string format = k.angle_dtype == ROPEPROOF_F64 ? "f64" : "f32";
    text += format + " position x " + format + " frequency by " +
            (k.power == ROPEPROOF_EXP2 ? "exp2" : "pow");
    if (k.power_ulp > 1) {
      text += " within " + std::to_string(k.power_ulp) + " ulp";
    }
  }
  if (k.angle_class == ROPEPROOF_A2) text += "each frequency from the last";
  if (k.angle_class == ROPEPROOF_A3) {
    text += "formed in " + text::word(plugin::kDtypeWords, k.angle_dtype);
  }
  text += "; sin and cos within " + std::to_string(k.trig_ulp) + " ulp";
  const bool is_16_bit = (dtypes & plugin::k16BitDtypes) != 0;
  if (k.table_dtype != 0) {
    text += ", held in " + text::word(plugin::kDtypeWords, k.table_dtype);
  } else if (is_16_bit) {
    text += ", held in the type of the tensors";
  }
  if (is_16_bit) {
    text += k.rounding == ROPEPROOF_ROUND_EACH ? "; every operation rounded"
            : k.rounding == ROPEPROOF_TRUNCATE ? "; truncated"
                                               : "; rounded once";
  }
  return text;
}

// Of every dtype; those of a claim that is not for all are named.
std::string claims_text(const plugin::Description& kernel) {
  std::string text;
  std::uint32_t left = kernel.dtypes;
  for (const ropeproof_claim& claim : kernel.claims) {
    const std::uint32_t dtypes = claim.dtypes == 0 ? left : left & claim.dtypes;
    if (dtypes == 0) continue;
    const std::string named =
        dtypes == kernel.dtypes ? ""
                                : bit_words(plugin::kDtypeWords, dtypes) + ": ";
    text += paragraph(text.empty() ? "claims" : "",
                      named + claim_text(claim, dtypes));
    left &= ~dtypes;
  }
  return text;
}

std::string offers_text(const plugin::Description& kernel) {
  std::string text = bit_words(plugin::kOperationWords, kernel.operations) +
                     " | " + bit_words(plugin::kDtypeWords, kernel.dtypes) +
                     " | " +
                     bit_words(plugin::kAbiPairingWords, kernel.pairings);
  if (kernel.max_position > 0) {
    text += " | positions to " + std::to_string(kernel.max_position);
  }
  return paragraph("offers", text);
}

// What stands in for the kernel's device, and what no verdict of it says.
std::string backend_lines(const plugin::Description& kernel) {
  if (!kernel.backend) return "";
  const plugin::Backend& b = *kernel.backend;
  std::string text = paragraph(
      "on", b.name + " " + b.version + ": " + b.shows + "; not " + b.hides);
  if (!b.left_out.empty()) {
    text += paragraph("without", text::joined(b.left_out, "; "));
  }
  return text;
}

std::string header(const Report& r, bool has_details) {
  std::string text =
      "ropeproof " + r.suite_version + "   vectors " + r.vectors_version;
  if (has_details) {
    text += " (manifest " + r.manifest_sha256.substr(0, 12) + ")";
  }
  text += "   " + r.selection;
  if (!r.operations.empty()) text += ", only " + r.operations;
  if (!r.shard.is_whole()) text += ", shard " + r.shard.text();
  return text + "\n  kernel   " + r.kernel.name + " " + r.kernel.version +
         "   " + r.kernel_argument + "\n" + backend_lines(r.kernel) +
         offers_text(r.kernel) + claims_text(r.kernel) + "\n";
}

std::string row(const std::string& name, const Totals& totals,
                const std::string& note, bool has_details) {
  const std::int64_t passed = totals.of(check::Verdict::kPass);
  const std::int64_t unsupported = totals.of(check::Verdict::kUnsupported) +
                                   totals.of(check::Verdict::kDeclined);
  std::int64_t all = 0;
  for (const auto& [verdict, count] : totals.count) all += count;
  if (all == 0) return "";
  std::string text = format("  %-12s %6lld %6lld  %11lld", name.c_str(),
                            static_cast<long long>(passed),
                            static_cast<long long>(all - passed - unsupported),
                            static_cast<long long>(unsupported));
  const check::Check* worst = totals.worst;
  if (worst == nullptr || !worst->measurement->worst) {
    return text + (note.empty() ? "" : "   " + note) + "\n";
  }
  const judge::Element& e = *worst->measurement->worst;
  text += format("   %-11s  ", ratio_text(e.ratio()).c_str());
  if (has_details) {
    text += format("%-8s  ", ratio_text(totals.max_norm_ulp).c_str());
  }
  return text + worst->case_id + (has_details ? " " + place(e) : "") + "\n";
}

// What is counted: operations that the kernel does not offer are left out,
// unless details are asked for.
std::uint32_t counted_operations(const Report& report, bool has_details) {
  return has_details ? text::all_bits(plugin::kOperationWords)
                     : report.kernel.operations;
}

std::string text_table(const Report& report, bool has_details) {
  std::string text =
      "  operation      pass   fail   not judged   worst/bound  ";
  text += has_details ? "norm-ulp  at\n" : "at\n";
  const std::uint32_t operations = counted_operations(report, has_details);
  for (const auto& [operation, name] : plugin::kOperationWords) {
    if ((operations & operation) == 0) continue;
    text += row(std::string(name), total(report, operation), "", has_details);
  }
  return text + row("contract", total_contract(report, operations),
                    "memory, refusals, the same bits again", has_details);
}

// Where the angles are seen, how good they are; and each dtype's worst.
void print_figures(std::ostringstream& out, const Totals& totals) {
  if (totals.has_angles) {
    out << "  angle    "
        << (totals.tightest_class
                ? tightest_text(totals) + " is the tightest that holds"
                : "none holds")
        << " (error over bound:";
    constexpr const char* kNames[] = {" A0 ", ", A1 ", ", A2 "};
    for (std::size_t i = 0; i < totals.class_ratio.size(); ++i) {
      out << kNames[i] << ratio_text(totals.class_ratio[i]);
    }
    out << ")\n";
  }
  if (totals.phase_rho >= 0) {
    out << "  phase    rho " << ratio_text(totals.phase_rho)
        << " (a frequency rounded once to f32 reaches 1, by exp2 4, iterated "
           "16)\n";
  }
  if (totals.elements == 0) return;
  const auto percent = [&](std::int64_t count) {
    return format("%.1f %%", 100.0 * static_cast<double>(count) /
                                 static_cast<double>(totals.elements));
  };
  out << "  elements " << totals.elements << ", "
      << percent(totals.elements - totals.not_nearest) << " correctly rounded, "
      << totals.vacuous << " (" << percent(totals.vacuous)
      << ") not judged: their bound accepts any rotation\n";
  if (totals.dtype_ratio.size() < 2) return;
  const char* label = "  dtypes   worst/bound ";
  for (const auto& [dtype, ratio] : totals.dtype_ratio) {
    out << label << text::word(plugin::kDtypeWords, dtype) << " "
        << ratio_text(ratio);
    label = ", ";
  }
  out << "\n";
}

std::string counted(std::int64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// Every waiver of the run, on every run. A check belongs to the first waiver
// that covers it.
void print_waivers(std::ostringstream& out, const Report& report,
                   const Totals& totals) {
  std::vector<std::int64_t> waived(report.waivers.size());
  for (const check::Check& check : report.checks) {
    if (check.verdict != check::Verdict::kXfail) continue;
    const AppliedWaiver* waiver = covering(report.waivers, check.case_id);
    ++waived[static_cast<std::size_t>(waiver - report.waivers.data())];
  }
  for (std::size_t i = 0; i < waived.size(); ++i) {
    const AppliedWaiver& applied = report.waivers[i];
    const bool is_stale = std::ranges::count(totals.stale, &applied) > 0;
    const std::string day = date_text(applied.waiver.expires);
    if (applied.is_expired) {
      out << "  EXPIRED  " << applied.waiver.id << ": ended on " << day
          << ", remove the waiver or move the date";
    } else if (is_stale) {
      out << "  XPASS    " << applied.waiver.id
          << ": no check fails any more, remove the waiver";
    } else {
      out << "  waived   " << applied.waiver.id << ": "
          << counted(waived[i], "check") << " of this run, until " << day;
    }
    out << " (" << applied.waiver.reason << "; " << applied.waiver.link
        << ")\n";
  }
}

// What was not judged, and why: the most frequent reasons, or all of them.
std::string not_judged(const Report& report, const Totals& totals,
                       const Totals& included, bool has_details) {
  std::vector<std::pair<std::int64_t, std::string>> reasons;
  for (const auto& [reason, count] : included.unsupported) {
    reasons.emplace_back(-count, reason);
  }
  std::ranges::sort(reasons);
  constexpr std::size_t kRoom = kColumns - 40;  // beside the rest of the line
  std::string text;
  std::size_t shown = 0;
  for (; shown < reasons.size(); ++shown) {
    const auto& [count, reason] = reasons[shown];
    const std::string next = (text.empty() ? "" : ", ") + reason + " (" +
                             std::to_string(-count) +
                             (text.empty() ? " checks)" : ")");
    if (!has_details && text.size() + next.size() > kRoom) break;
    text += next;
  }
  if (shown < reasons.size()) {
    text +=
        " and " + std::to_string(reasons.size() - shown) + " more; --details";
  }
  std::string result;
  if (!text.empty()) result = paragraph("unsupported:", text);
  for (const DeclinedCases& declined : declined_cases(report)) {
    result += paragraph(
        "declined:", counted(declined.cases, "case") + ": " + declined.words);
  }
  if (!totals.unasked.empty()) {
    result += paragraph("not judged:",
                        "declared, but too few judged cases touch it: " +
                            text::joined(totals.unasked, ", "));
  }
  return result;
}

constexpr text::Words<Level, 5> kLevelMeanings{
    {{Level::kNone,
      "not even pairs, signs and positions are right in every case"},
     {Level::kL0,
      "pairs, signs and positions are right, something else is not"},
     {Level::kL1, "every element within the bound that follows from its claim"},
     {Level::kL2,
      "every element within the bound of exact angles, at any position"},
     {Level::kL3, "every element correctly rounded"}}};

// What the level and its suffixes say.
std::string meaning(const Totals& totals) {
  if (totals.lacking > 0) {
    return counted(totals.lacking, "check") +
           " of the profile need what the kernel does not offer";
  }
  if (totals.level == Level::kPart || totals.of(check::Verdict::kPass) == 0) {
    return "";
  }
  std::string text = text::word(totals.level) + ": " +
                     text::word(kLevelMeanings, totals.level);
  for (const auto& [suffix, features, meaning] : kAdditions) {
    if ((totals.suffixes & suffix) == 0) continue;
    text += "; " + text::word(check::kSuffixWords, suffix) + ": " + meaning;
  }
  const std::int64_t waived = totals.of(check::Verdict::kXfail);
  return waived == 0 ? text
                     : text + "; but for " + counted(waived, "waived check");
}

std::string required_text(const Totals& totals) {
  if (!totals.weaker.empty()) return ": there is " + totals.weaker;
  return totals.is_shard ? ": see the merged report" : ": holds";
}

std::string verdict(const Report& report, const Totals& totals,
                    const Totals& included) {
  std::string text = headline(report, totals) + "   " + report.kernel.name +
                     " " + report.kernel.version + ": ";
  const char* separator = "";
  for (const check::Verdict verdict :
       {check::Verdict::kPass, check::Verdict::kFail, check::Verdict::kCrash,
        check::Verdict::kTimeout, check::Verdict::kMissing,
        check::Verdict::kError, check::Verdict::kXfail,
        check::Verdict::kDeclined, check::Verdict::kUnsupported}) {
    const std::int64_t count = included.of(verdict);
    if (count == 0 && verdict != check::Verdict::kPass) continue;
    text += separator + std::to_string(count) + " " + text::word(verdict);
    separator = ", ";
  }
  const std::string meant = meaning(totals);
  text += "\n" + (meant.empty() ? "" : paragraph("", meant));
  if (!report.required.empty()) {
    text += paragraph("required", report.required + required_text(totals));
  }
  const std::string stated = conformance_statement(report, totals);
  return text + (stated.empty() ? "" : stated + "\n");
}

// In their order, but last those among calls at once that are wrong without the
// others, too: another check says of them what is wrong.
std::vector<const check::Check*> failing_checks(const Report& report) {
  std::vector<const check::Check*> failing;
  for (const check::Check& check : report.checks) {
    if (check::is_failure(check.verdict)) failing.push_back(&check);
  }
  std::ranges::stable_partition(failing, [](const check::Check* check) {
    return check->retry != check::Retry::kWrongAlone;
  });
  return failing;
}

}  // namespace

std::string text_report(const Report& report, std::size_t max_failures,
                        bool has_details) {
  const Totals totals = total(report);
  const Totals included =
      total_of(report, counted_operations(report, has_details));
  std::ostringstream out;
  out << header(report, has_details);
  out << diagnoses_text(report.diagnoses, has_details);
  const std::vector<const check::Check*> failing = failing_checks(report);
  const std::size_t shown = std::min(failing.size(), max_failures);
  for (std::size_t i = 0; i < shown; ++i) {
    out << (i > 0 ? "\n" : "")
        << failure_text(report, *failing[i], has_details);
  }
  if (failing.size() > shown) {
    out << "... and " << failing.size() - shown
        << " more that fail; --failures N shows them\n";
  }
  if (!failing.empty()) out << "\n";
  out << text_table(report, has_details)
      << not_judged(report, totals, included, has_details);
  if (totals.other_bits > 0) {
    out << paragraph("outside:",
                     counted(totals.other_bits, "element") +
                         " outside the window with another NaN, the other "
                         "zero, or a NaN beside an infinity or a NaN; "
                         "special_values would fail them");
  }
  if (has_details) print_figures(out, totals);
  if (!report.staged.empty() && (has_details || report.staged_is_missing)) {
    out << "  staged   " << report.staged
        << (report.staged_is_missing ? " (asked for by --staged)" : "") << "\n";
  }
  print_waivers(out, report, totals);
  out << (failing.empty() ? "\n" : "") << verdict(report, totals, included);
  return text::printable(out.str());
}

}  // namespace ropeproof::conformance::report
