#include "tools/kernel_flags.h"

#include <algorithm>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "conformance/plugin/sandbox.h"
#include "conformance/text/file.h"
#include "conformance/text/sha256.h"
#include "conformance/text/word_tables.h"
#include "tools/commands.h"
#include "tools/report_file.h"

namespace ropeproof::tools {

namespace {

constexpr const char* kLibraryHelp =
    "shared library with the C ABI (ropeproof_kernel.h)";
constexpr const char* kCommandHelp =
    "program that speaks the framed protocol on stdin/stdout";
constexpr const char* kBuiltinHelp = "kernel of this suite";
constexpr const char* kSocketHelp =
    "descriptor of a stream socket, inherited, at whose other end a process "
    "speaks that protocol, as ropeproof.judge() in Python does";
constexpr const char* kSandboxHelp =
    "run the kernel behind walls (Linux, bubblewrap): it sees no other "
    "process, no network, no file but the system's and its own";
constexpr const char* kShowHelp =
    "file or folder that a kernel behind walls can read, beside its library "
    "and the system's, or device that it can use (/dev/nvidia0)";
constexpr int kMostDescriptors = 1 << 20;

// A program that pip compiled has no kernels of fast/.
std::string builtin_fault(const std::string& name) {
  const std::vector<std::string>& known = builtin_kernels();
  if (std::ranges::find(known, name) != known.end()) return "";
  return name + " is not in this program, which has " +
         text::joined(known, ", ") +
         (name == "fast" ? "; tools/run.sh builds one with it" : "");
}

std::string not_empty(const std::string& value) {
  return value.empty() ? "is empty" : "";
}

}  // namespace

CLI::Option_group* KernelFlags::add_flags(CLI::App& command) {
  auto* kernel = command.add_option_group("kernel", "exactly one of");
  kernel->add_option("--lib", library_, kLibraryHelp)->check(not_empty);
  kernel->add_option("--command", command_, kCommandHelp)->check(not_empty);
  kernel->add_option("--builtin", builtin_, kBuiltinHelp)->check(builtin_fault);
  kernel->add_option("--socket", socket_, kSocketHelp)
      ->check(CLI::Range(0, kMostDescriptors));
  kernel->require_option(1);
  command
      .add_option("--time-limit", time_limit_ms_,
                  "milliseconds for one call (default 10000); more for the "
                  "first one and where others use the machine")
      ->check(CLI::Range(1, 3600000));
  command.add_flag("--no-fork", no_fork_,
                   "run a library in this process, for a debugger; a kernel "
                   "that ends it ends the run without a verdict");
  return kernel;
}

void KernelFlags::limit_time(std::int64_t milliseconds) {
  if (time_limit_ms_ == kTimeLimit) {
    time_limit_ms_ = static_cast<int>(milliseconds);
  }
}

void KernelFlags::add_sandbox_flags(CLI::App& command, bool is_default) {
  is_walled_ = is_default;
  command.add_flag(is_default ? "--no-sandbox{false}" : "--sandbox", is_walled_,
                   is_default
                       ? "run the kernel without walls, as its author would"
                       : kSandboxHelp);
  command.add_option("--show", shown_, kShowHelp)->check(CLI::ExistingPath);
}

std::shared_ptr<const plugin::Sandbox> KernelFlags::sandbox() const {
  if (!is_walled_) return nullptr;
  if (no_fork_ || socket_) {
    throw std::invalid_argument(
        "a kernel in this process, or one that runs already, has no walls; "
        "leave out --sandbox, or give --no-sandbox");
  }
  static const std::string why = plugin::why_no_sandbox(program().string());
  if (!why.empty()) {
    throw std::runtime_error("there is no sandbox here: " + why +
                             "; for a kernel that you trust leave out "
                             "--sandbox, or give --no-sandbox");
  }
  auto sandbox = std::make_shared<plugin::Sandbox>();
  sandbox->program = program().string();
  sandbox->shown = libraries_of_program();
  for (const std::string& path : shown_) {
    sandbox->shown.push_back(std::filesystem::absolute(path).string());
  }
  sandbox->hidden = hidden_;
  plugin::hide_memory();
  return sandbox;
}

std::unique_ptr<plugin::Kernel> KernelFlags::open(bool is_search) const {
  plugin::KernelOptions options;
  if (is_search) options.max_ends = std::numeric_limits<int>::max();
  options.time_limit = std::chrono::milliseconds(time_limit_ms_);
  options.whole_limit = std::chrono::milliseconds(whole_limit_ms_);
  options.is_forked = !no_fork_;
  options.sandbox = sandbox();
  options.narrow = narrowing_;
  if (socket_) return plugin::reach_process(*socket_, options);
  if (!command_.empty()) return plugin::start_process(command_, options);
  return plugin::load_library(library(), options);
}

std::string KernelFlags::library() const {
  return builtin_.empty() ? library_ : builtin_library(builtin_).string();
}

std::string KernelFlags::digest() const {
  if (!has_library()) return "";
  // Neither a pipe, which has no end, nor a file that fills the memory.
  constexpr std::uintmax_t kMost = std::uintmax_t{2} << 30;
  std::error_code error;
  const bool is_file = std::filesystem::is_regular_file(library(), error);
  if (is_file && std::filesystem::file_size(library(), error) > kMost) {
    throw plugin::KernelError(library() + ": larger than 2 GiB");
  }
  const auto bytes = is_file ? text::read_whole(library()) : std::nullopt;
  if (!bytes) {
    throw plugin::KernelError(library() + ": cannot be read");
  }
  return text::sha256(*bytes);
}

void KernelFlags::note(report::Report& report,
                       const std::string& digest) const {
  report.transport = transport();
  report.kernel_argument = argument();
  report.is_forked = !no_fork_;
  report.time_limit_ms = time_limit_ms_;
  report.kernel_sha256 = digest;
}

std::vector<std::filesystem::path> KernelFlags::inputs() const {
  if (has_library()) return {library()};
  std::istringstream words(command_);
  return {std::istream_iterator<std::string>(words), {}};
}

report::Transport KernelFlags::transport() const {
  using report::Transport;
  if (socket_) return Transport::kSocket;
  return command_.empty() ? Transport::kLibrary : Transport::kCommand;
}

bool KernelFlags::has_library() const { return command_.empty() && !socket_; }

std::string KernelFlags::argument() const {
  if (socket_) return "--socket";  // its number is another one each time
  if (!command_.empty()) return "--command " + shell_quoted(command_);
  return builtin_.empty() ? "--lib " + shell_quoted(library_)
                          : "--builtin " + builtin_;
}

void KernelListFlags::add_flags(CLI::App& command) {
  command_ = &command;
  command.add_option("--lib", libraries_, kLibraryHelp)
      ->allow_extra_args(false)
      ->check(not_empty);
  command.add_option("--command", commands_, kCommandHelp)
      ->allow_extra_args(false)
      ->check(not_empty);
  command.add_option("--builtin", builtins_, kBuiltinHelp)
      ->allow_extra_args(false)
      ->check(builtin_fault);
  command.add_flag("--sandbox", are_walled_, kSandboxHelp);
  command.add_option("--show", shown_, kShowHelp)
      ->allow_extra_args(false)
      ->check(CLI::ExistingPath);
}

std::vector<KernelFlags> KernelListFlags::list() const {
  std::vector<KernelFlags> kernels;
  std::size_t libraries = 0, commands = 0, builtins = 0;
  for (const CLI::Option* option : command_->parse_order()) {
    KernelFlags kernel;
    if (option->check_name("--lib")) {
      kernel.library_ = libraries_.at(libraries++);
    } else if (option->check_name("--command")) {
      kernel.command_ = commands_.at(commands++);
    } else if (option->check_name("--builtin")) {
      kernel.builtin_ = builtins_.at(builtins++);
    } else {
      continue;
    }
    kernel.is_walled_ = are_walled_;
    kernel.shown_ = shown_;
    kernels.push_back(std::move(kernel));
  }
  if (kernels.empty()) {
    throw std::invalid_argument(
        "no kernel; name some by --lib, --builtin or --command");
  }
  return kernels;
}

}  // namespace ropeproof::tools
