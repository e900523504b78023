// kernel_flags.h -- which kernel a subcommand is about.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/plugin/kernel.h"
#include "conformance/report/report.h"
#include "tools/rooms.h"

namespace ropeproof::tools {

// --lib, --command, --builtin or --socket, and --time-limit.
class KernelFlags {
 public:
  // Returns the group of those of which there is one.
  CLI::Option_group* add_flags(CLI::App& command);
  void choose_library(const std::string& path) { library_ = path; }
  // --sandbox or, where it `is_default`, --no-sandbox.
  void add_sandbox_flags(CLI::App& command, bool is_default);
  // Sets the limit of one call, unless the command line does.
  void limit_time(std::int64_t milliseconds);
  // Sets the limit of all calls together; 0: there is none.
  void limit_whole(std::int64_t milliseconds) {
    whole_limit_ms_ = static_cast<int>(milliseconds);
  }
  // Keeps a folder from who is behind walls.
  void hide(const std::string& folder) { hidden_.push_back(folder); }
  // Takes from the kernel's description what nobody asks.
  void narrow(std::function<void(plugin::Description&)> narrowing) {
    narrowing_ = std::move(narrowing);
  }
  // A search makes its calls again and again, and most of them may end the
  // kernel's process. Throws KernelError.
  std::unique_ptr<plugin::Kernel> open(bool is_search = false) const;
  // The SHA-256 of the file to load, when it was loaded: it may be built again
  // during a run. Empty where there is none. Throws KernelError.
  std::string digest() const;
  // Notes in a report what it says about the flags.
  void note(report::Report& report, const std::string& digest) const;
  // How its answers come.
  report::Transport transport() const;
  // "--lib ./libx.so", as the user typed it.
  std::string argument() const;
  // The file to load.
  std::string library() const;
  // The walls of the kernel's process; null where there are to be none. Throws
  // std::runtime_error where they cannot be built.
  std::shared_ptr<const plugin::Sandbox> sandbox() const;
  std::chrono::milliseconds time_limit() const {
    return std::chrono::milliseconds(time_limit_ms_);
  }
  // The files among the words of the flags; no report may replace one.
  std::vector<std::filesystem::path> inputs() const;

 private:
  friend class KernelListFlags;
  bool has_library() const;

  std::string library_, command_, builtin_;
  std::optional<int> socket_;
  bool no_fork_ = false, is_walled_ = false;
  std::vector<std::string> shown_, hidden_;
  std::function<void(plugin::Description&)> narrowing_;
  static constexpr int kTimeLimit = 10000;
  int time_limit_ms_ = kTimeLimit, whole_limit_ms_ = 0;
};

// The flags of several kernels: each any number of times, in any order.
class KernelListFlags {
 public:
  void add_flags(CLI::App& command);
  // Whether all of them are behind walls.
  bool are_walled() const { return are_walled_; }
  // The kernels in the order of the command line. Throws std::invalid_argument
  // if there is none.
  std::vector<KernelFlags> list() const;

 private:
  const CLI::App* command_ = nullptr;
  std::vector<std::string> libraries_, commands_, builtins_, shown_;
  bool are_walled_ = false;
};

}  // namespace ropeproof::tools
