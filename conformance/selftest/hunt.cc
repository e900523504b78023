#include "conformance/selftest/hunt.h"

#include "conformance/call/call.h"
#include "conformance/check/contract.h"
#include "conformance/check/offered.h"
#include "conformance/judge/judge.h"

namespace ropeproof::conformance::selftest {
Hunt::Hunt(std::vector<Mutant> mutants) : mutants_(std::move(mutants)) {
  for (std::size_t i = 0; i < mutants_.size(); ++i) {
    killed_by_.emplace_back(Stage::kNone);
  }
}

void Hunt::look(const cases::Case& c, Stage stage) {
  wrong::PipelineKernel memory(mutant_description(), {});
  for (const std::uint32_t operation :
       check::offered_operations(memory.description(), c.problem, true)) {
    const judge::Claim claim =
        judge::claim_of(memory.description(), c.problem.dtype, operation);
    call::Call call(memory, operation, c, claim.table);
    const ropeproof_problem problem = call.begin();
    for (std::size_t i = 0; i < mutants_.size(); ++i) {
      const Mutant& mutant = mutants_[i];
      if (killed_by_[i] != Stage::kNone ||
          (mutant.where && !mutant.where(problem))) {
        continue;
      }
      MutantKernel kernel(mutant);
      judge::Output output;
      const bool is_right =
          call::Call(kernel, operation, c, claim.table).run(output).outcome ==
              plugin::Outcome::kOk &&
          output.stray.empty() &&
          judge::judge(c.problem, c.golden, operation, claim, output).pass();
      if (!is_right) killed_by_[i] = stage;
    }
  }
}

}  // namespace ropeproof::conformance::selftest
