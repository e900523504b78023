#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::plugin {

std::vector<Answer> Kernel::run_together(
    std::span<const ropeproof_problem> problems, int rounds) {
  std::vector<Answer> answers(problems.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < problems.size(); ++i) {
      if (answers[i].outcome == Outcome::kOk) answers[i] = run(problems[i]);
    }
  }
  return answers;
}

}  // namespace ropeproof::conformance::plugin
