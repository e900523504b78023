// kernel_options.h -- the flags that name a kernel; run and sweep share them.
#ifndef ROPEPROOF_TOOLS_KERNEL_OPTIONS_H_
#define ROPEPROOF_TOOLS_KERNEL_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "conformance/kernels/kernel.h"

namespace ropeproof::tools {

struct KernelChoice {
  std::string library, command, builtin;  // exactly one is not empty
  int time_limit_ms = 10000;
};

void add_kernel_flags(CLI::App& command, KernelChoice& choice);
void add_time_limit_flag(CLI::App& command, KernelChoice& choice);

// Throws conformance::KernelError.
std::unique_ptr<conformance::Kernel> load(const KernelChoice& choice);

// The flag as the user typed it: --lib ./libx.so.
std::string kernel_argument(const KernelChoice& choice);

// As a shell reads it back.
std::string quoted(const std::string& text);

}  // namespace ropeproof::tools

#endif  // ROPEPROOF_TOOLS_KERNEL_OPTIONS_H_
