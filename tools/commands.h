// commands.h -- the subcommands of `ropeproof`; one file each.
//
// Each registers its flags and returns a function that runs it and gives the
// exit status.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "conformance/cover/arrays.h"
#include "tools/rooms.h"

namespace ropeproof::tools {

struct Command {
  CLI::App* app = nullptr;
  std::function<int()> run;
};

Command add_run(CLI::App& app);
Command add_grade(CLI::App& app);
Command add_list(CLI::App& app);
Command add_show(CLI::App& app);
Command add_generate(CLI::App& app);
Command add_selftest(CLI::App& app);
Command add_search_hard(CLI::App& app);
Command add_sweep(CLI::App& app);
Command add_verify_vectors(CLI::App& app);
Command add_merge(CLI::App& app);
Command add_matrix(CLI::App& app);
Command add_diff(CLI::App& app);
Command add_html(CLI::App& app);
Command add_identify(CLI::App& app);
Command add_export(CLI::App& app);
Command add_check(CLI::App& app);
Command add_check_report(CLI::App& app);
Command add_submit_check(CLI::App& app);
Command add_stress(CLI::App& app);
Command add_bench(CLI::App& app);
Command add_encode(CLI::App& app);
Command add_gallery(CLI::App& app);
Command add_weights(CLI::App& app);

// The flags of `show` that only models have.
struct ModelFlags {
  std::string pairing;       // "": what the model says
  std::int64_t seq_len = 0;  // 0: the model's longest
  std::string svg;           // where the picture goes; "": none
  bool json = false;         // for programs

  bool any() const { return json || seq_len != 0 || !(pairing + svg).empty(); }
};

// models.cc. False: no model has this name.
void list_models(const std::filesystem::path& vectors);
bool show_model(const std::string& name, const std::filesystem::path& vectors,
                const ModelFlags& flags);

// encodings.cc
void list_encodings();

// Why a build without ROPEPROOF_MAINTENANCE does not do what it is asked.
inline std::invalid_argument not_in_this_build(const std::string& what) {
  return std::invalid_argument(what +
                               " is not in this build; one with "
                               "-DROPEPROOF_MAINTENANCE=ON has it, as of "
                               "tools/run.sh and of releases");
}

// The committed vectors, unless --vectors names others.
std::filesystem::path default_vectors();
// This program's file; empty where the system does not say. The shared
// libraries that it has loaded.
std::filesystem::path program();
std::vector<std::string> libraries_of_program();

// The covering arrays beside the vectors that a tier needs; those of the suite
// for vectors of `generate --out`; null for what a search saved. Throws
// FileError.
std::shared_ptr<const cover::Arrays> arrays_of(
    const std::filesystem::path& vectors,
    cases::Tier tier = cases::Tier::kFull);

// The kernels that come with the suite, those that were built.
const std::vector<std::string>& builtin_kernels();

// A program that comes with this one, beside it.
std::filesystem::path program_beside(const std::string& name);

// The library of a builtin kernel, beside this program or installed.
std::filesystem::path builtin_library(const std::string& name);

}  // namespace ropeproof::tools
