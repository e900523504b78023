// kernel_flags.h -- which kernel a subcommand is about.
#ifndef ROPEPROOF_TOOLS_KERNEL_FLAGS_H_
#define ROPEPROOF_TOOLS_KERNEL_FLAGS_H_

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "conformance/kernels/kernel.h"
#include "conformance/verdict/report.h"

namespace ropeproof::tools {

// --lib, --command or --builtin, and --time-limit.
class KernelFlags {
 public:
  void add_flags(CLI::App& command);
  // Throws KernelError.
  std::unique_ptr<conformance::Kernel> open() const;
  // What a report says about them. Throws KernelError.
  void note(conformance::Report& report) const;
  // "--lib ./libx.so", as the user typed it.
  std::string argument() const;

 private:
  // The file to load; empty for a command.
  std::string library() const;

  std::string library_, command_, builtin_;
  bool no_fork_ = false;
  int time_limit_ms_ = 10000;
};

}  // namespace ropeproof::tools

#endif  // ROPEPROOF_TOOLS_KERNEL_FLAGS_H_
