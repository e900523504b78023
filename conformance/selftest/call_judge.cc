#include "conformance/selftest/call_judge.h"

#include <map>
#include <stdexcept>

#include "conformance/check/broken_promises.h"
#include "conformance/check/contract_checks.h"
#include "conformance/check/contrast.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::selftest {
namespace {

// Calls of mutants: of the dtype and pairing of most engines.
constexpr check::ContractChecks::Kind kKind{
    ROPEPROOF_ROPE, reference::Format::kF32, reference::Pairing::kHalfSplit};

}  // namespace

CallJudge::CallJudge(const cases::Corpus& corpus) {
  wrong::PipelineKernel right(wrong::computing_description(),
                              wrong::exact_pipeline());
  chosen_ = check::ContractChecks(right, corpus, cases::Tier::kCore, false)
                .chosen(kKind);
  if (chosen_ == nullptr) {
    throw std::invalid_argument("no case with several rows and heads");
  }
  variations_ = check::variations_of(right, ROPEPROOF_ROPE, *chosen_);
  std::map<std::string, const cases::Case*> by_id;
  for (const cases::Group& group : corpus.groups) {
    for (const cases::Case& c : group.rope_cases) by_id[c.id] = &c;
  }
  others_ = check::contrasting_subjects(right, by_id, check::kThreads);
}

std::vector<explain::Diagnosis> CallJudge::diagnose(
    wrong::PipelineKernel& kernel) const {
  const check::Subject subject{*chosen_, ROPEPROOF_ROPE};
  check::Run run;
  const auto add = [&](check::Check check) {
    if (check.passes()) return;
    check.case_id = chosen_->id;
    check.operation = ROPEPROOF_ROPE;
    run.checks.push_back(std::move(check));
  };
  add(check::check_changes(kernel, ROPEPROOF_ROPE, variations_));
  if (run.checks.empty() && kernel.is_concurrent()) {
    add(check::check_concurrency(kernel, subject, others_));
    add(check::check_many_calls(kernel, subject));
    add(check::check_large_concurrency(kernel, subject));
  }
  return check::broken_promises(run);
}

}  // namespace ropeproof::conformance::selftest
