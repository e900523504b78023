// call_mutants.h -- kernels that are wrong after some calls, or beside them.
#ifndef ROPEPROOF_CONFORMANCE_SELFTEST_CALL_MUTANTS_H_
#define ROPEPROOF_CONFORMANCE_SELFTEST_CALL_MUTANTS_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "conformance/cases/corpus.h"
#include "conformance/explain/diagnosis.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::selftest {

// Right in the first call of a process.
struct CallMutant {
  std::string name;
  const char* bug;  // its class, a key of cases::bug_classes()
  std::function<std::unique_ptr<wrong::PipelineKernel>()> make;
};

std::vector<CallMutant> call_mutants();

// Judges kernels by what the core tier calls in a row and at once.
class CallJudge {
 public:
  // Chooses from `corpus`, which outlives this, as a run does.
  explicit CallJudge(const cases::Corpus& corpus);
  ~CallJudge();

  // What is said of the first check of the contract that fails; nothing where none
  // does.
  std::vector<explain::Diagnosis> diagnose(wrong::PipelineKernel& kernel) const;

 private:
  struct Calls;
  std::unique_ptr<const Calls> calls_;
};

}  // namespace ropeproof::conformance::selftest

#endif  // ROPEPROOF_CONFORMANCE_SELFTEST_CALL_MUTANTS_H_
