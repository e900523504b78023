// policy.h -- what a grader demands of a kernel that it does not know.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "conformance/cases/tier.h"
#include "conformance/report/report.h"
#include "conformance/report/requirement.h"
#include "conformance/report/scope.h"

namespace ropeproof::conformance::report {

struct Policy {
  std::string required;  // as requirement.h reads it, with a scope
  Scope scope = {};      // of it
  Judged judged = {};
  cases::Tier tier = cases::Tier::kCore;
  // Draws the questions; without one they are others each time.
  std::optional<std::uint64_t> seed = std::nullopt;
  std::int64_t time_limit_ms = 10000;  // of one call
  std::int64_t whole_limit_ms = 0;     // of all calls; 0: none
  double speed_ratio = 0;   // of plain C++'s time to the kernel's; 0: any
  std::string sha256 = {};  // of its file
};

// The least that a model's profile is held to, where it is the policy.
inline constexpr const char* kLeastOfProfile = "L1,A1,declined<=0";

// Reads a policy, whose fields policy.schema.json says; `file` names it in
// errors. Throws std::invalid_argument, one line.
Policy parse_policy(const std::string& text, const std::string& file);
Policy read_policy(const std::string& file);

// Returns what became of a kernel as one line of JSON, without a line feed:
// conforms, exit_status, level, required, lacking, judged (what was asked of
// what the kernel offers), cells (an operation, dtype and pairing each),
// failures by kind, declined, unasked, diagnosis, seed, kernel and digests. The
// same kernel, policy and seed give the same line.
std::string verdict_line(const Report& report, const std::string& policy);

}  // namespace ropeproof::conformance::report
