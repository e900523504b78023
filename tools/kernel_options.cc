#include "tools/kernel_options.h"

#include <chrono>

#include "tools/commands.h"

namespace ropeproof::tools {

void add_kernel_flags(CLI::App& command, KernelChoice& choice) {
  auto* kernel = command.add_option_group("kernel", "exactly one of");
  kernel->add_option("--lib", choice.library,
                     "shared library with the C ABI (ropeproof_kernel.h)");
  kernel->add_option("--command", choice.command,
                     "program that speaks the framed protocol on stdin/stdout");
  kernel->add_option("--builtin", choice.builtin, "kernel of this suite")
      ->check(CLI::IsMember(bundled_kernels()));
  kernel->require_option(1);
}

void add_time_limit_flag(CLI::App& command, KernelChoice& choice) {
  command
      .add_option("--time-limit", choice.time_limit_ms,
                  "milliseconds for one call (default 10000)")
      ->check(CLI::Range(1, 3600000));
}

std::unique_ptr<conformance::Kernel> load(const KernelChoice& choice) {
  conformance::KernelOptions options;
  options.time_limit = std::chrono::milliseconds(choice.time_limit_ms);
  if (!choice.command.empty()) {
    return conformance::start_process(choice.command, options);
  }
  return conformance::load_library(
      choice.builtin.empty() ? choice.library
                             : bundled_library(choice.builtin).string(),
      options);
}

std::string kernel_argument(const KernelChoice& choice) {
  if (!choice.command.empty()) return "--command " + quoted(choice.command);
  return choice.builtin.empty() ? "--lib " + quoted(choice.library)
                                : "--builtin " + choice.builtin;
}

std::string quoted(const std::string& text) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+=:,@";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) {
    return text;
  }
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "'\\''" : std::string(1, c);
  return result + "'";
}

}  // namespace ropeproof::tools
