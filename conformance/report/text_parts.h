// text_parts.h -- what a report says in words, whatever its format: a sentence
// or a list each.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "conformance/report/report.h"

namespace ropeproof::conformance::report {

// "1 check", "3 checks".
std::string counted(std::int64_t count, const std::string& what);

// "rope | f32 | half_split | positions to 4096"
std::string offers_text(const plugin::Description& kernel);

// How angles are formed, and what is not as most kernels do it: a sentence for
// each claim. One that is not for all dtypes names its own.
std::vector<std::string> claims_texts(const plugin::Description& kernel);

// The operations that are counted: those that the kernel does not offer are
// left out, unless details are asked for.
std::uint32_t counted_operations(const Report& report, bool has_details);

// What the kernel does not declare, the most frequent first, with its checks.
std::vector<std::pair<std::int64_t, std::string>> unsupported_reasons(
    const Totals& totals);

// Every waiver of the run, on every run. A check belongs to the first waiver
// that covers it.
std::vector<std::string> waiver_texts(const Report& report,
                                      const Totals& totals);

// What the level and its suffixes say; "" for part of a tier.
std::string level_meaning(const Totals& totals);

// ": holds", ": there is ...", after what is required.
std::string required_text(const Totals& totals);

// "843 PASS, 791 FAIL"
std::string verdict_counts(const Totals& totals);

// Returns the failing checks in their order. Those of concurrent calls that are
// wrong when made alone, too, come last: another check shows the same error.
std::vector<const check::Check*> failing_checks(const Report& report);

}  // namespace ropeproof::conformance::report
