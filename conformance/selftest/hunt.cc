#include "conformance/selftest/hunt.h"

#include "conformance/call/call.h"
#include "conformance/check/contract.h"
#include "conformance/check/offered.h"
#include "conformance/judge/judge.h"

namespace ropeproof::conformance::selftest {
namespace {

using wrong::PipelineKernel;

template <class Measure>
bool is_right(call::Call call, const Measure& measure) {
  judge::Output output;
  return call.run(output).outcome == plugin::Outcome::kOk &&
         output.stray.empty() && measure(output).pass();
}

}  // namespace

Hunt::Hunt(std::vector<Mutant> mutants) : mutants_(std::move(mutants)) {
  for (std::size_t i = 0; i < mutants_.size(); ++i) {
    killed_by_.emplace_back(Stage::kNone);
  }
}

template <class IsRight>
void Hunt::judge_all(const ropeproof_problem& problem, Stage stage,
                     const IsRight& is_right) {
  for (std::size_t i = 0; i < mutants_.size(); ++i) {
    const Mutant& mutant = mutants_[i];
    if (killed_by_[i] != Stage::kNone ||
        (mutant.where && !mutant.where(problem))) {
      continue;
    }
    MutantKernel kernel(mutant);
    if (!is_right(kernel)) killed_by_[i] = stage;
  }
}

void Hunt::look(const cases::Case& c, Stage stage) {
  PipelineKernel memory(mutant_description(), {});
  for (const std::uint32_t operation :
       check::offered_operations(memory.description(), c.problem, true)) {
    const judge::Claim claim =
        judge::claim_of(memory.description(), c.problem.dtype, operation);
    call::Call call(memory, operation, c, claim.table);
    judge_all(call.begin(), stage, [&](plugin::Kernel& kernel) {
      return is_right(call::Call(kernel, operation, c, claim.table),
                      [&](const judge::Output& output) {
                        return judge::judge(c.problem, c.golden, operation,
                                            claim, output);
                      });
    });
  }
}

}  // namespace ropeproof::conformance::selftest
