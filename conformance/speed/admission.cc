#include "conformance/speed/admission.h"

#include <algorithm>

#include "conformance/corpus/words.h"
#include "conformance/verdict/report.h"
#include "conformance/verdict/runner.h"

namespace ropeproof::conformance {

Admission admit(Kernel& kernel, const Corpus& corpus) {
  Admission admission;
  admission.claimed_class =
      word(kAngleClassWords, kernel.description().angle_class);
  Selection selection;
  selection.tier = "smoke";
  const Report smoke = run_suite(kernel, corpus, selection);
  const auto failing = std::ranges::find_if(
      smoke.checks,
      [](const Check& check) { return is_failure(check.verdict); });
  if (failing != smoke.checks.end()) {
    admission.failing_case = failing->case_id;
    admission.refusal = "it fails the smoke tier: " + failing->case_id + ", " +
                        word(kOperationWords, failing->operation) +
                        (failing->aspect.empty() ? "" : ", ") +
                        failing->aspect + ": " + verdict_word(failing->verdict);
    return admission;
  }
  if (total(smoke).of(Verdict::kPass) == 0) {
    admission.refusal = "nothing of it is judged";
    return admission;
  }
  selection.tier = "core";
  const Totals totals = total(run_suite(kernel, corpus, selection));
  admission.level = totals.level + totals.suffixes;
  admission.found_class = totals.tightest_class;
  return admission;
}

}  // namespace ropeproof::conformance
