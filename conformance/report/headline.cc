#include "conformance/report/headline.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/features.h"
#include "conformance/report/failure_text.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::report {
namespace {

// A number below 2^20, a power of two that is not below a larger one.
std::string position_text(double position) {
  int power = 0;
  std::frexp(position, &power);
  return position < 0x1p20 ? std::to_string(static_cast<int>(position))
                           : "2^" + std::to_string(power);
}

std::string wrong_text(const Totals& totals) {
  if (totals.phase_rho < 0) return "";
  const std::string where =
      " at position " + position_text(totals.phase_position);
  return totals.phase_error >= std::numbers::pi / 2
             ? ": wrong by a right angle or more" + where
             : ": wrong by up to " + ratio_text(totals.phase_error) + " rad" +
                   where;
}

}  // namespace

double highest_told(const Totals& totals) {
  bool has_any = false;
  for (std::size_t k = 0; k < totals.at_positions.size(); ++k) {
    if (totals.at_positions[k] == 0) continue;
    if (100 * totals.vacuous_at[k] >= totals.at_positions[k]) {
      return k < 2 ? 0 : std::ldexp(1, static_cast<int>(k) - 1);
    }
    has_any = true;
  }
  return has_any ? totals.highest_position : -1;
}

std::string reach_text(const Totals& totals) {
  const double position = highest_told(totals);
  if (position < 0) return "";
  int power = 0;
  const bool is_power = std::frexp(position, &power) == 0.5;
  return is_power && position < totals.highest_position
             ? "2^" + std::to_string(power - 1)
             : position_text(position);
}

int precision_of(std::uint32_t dtype) {
  return reference::traits(plugin::format_of(dtype)).precision;
}

bool has_coarse_table(const ropeproof_claim& claim, std::uint32_t dtype) {
  return claim.table_dtype != 0 &&
         precision_of(claim.table_dtype) <
             std::min(precision_of(dtype), precision_of(ROPEPROOF_F32));
}

std::string coarse_text(const Report& report, const Totals& totals) {
  std::vector<std::string> parts;
  const auto add = [&](const std::string& part) {
    if (std::ranges::count(parts, part) == 0) parts.push_back(part);
  };
  for (const auto& [dtype, word] : plugin::kDtypeWords) {
    if ((report.kernel.dtypes & dtype) == 0) continue;
    const ropeproof_claim& claim = report.kernel.claim(dtype);
    if (claim.angle_class == ROPEPROOF_A3) {
      add("angles in " + text::word(plugin::kDtypeWords, claim.angle_dtype) +
          " (A3)" + wrong_text(totals));
    }
    if (has_coarse_table(claim, dtype)) {
      add("cos and sin in " +
          text::word(plugin::kDtypeWords, claim.table_dtype));
    }
  }
  return text::joined(parts, "; ");
}

// The declared dtypes that were judged; all declared ones where none was.
std::uint32_t judged_dtypes(const Report& report) {
  std::uint32_t dtypes = 0;
  for (const check::Check& check : report.checks) {
    // Not masked after the loop: g++ 12.2 then takes the mask from a register
    // that it never wrote.
    if (check::is_judged(check.verdict)) {
      dtypes |= check.dtype & report.kernel.dtypes;
    }
  }
  return dtypes == 0 ? report.kernel.dtypes : dtypes;
}

std::string scope_text(const Report& report, const Totals& totals) {
  constexpr std::uint32_t kRotating = plugin::kTensors | ROPEPROOF_TABLE;
  const std::uint32_t operations = report.kernel.operations;
  std::vector<std::string> parts;
  if ((operations & kRotating) == 0) {
    parts.push_back(
        text::joined(text::words_of(plugin::kOperationWords, operations), " ") +
        " only");
  }
  parts.push_back(text::joined(
      text::words_of(plugin::kDtypeWords, judged_dtypes(report)), " "));
  const std::string reach = reach_text(totals);
  if (!reach.empty()) parts.push_back("positions to " + reach);
  return text::joined(parts, ", ");
}

std::string backend_text(const Report& report) {
  const std::optional<plugin::Backend>& backend = report.kernel.backend;
  return backend ? " on " + backend->name + " " + backend->version : "";
}

std::string headline(const Report& report, const Totals& totals) {
  if (exit_status(totals) == 0 && totals.of(check::Verdict::kPass) == 0 &&
      totals.of(check::Verdict::kXfail) == 0) {
    return "shard " + report.shard.text() + ": nothing to judge here";
  }
  std::string level;
  if (!report.shard.is_whole()) {
    level = " on shard " + report.shard.text();
  } else if (totals.level == Level::kPart) {
    level = " on part of a tier";
  } else {
    level = "  level " + level_text(totals);
  }
  if (!report.waivers.empty()) {
    level +=
        " (" + std::to_string(totals.of(check::Verdict::kXfail)) + " waived)";
  }
  const std::string coarse = coarse_text(report, totals);
  const std::string with = coarse.empty() ? "" : ", with " + coarse;
  const std::string scope = ", " + scope_text(report, totals);
  const std::string on = backend_text(report);
  switch (exit_status(totals)) {
    case 0:
      return "CONFORMS" + on + with + level + scope;
    case 6:
      return "CONFORMS IN PART" + on + with + level + scope +
             " (partial: " + totals.unasked[0] +
             (totals.unasked.size() == 1
                  ? ""
                  : " and " + std::to_string(totals.unasked.size() - 1) +
                        " more") +
             " not judged)";
    case 1:
      if (!are_waivers_alone(totals)) return "DOES NOT CONFORM" + on + level;
      return totals.expired.empty() ? "STALE WAIVER" : "EXPIRED WAIVER";
    case 2:
      return "NOTHING WAS JUDGED";
    default:
      return "ADAPTER ERROR";
  }
}

}  // namespace ropeproof::conformance::report
