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

std::string debug_command(const std::string& kernel_argument,
                          const std::string& case_id,
                          const std::string& operation) {
  const std::string run = "ropeproof run " + kernel_argument + " --case " +
                          case_id + " --operation " + operation;
  return kernel_argument.starts_with("--command")
             ? run
             : "gdb --args " + run + " --no-fork";
}

}  // namespace ropeproof::conformance::plugin
