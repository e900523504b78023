// call_judge.h -- judges kernels by what the core tier calls in a row and at
// once.
#pragma once

#include <memory>
#include <vector>

#include "conformance/cases/corpus.h"
#include "conformance/explain/diagnosis.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::selftest {

// Judges kernels by what the core tier calls in a row and at once.
class CallJudge {
 public:
  // Chooses from `corpus`, which outlives this, as a run does.
  explicit CallJudge(const cases::Corpus& corpus);
  ~CallJudge();

  // What is said of the first check of the contract that fails; nothing where
  // none does.
  std::vector<explain::Diagnosis> diagnose(wrong::PipelineKernel& kernel) const;

 private:
  struct Calls;
  std::unique_ptr<const Calls> calls_;
};

}  // namespace ropeproof::conformance::selftest
