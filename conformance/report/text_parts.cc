#include "conformance/report/text_parts.h"

#include <algorithm>

#include "conformance/plugin/abi_words.h"
#include "conformance/report/apply.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::report {
namespace {

constexpr text::Words<Level, 5> kLevelMeanings{
    {{Level::kNone,
      "not even pairs, signs and positions are right in every case"},
     {Level::kL0,
      "pairs, signs and positions are right, something else is not"},
     {Level::kL1, "every element within the bound that follows from its claim"},
     {Level::kL2,
      "every element within the bound of exact angles, at any position"},
     {Level::kL3, "every element correctly rounded"}}};

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

}  // namespace

std::vector<std::string> claims_texts(const plugin::Description& kernel) {
  std::vector<std::string> all;
  std::uint32_t left = kernel.dtypes;
  for (const ropeproof_claim& claim : kernel.claims) {
    const std::uint32_t dtypes = claim.dtypes == 0 ? left : left & claim.dtypes;
    if (dtypes == 0) continue;
    const std::string named =
        dtypes == kernel.dtypes ? ""
                                : bit_words(plugin::kDtypeWords, dtypes) + ": ";
    all.push_back(named + claim_text(claim, dtypes));
    left &= ~dtypes;
  }
  return all;
}

std::string offers_text(const plugin::Description& kernel) {
  std::string text = bit_words(plugin::kOperationWords, kernel.operations) +
                     " | " + bit_words(plugin::kDtypeWords, kernel.dtypes) +
                     " | " +
                     bit_words(plugin::kAbiPairingWords, kernel.pairings);
  if (kernel.head_dim > 0) {
    text += " | heads of " + std::to_string(kernel.head_dim) + " channels";
  }
  if (kernel.max_position > 0) {
    text += " | positions to " + std::to_string(kernel.max_position);
  }
  return text;
}

std::uint32_t counted_operations(const Report& report, bool has_details) {
  return has_details ? text::all_bits(plugin::kOperationWords)
                     : report.kernel.operations;
}

std::string counted(std::int64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::vector<std::string> waiver_texts(const Report& report,
                                      const Totals& totals) {
  std::vector<std::string> all;
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
    std::string text;
    if (applied.is_expired) {
      text = "EXPIRED  " + applied.waiver.id + ": ended on " + day +
             ", remove the waiver or move the date";
    } else if (is_stale) {
      text = "XPASS    " + applied.waiver.id +
             ": no check fails any more, remove the waiver";
    } else {
      text = "waived   " + applied.waiver.id + ": " +
             counted(waived[i], "check") + " of this run, until " + day;
    }
    all.push_back(text + " (" + applied.waiver.reason + "; " +
                  applied.waiver.link + ")");
  }
  return all;
}

std::vector<std::pair<std::int64_t, std::string>> unsupported_reasons(
    const Totals& totals) {
  std::vector<std::pair<std::int64_t, std::string>> reasons;
  for (const auto& [reason, count] : totals.unsupported) {
    reasons.emplace_back(count, reason);
  }
  std::ranges::sort(reasons, {}, [](const auto& reason) {
    return std::pair(-reason.first, reason.second);
  });
  return reasons;
}

std::string level_meaning(const Totals& totals) {
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

std::string verdict_counts(const Totals& totals) {
  std::string text;
  const char* separator = "";
  for (const check::Verdict verdict :
       {check::Verdict::kPass, check::Verdict::kFail, check::Verdict::kCrash,
        check::Verdict::kTimeout, check::Verdict::kMissing,
        check::Verdict::kError, check::Verdict::kXfail,
        check::Verdict::kDeclined, check::Verdict::kUnsupported}) {
    const std::int64_t count = totals.of(verdict);
    if (count == 0 && verdict != check::Verdict::kPass) continue;
    text += separator + std::to_string(count) + " " + text::word(verdict);
    separator = ", ";
  }
  return text;
}

std::vector<const check::Check*> failing_checks(const Report& report) {
  std::vector<const check::Check*> failing;
  for (const check::Check& check : report.checks) {
    if (check::is_failure(check.verdict)) failing.push_back(&check);
  }
  std::ranges::stable_partition(failing, [](const check::Check* check) {
    return !check->is_wrong_alone();
  });
  return failing;
}

}  // namespace ropeproof::conformance::report
