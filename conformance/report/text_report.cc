#include <algorithm>
#include <sstream>
#include <vector>

#include "conformance/judge/judge.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/report/declined.h"
#include "conformance/report/diagnoses_text.h"
#include "conformance/report/failure_text.h"
#include "conformance/report/headline.h"
#include "conformance/report/text_parts.h"
#include "conformance/report/unasked.h"
#include "conformance/text/one_line.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::report {
namespace {

std::string claims_paragraphs(const plugin::Description& kernel) {
  std::string text;
  for (const std::string& claim : claims_texts(kernel)) {
    text += paragraph(text.empty() ? "claims" : "", claim);
  }
  return text;
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
         paragraph("offers", offers_text(r.kernel)) +
         claims_paragraphs(r.kernel) + "\n";
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

// What was not judged, and why: the most frequent reasons, or all of them.
std::string not_judged(const Report& report, const Totals& totals,
                       const Totals& included, bool has_details) {
  const auto reasons = unsupported_reasons(included);
  constexpr std::size_t kRoom = kColumns - 40;  // beside the rest of the line
  std::string text;
  std::size_t shown = 0;
  for (; shown < reasons.size(); ++shown) {
    const auto& [count, reason] = reasons[shown];
    const std::string next =
        text.empty() ? reason + " (" + counted(count, "check") + ")"
                     : ", " + reason + " (" + std::to_string(count) + ")";
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
    result += paragraph("not judged:", "too little was judged of " +
                                           text::joined(totals.unasked, ", "));
  }
  return result;
}

std::string verdict(const Report& report, const Totals& totals,
                    const Totals& included) {
  std::string text = headline(report, totals) + "   " + report.kernel.name +
                     " " + report.kernel.version + ": " +
                     verdict_counts(included);
  const std::string meant = level_meaning(totals);
  text += "\n" + (meant.empty() ? "" : paragraph("", meant));
  if (!report.required.empty()) {
    text += paragraph("required", report.required + required_text(totals));
  }
  const std::string stated = conformance_statement(report, totals);
  return text + (stated.empty() ? "" : stated + "\n");
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
  for (const std::string& waiver : waiver_texts(report, totals)) {
    out << "  " << waiver << "\n";
  }
  out << (failing.empty() ? "\n" : "") << verdict(report, totals, included);
  return text::printable(out.str());
}

}  // namespace ropeproof::conformance::report
