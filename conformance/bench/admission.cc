#include "conformance/bench/admission.h"

#include <algorithm>

#include "conformance/check/contract.h"
#include "conformance/check/runner.h"
#include "conformance/plugin/words.h"
#include "conformance/report/report.h"
#include "conformance/text/words.h"

namespace ropeproof::conformance::bench {
namespace {

// Removes the cases of other dtypes, and those that refer to one of them.
void keep_dtypes(cases::Corpus& corpus,
                 const std::set<reference::Format>& dtypes) {
  std::set<std::string> gone;
  for (cases::Group& group : corpus.groups) {
    const auto is_other = [&](const auto& c) {
      if (dtypes.contains(c.dtype)) return false;
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
  Admission admission;
  check::Selection selection;
  selection.tier = "smoke";
  const report::Report smoke = check::run_suite(kernel, corpus, selection);
  const auto failing =
      std::ranges::find_if(smoke.checks, [](const check::Check& check) {
        // How it ends changes nothing that is measured.
        return check::is_failure(check.verdict) &&
               check.aspect != check::kUnload;
      });
  if (failing != smoke.checks.end()) {
    admission.failing_case = failing->case_id;
    admission.refusal =
        "it fails the smoke tier: " + failing->case_id + ", " +
        text::word(plugin::kOperationWords, failing->operation) +
        (failing->aspect.empty() ? "" : ", ") + failing->aspect + ": " +
        check::verdict_word(failing->verdict);
    return admission;
  }
  if (report::total(smoke).of(check::Verdict::kPass) == 0) {
    admission.refusal = "nothing of it is judged";
    return admission;
  }
  selection.tier = "core";
  const report::Totals totals =
      report::total(check::run_suite(kernel, corpus, selection));
  admission.level = totals.level + totals.suffixes;
  admission.found_class = totals.tightest_class;
  return admission;
}

}  // namespace ropeproof::conformance::bench
