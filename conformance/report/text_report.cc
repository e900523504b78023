#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "conformance/plugin/words.h"
#include "conformance/report/apply.h"
#include "conformance/report/report.h"
#include "conformance/text/words.h"

namespace ropeproof::conformance::report {
namespace {

template <class... Arguments>
std::string format(const char* pattern, Arguments... arguments) {
  char buffer[256];
  std::snprintf(buffer, sizeof buffer, pattern, arguments...);
  return buffer;
}

// 0.64, 12.3, 4.1e+06: three digits are enough to compare a ratio with 1.
std::string ratio_text(double ratio) {
  if (std::isinf(ratio)) return "inf";
  if (ratio < 1000) return format("%.3g", ratio);
  // An error where the exact result is zero exceeds any sensible multiple.
  return ratio < 1e12 ? format("%.1e", ratio) : ">1e12";
}

std::string place(const judge::Element& e) {
  std::ostringstream text;
  if (e.tensor == "inv_freq") {
    text << "inv_freq[" << e.channel << "]";
  } else if (e.tensor == "permuted") {
    text << "head " << e.head << " row " << e.channel << " column " << e.token;
  } else if (e.tensor == "cos" || e.tensor == "sin") {
    text << e.tensor << "[" << e.batch << "," << e.token << "," << e.channel
         << "]";
  } else {
    text << e.tensor << "[" << e.batch << "," << e.token << "," << e.head << ","
         << e.channel << "]";
  }
  if (e.tensor == "q" || e.tensor == "k" || e.tensor == "cos" ||
      e.tensor == "sin") {
    if (e.pair >= 0) text << " pair " << e.pair;
    const bool whole = e.position == std::floor(e.position);
    text << " position " << format(whole ? "%.0f" : "%.12g", e.position);
    if (e.pair < 0) text << ", outside the window";
  }
  return text.str();
}

std::string value_text(double value, std::uint64_t bits,
                       reference::Format number_format) {
  const int digits = reference::traits(number_format).total_bits / 4;
  return format("%.9g (%0*llx)", value, digits,
                static_cast<unsigned long long>(bits));
}

void print_element(std::ostringstream& out, const char* label,
                   const judge::Element& e) {
  out << "  " << label << place(e) << "\n           got "
      << value_text(e.got, e.got_bits, e.format) << ", want "
      << value_text(e.want, e.want_bits, e.format);
  if (std::isfinite(e.error)) {
    out << format(", off by %.3g = ", e.error) << ratio_text(e.ratio())
        << " x the bound";
  }
  out << "\n";
}

}  // namespace

std::string failure_text(const Report& report, const check::Check& check) {
  std::ostringstream out;
  const std::string operation =
      text::word(plugin::kOperationWords, check.operation);
  out << check::verdict_word(check.verdict) << "  " << check.case_id << "  "
      << operation << (check.aspect.empty() ? "" : "  " + check.aspect)
      << "\n  case     " << check.summary << "\n";
  if (!check.reason.empty()) out << "  because  " << check.reason << "\n";
  if (check.measurement && !check.measurement->pass()) {
    for (std::size_t i = 0; i < check.targets.size(); ++i) {
      out << (i == 0 ? "  targets  " : "           ") << check.targets[i]
          << "\n";
    }
    const judge::Measurement& m = *check.measurement;
    print_element(out, "first    ", *m.first_wrong);
    print_element(out, "worst    ", *m.worst);
    out << "  pattern  " << m.pattern << "\n";
  }
  const std::string replay = "ropeproof " + report.subcommand + " " +
                             report.kernel_argument + " --case " +
                             check.case_id + " --operation " + operation;
  out << "  replay   " << replay << "\n";
  if (report.subcommand == "run" &&
      !report.kernel_argument.starts_with("--command")) {
    out << "  debug    gdb --args " << replay << " --no-fork\n";
  }
  return out.str();
}

namespace {

template <std::size_t kSize>
std::string bit_words(const text::Words<std::uint32_t, kSize>& words,
                      std::uint32_t bits) {
  std::string text;
  for (const auto& [bit, name] : words) {
    if ((bits & bit) == 0) continue;
    if (!text.empty()) text += " ";
    text += name;
  }
  return text;
}

std::string claim_text(const plugin::Description& k) {
  std::string text =
      "angle " + text::word(plugin::kAngleClassWords, k.angle_class);
  if (k.angle_class == ROPEPROOF_A1) {
    text += k.power == ROPEPROOF_EXP2 ? " by exp2" : " by pow";
    if (k.angle_dtype == ROPEPROOF_F64) text += " in f64";
  }
  if (k.angle_class == ROPEPROOF_A3) {
    text += " in " + text::word(plugin::kDtypeWords, k.angle_dtype);
  }
  text += ", sin and cos within " + std::to_string(std::max(k.trig_ulp, 1u)) +
          " ulp, table " +
          (k.table_dtype == 0 ? "as the tensors"
                              : text::word(plugin::kDtypeWords, k.table_dtype));
  if ((k.dtypes & (ROPEPROOF_F16 | ROPEPROOF_BF16)) != 0) {
    text += k.rounding == ROPEPROOF_ROUND_EACH ? ", every operation rounded"
                                               : ", rounded once";
  }
  return text;
}

void print_header(std::ostringstream& out, const Report& r) {
  out << "ropeproof " << r.suite_version << "   vectors " << r.vectors_version
      << " (manifest " << r.manifest_sha256.substr(0, 12) << ")   "
      << r.selection << (r.operations.empty() ? "" : ", only " + r.operations)
      << (r.shard.is_whole() ? "" : ", shard " + r.shard.text()) << "\n"
      << "kernel   " << r.kernel.name << " " << r.kernel.version << "   "
      << r.kernel_argument << "\n"
      << "offers   " << bit_words(plugin::kOperationWords, r.kernel.operations)
      << " | " << bit_words(plugin::kDtypeWords, r.kernel.dtypes) << " | "
      << bit_words(plugin::kAbiPairingWords, r.kernel.pairings) << "\n"
      << "claims   " << claim_text(r.kernel) << "\n\n";
}

void print_row(std::ostringstream& out, const std::string& name,
               const Totals& totals) {
  const std::int64_t passed = totals.of(check::Verdict::kPass);
  const std::int64_t unsupported = totals.of(check::Verdict::kUnsupported);
  std::int64_t all = 0;
  for (const auto& [verdict, count] : totals.count) all += count;
  if (all == 0) return;
  out << format("  %-12s %5lld  %5lld  %11lld", name.c_str(),
                static_cast<long long>(passed),
                static_cast<long long>(all - passed - unsupported),
                static_cast<long long>(unsupported));
  if (totals.worst != nullptr && totals.worst->measurement->worst) {
    const judge::Measurement& m = *totals.worst->measurement;
    out << format("   %11s  %8s  ", ratio_text(m.worst->ratio()).c_str(),
                  ratio_text(totals.max_norm_ulp).c_str())
        << totals.worst->case_id << " " << place(*m.worst);
  }
  out << "\n";
}

void print_table(std::ostringstream& out, const Report& report) {
  out << "  operation     pass   fail  unsupported   worst/bound  norm-ulp  "
         "worst element\n";
  for (const auto& [operation, name] : plugin::kOperationWords) {
    print_row(out, std::string(name), total(report, operation));
  }
  print_row(out, "contract", total_contract(report));
}

// Where the angles are seen, how good they are; and each dtype's worst.
void print_figures(std::ostringstream& out, const Totals& totals) {
  if (totals.has_angles) {
    out << "  angle class  "
        << (totals.tightest_class == "none"
                ? "none holds"
                : totals.tightest_class + " is the tightest that holds")
        << " (error over bound:";
    constexpr const char* kNames[] = {" A0 ", ", A1 ", ", A2 "};
    for (std::size_t i = 0; i < totals.class_ratio.size(); ++i) {
      out << kNames[i] << ratio_text(totals.class_ratio[i]);
    }
    out << ")\n";
  }
  if (totals.phase_rho >= 0) {
    out << "  phase grade  " << judge::phase_grade(totals.phase_rho) << " (rho "
        << ratio_text(totals.phase_rho)
        << ": A frequency rounded once <= 1, B by exp2 <= 4, C iterated <= "
           "16)\n";
  }
  if (totals.elements == 0) return;
  const auto percent = [&](std::int64_t count) {
    return format("%.1f %%", 100.0 * static_cast<double>(count) /
                                 static_cast<double>(totals.elements));
  };
  out << "  elements     " << totals.elements << ", "
      << percent(totals.elements - totals.not_nearest) << " correctly rounded, "
      << totals.vacuous << " (" << percent(totals.vacuous)
      << ") with a bound that says nothing\n";
  if (totals.dtype_ratio.size() < 2) return;
  const char* label = "  worst/bound  ";
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
      out << "  EXPIRED      " << applied.waiver.id << ": ended on " << day
          << ", remove the waiver or move the date";
    } else if (is_stale) {
      out << "  XPASS        " << applied.waiver.id
          << ": no check fails any more, remove the waiver";
    } else {
      out << "  waived       " << applied.waiver.id << ": "
          << counted(waived[i], "check") << " of this run, until " << day;
    }
    out << " (" << applied.waiver.reason << "; " << applied.waiver.link
        << ")\n";
  }
}

std::string statement(const Report& report, const Totals& totals) {
  if (exit_status(totals) == 0 && totals.of(check::Verdict::kPass) == 0 &&
      totals.of(check::Verdict::kXfail) == 0) {
    return "shard " + report.shard.text() + ": nothing to judge here";
  }
  std::string level;
  if (!report.shard.is_whole()) {
    level = " on shard " + report.shard.text();
  } else if (totals.level.empty()) {
    level = " on part of a tier";
  } else {
    level = "  level " + totals.level + totals.suffixes;
  }
  if (!report.waivers.empty()) {
    level +=
        " (" + std::to_string(totals.of(check::Verdict::kXfail)) + " waived)";
  }
  switch (exit_status(totals)) {
    case 0:
      return "CONFORMS" + level;
    case 1:
      if (!are_waivers_alone(totals)) return "DOES NOT CONFORM" + level;
      return totals.expired.empty() ? "STALE WAIVER" : "EXPIRED WAIVER";
    case 2:
      return "NOTHING WAS JUDGED";
    default:
      return "ADAPTER ERROR";
  }
}

void print_footer(std::ostringstream& out, const Report& report,
                  const Totals& totals) {
  const char* label = "\n  unsupported  ";
  for (const auto& [reason, count] : totals.unsupported) {
    if (reason.starts_with("operation ")) continue;  // the table says it
    out << label << reason << " (" << count << ")";
    label = ", ";
  }
  out << "\n";
  print_figures(out, totals);
  if (!report.staged.empty()) {
    out << "  staged       " << report.staged
        << (report.staged_is_missing ? " (asked for by --staged)" : "") << "\n";
  }
  const std::uint32_t idle = report.kernel.features & ~totals.features;
  if (idle != 0 && report.is_whole_tier) {
    out << "  not judged   declared, but no case of this run needs it: "
        << bit_words(plugin::kFeatureWords, idle) << "\n";
  }
  print_waivers(out, report, totals);
  out << "\n"
      << statement(report, totals) << "   " << report.kernel.name << " "
      << report.kernel.version << ": ";
  const char* separator = "";
  for (const check::Verdict verdict :
       {check::Verdict::kPass, check::Verdict::kFail, check::Verdict::kCrash,
        check::Verdict::kTimeout, check::Verdict::kMissing,
        check::Verdict::kError, check::Verdict::kXfail,
        check::Verdict::kUnsupported}) {
    const std::int64_t count = totals.of(verdict);
    if (count == 0 && verdict != check::Verdict::kPass) continue;
    out << separator << count << " " << check::verdict_word(verdict);
    separator = ", ";
  }
  out << "\n";
  const std::string stated = conformance_statement(report, totals);
  if (!stated.empty()) out << stated << "\n";
}

}  // namespace

std::string text_report(const Report& report, std::size_t max_failures) {
  std::ostringstream out;
  print_header(out, report);
  std::size_t failures = 0;
  for (const check::Check& check : report.checks) {
    if (!check::is_failure(check.verdict)) continue;
    if (++failures <= max_failures) out << failure_text(report, check) << "\n";
  }
  if (failures > max_failures) {
    out << "... and " << failures - max_failures
        << " more that fail; --failures N shows them\n\n";
  }
  print_table(out, report);
  print_footer(out, report, total(report));
  return out.str();
}

}  // namespace ropeproof::conformance::report
