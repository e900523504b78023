// call_judge.h -- judges kernels by what the core tier calls in a row and at
// once.
#pragma once

#include <vector>

#include "conformance/cases/corpus.h"
#include "conformance/check/contract.h"
#include "conformance/check/variations.h"
#include "conformance/explain/diagnosis.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::selftest {

// Judges kernels by what the core tier calls in a row and at once.
class CallJudge {
 public:
  // Chooses from `corpus`, which outlives this, as a run does.
  explicit CallJudge(const cases::Corpus& corpus);

  // What is said of the first check of the contract that fails; nothing where
  // none does.
  std::vector<explain::Diagnosis> diagnose(wrong::PipelineKernel& kernel) const;

 private:
  const cases::Case* chosen_ = nullptr;
  std::vector<check::Variation> variations_;
  std::vector<check::Subject> others_;
};

}  // namespace ropeproof::conformance::selftest
