#include "conformance/report/policy.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/features.h"
#include "conformance/plugin/scalings.h"
#include "conformance/report/requirement.h"
#include "conformance/report/scope.h"
#include "conformance/text/file.h"
#include "conformance/text/one_line.h"
#include "conformance/text/sha256.h"
#include "conformance/text/strict_json.h"

namespace ropeproof::conformance::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kPolicyFormat = "ropeproof-policy/1";
constexpr const char* kVerdictFormat = "ropeproof-verdict/1";
constexpr std::int64_t kMostChecks = std::int64_t{1} << 31;
constexpr std::int64_t kMostSeconds = 3600;
constexpr double kMostSpeed = 1000;

// The bits of a list that there must be, and must hold something.
template <class Words>
std::uint32_t needed(text::StrictObject& object, const char* key,
                     const Words& words) {
  const std::uint32_t bits = object.bits(key, words);
  if (bits == 0) object.fail(key, "is empty: such a policy demands nothing");
  return bits;
}

// The bits of a list that is demanded, and judged alone; without it nothing is
// demanded, and everything judged.
template <class Words>
std::uint32_t demanded(text::StrictObject& object, const char* key,
                       const Words& words, std::uint32_t& judged) {
  if (!object.has(key)) return 0;
  return judged = object.bits(key, words);
}

Scope read_scope_of(text::StrictObject& object, Judged& judged) {
  Scope scope;
  scope.operations = needed(object, "operations", plugin::kOperationWords);
  scope.dtypes = needed(object, "dtypes", plugin::kDtypeWords);
  scope.pairings = needed(object, "pairings", plugin::kAbiPairingWords);
  scope.features =
      demanded(object, "features", plugin::kFeatureWords, judged.features);
  scope.scalings =
      demanded(object, "scalings", plugin::kScalingWords, judged.scalings);
  scope.axis_maps =
      demanded(object, "axis_maps", plugin::kAxisMapWords, judged.axis_maps);
  scope.positions = object.integer("positions", 0, reference::kMaxPosition);
  scope.declined = object.has("most_declined")
                       ? object.integer("most_declined", 0, kMostChecks)
                       : 0;
  return scope;
}

// "L1,A1,table=f32" of the fields that say it.
std::string least_of(text::StrictObject& object, const std::string& file) {
  const auto word = [&](const char* key, const char* before,
                        const char* otherwise) {
    if (!object.has(key)) return std::string(otherwise);
    const std::string one = object.text(key);
    if (one.find(',') != std::string::npos) object.fail(key, "is one word");
    return "," + (before + one);
  };
  const std::string least =
      word("level", "", ",L1") + word("angle_class", "", ",A1") +
      word("table", "table=", "") + word("rounding", "rounding=", "");
  try {
    return parse_requirement(least.substr(1));
  } catch (const std::invalid_argument&) {
    throw std::invalid_argument(text::one_line(
        file + ": level, angle_class, table and rounding are \"" +
        least.substr(1) + "\"; expected as in L1+M, A1, f32 and once"));
  }
}

// "rope,f32,half_split,in_place,positions<=131071": what was asked of what the
// kernel offers.
std::string judged_text(const plugin::Description& kernel) {
  const std::string words =
      text::joined(scope_words({.operations = kernel.operations,
                                .dtypes = kernel.dtypes,
                                .pairings = kernel.pairings,
                                .features = kernel.features,
                                .scalings = kernel.scalings,
                                .axis_maps = kernel.axis_maps}),
                   ",");
  return kernel.max_position == 0
             ? words
             : words + ",positions<=" + std::to_string(kernel.max_position);
}

// "rope/f32/half_split"; empty for what is about no one case.
std::string cell_of(const Report& report, const check::Check& check) {
  const std::uint32_t pairing = report.needs_of(check.case_id).pairing;
  if (pairing == 0) return "";
  return text::word(plugin::kOperationWords, check.operation) + "/" +
         text::word(plugin::kDtypeWords, check.dtype) + "/" +
         text::word(plugin::kAbiPairingWords, pairing);
}

// Checks that passed and that failed, by cell.
Json cells_of(const Report& report) {
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> counts;
  for (const check::Check& check : report.checks) {
    if (!check::is_judged(check.verdict)) continue;
    auto& [passed, failed] = counts[cell_of(report, check)];
    ++(check.passes() ? passed : failed);
  }
  counts.erase("");
  Json cells = Json::object();
  for (const auto& [cell, count] : counts) {
    cells[cell] = {{"passed", count.first}, {"failed", count.second}};
  }
  return cells;
}

}  // namespace

Policy parse_policy(const std::string& text, const std::string& file) {
  try {
    const nlohmann::json document = text::parse_json(text, file);
    text::StrictObject object(document, file);
    object.expect("format", kPolicyFormat);
    Policy policy;
    policy.scope = read_scope_of(object, policy.judged);
    policy.required = least_of(object, file);
    for (const std::string& word : scope_words(policy.scope)) {
      policy.required += "," + word;
    }
    if (object.has("tier")) {
      policy.tier = object.word("tier", cases::kTierWords);
      if (policy.tier == cases::Tier::kSmoke) {
        object.fail("tier", "smoke asks the same each time; core or full");
      }
    }
    if (object.has("seed")) {
      policy.seed =
          static_cast<std::uint64_t>(object.integer("seed", 1, INT64_MAX));
    }
    if (object.has("time_limit_ms")) {
      policy.time_limit_ms =
          object.integer("time_limit_ms", 1, kMostSeconds * 1000);
    }
    if (object.has("whole_limit_ms")) {
      policy.whole_limit_ms =
          object.integer("whole_limit_ms", 1, kMostSeconds * 1000);
    }
    if (object.has("speed_ratio")) {
      policy.speed_ratio = object.number("speed_ratio", 0, kMostSpeed);
    }
    object.finish();
    policy.sha256 = text::sha256(text);
    return policy;
  } catch (const text::FileError& error) {
    throw std::invalid_argument(error.what());
  }
}

Policy read_policy(const std::string& file) {
  const auto bytes = text::read_whole(file);
  if (!bytes) throw std::invalid_argument(file + ": cannot be read");
  return parse_policy(*bytes, file);
}

std::string verdict_line(const Report& report, const std::string& policy) {
  const Totals totals = total(report);
  const int status = exit_status(totals);
  Json failures = Json::object();
  for (const auto& [verdict, count] : totals.count) {
    if (check::is_failure(verdict)) failures[text::word(verdict)] = count;
  }
  if (totals.lacking > 0) failures["UNSUPPORTED"] = totals.lacking;
  const auto named = std::ranges::find_if(
      report.diagnoses,
      [](const auto& diagnosis) { return !diagnosis.what.empty(); });
  Json line = {
      {"format", kVerdictFormat},
      {"conforms", status == 0},
      {"exit_status", status},
      {"level", level_text(totals)},
      {"required", report.required},
      {"lacking", totals.weaker},
      {"judged", judged_text(report.kernel)},
      {"cells", cells_of(report)},
      {"failures", failures},
      {"declined", totals.of(check::Verdict::kDeclined)},
      {"unasked", totals.unasked},
      {"diagnosis", named == report.diagnoses.end() ? "" : named->what},
      {"seed", report.seed},
      {"kernel", report.kernel.name + " " + report.kernel.version},
      {"kernel_sha256", report.kernel_sha256},
      {"policy_sha256", policy},
      {"suite_version", report.suite_version},
      {"manifest_sha256", report.manifest_sha256}};
  if (report.speed) {
    line["speed"] = {{"ratio", report.speed->ratio},
                     {"row", report.speed->row},
                     {"processor", report.speed->processor}};
  }
  return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace ropeproof::conformance::report
