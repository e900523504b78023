// program.h -- another program, run to its end.
#ifndef ROPEPROOF_TOOLS_PROGRAM_H_
#define ROPEPROOF_TOOLS_PROGRAM_H_

#include <string>
#include <vector>

namespace ropeproof::tools {

struct ProgramResult {
  bool has_exited = false;  // else it was not started, or died of a signal
  int status = 0;           // exit status
  std::string how;          // for example "killed by signal 11"
  std::string output;       // standard output and error
};

// Runs `arguments`, no shell in between; the first is a path, or a name on
// PATH. Standard input is empty. Waits as long as it takes.
ProgramResult run_program(const std::vector<std::string>& arguments);

}  // namespace ropeproof::tools

#endif  // ROPEPROOF_TOOLS_PROGRAM_H_
