#include "conformance/bench/admission.h"

#include <algorithm>

#include "conformance/check/contract.h"
#include "conformance/check/runner.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/report/report.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::bench {
namespace {

// Removes the cases of other dtypes, and those that refer to one of them.
void keep_dtypes(cases::Corpus& corpus,
                 const std::set<reference::Format>& dtypes) {
  std::set<std::string> gone;
  for (cases::Group& group : corpus.groups) {
    const auto is_other = [&](const cases::Case& c) {
      if (dtypes.contains(c.problem.dtype)) return false;
      gone.insert(c.id);
      return true;
    };
    std::erase_if(group.rope_cases, is_other);
    std::erase_if(group.permute_cases, is_other);
  }
  for (cases::Group& group : corpus.groups) {
    std::erase_if(group.reject_cases,
                  [&](const auto& c) { return gone.contains(c.of); });
    std::erase_if(group.sequence_cases, [&](const auto& c) {
      return std::ranges::any_of(
          c.calls, [&](const auto& id) { return gone.contains(id); });
    });
  }
}

}  // namespace

Admission admit(plugin::Kernel& kernel, cases::Corpus corpus,
                const std::set<reference::Format>& dtypes) {
  keep_dtypes(corpus, dtypes);
  std::uint32_t asked = 0;
  for (const reference::Format format : dtypes) {
    asked |= plugin::abi_dtype(format);
  }
  Admission admission;
  bool is_judged = false;
  // Smoke asks nothing in f16 or f64: there core decides.
  for (const cases::Tier tier : {cases::Tier::kSmoke, cases::Tier::kCore}) {
    check::Selection selection;
    selection.tier = tier;
    const report::Report report = check::run_suite(kernel, corpus, selection);
    const bool decides = !is_judged;
    for (const check::Check& check : report.checks) {
      is_judged |=
          check.verdict == check::Verdict::kPass && (check.dtype & asked) != 0;
      // Formed cases have any dtype; how it ends changes nothing that is
      // measured.
      if (decides && check::is_failure(check.verdict) &&
          (check.dtype == 0 || (check.dtype & asked) != 0) &&
          check.aspect != check::Aspect::kUnload) {
        admission.failing_case = check.case_id;
        admission.refusal =
            "it fails the " + text::word(cases::kTierWords, tier) +
            " tier: " + check.case_id + ", " +
            text::word(plugin::kOperationWords, check.operation) +
            (check.is_of_values() ? "" : ", ") + text::word(check.aspect) +
            ": " + text::word(check.verdict);
        return admission;
      }
    }
    const report::Totals totals = report::total(report);
    admission.level = report::level_text(totals);
    admission.found_class = report::tightest_text(totals);
  }
  if (!is_judged) admission.refusal = "nothing of it is judged";
  return admission;
}

}  // namespace ropeproof::conformance::bench
