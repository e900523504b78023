// commands.h -- the subcommands of `ropeproof`; one file each.
//
// Each registers its flags and returns a function that runs it and gives the
// exit status: 0 conforms, 1 does not, 2 usage or nothing judged, 3 adapter or
// protocol error, 4 vectors that cannot be trusted, 5 the suite's own fault.
#ifndef ROPEPROOF_TOOLS_COMMANDS_H_
#define ROPEPROOF_TOOLS_COMMANDS_H_

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ropeproof::tools {

struct Command {
  CLI::App* app = nullptr;
  std::function<int()> run;
};

Command add_run(CLI::App& app);
Command add_list(CLI::App& app);
Command add_show(CLI::App& app);
Command add_generate(CLI::App& app);

// The committed vectors, unless --vectors names others.
std::filesystem::path default_vectors();

// The kernels that come with the suite.
const std::vector<std::string>& bundled_kernels();

// The library of a bundled kernel, beside this program or installed.
std::filesystem::path bundled_library(const std::string& name);

}  // namespace ropeproof::tools

#endif  // ROPEPROOF_TOOLS_COMMANDS_H_
