// ropeproof selftest: the suite judges kernels whose verdict is known.
#include "conformance/selftest/selftest.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "conformance/cases/corpus.h"
#include "conformance/plugin/sandbox.h"
#include "conformance/selftest/fakes/expected.h"
#include "conformance/selftest/hacks.h"
#include "conformance/selftest/strangers/strangers.h"
#include "tools/commands.h"
#include "tools/output_file.h"
#include "tools/report_file.h"

namespace ropeproof::tools {

namespace {

struct Options {
  std::string vectors = default_vectors().string();
  std::string fakes, fake_process;
  std::optional<std::string> table;
  bool is_full = false, is_untrusted = false;
  std::size_t diagnosed_every = 1;
  std::string python = "python3";
  selftest::strangers::Options strangers;
  std::string until = "fresh";
};

// Hostile kernels print without end: nobody needs to see it.
class SilentStderr {
 public:
  SilentStderr() : kept_(dup(STDERR_FILENO)) {
    const int null = open("/dev/null", O_WRONLY);
    dup2(null, STDERR_FILENO);
    close(null);
  }
  ~SilentStderr() {
    dup2(kept_, STDERR_FILENO);
    close(kept_);
  }
  SilentStderr(const SilentStderr&) = delete;
  SilentStderr& operator=(const SilentStderr&) = delete;

 private:
  int kept_;
};

// Throws std::invalid_argument where some are not built.
void check_fakes(const std::string& folder) {
  std::set<std::string_view> all, missing;
  for (const auto& fake : selftest::kExpectedFakes) {
    if (fake.kind != selftest::ExpectedFake::kLibrary) continue;
    all.insert(fake.name);
    const auto file = std::filesystem::path(folder) / fake.name;
    if (!std::filesystem::exists(file.string() + ".so")) {
      missing.insert(fake.name);
    }
  }
  if (missing.empty()) return;
  throw std::invalid_argument(
      folder + ": " + std::to_string(missing.size()) + " of the " +
      std::to_string(all.size()) +
      " hostile kernels are not built; build the target fakes: cmake --build "
      "--preset release --target fakes");
}

selftest::SelftestReport run_silently(
    const cases::Corpus& corpus, const selftest::SelftestOptions& options) {
  const SilentStderr silent;
  return selftest::run_selftest(corpus, options);
}

int judge_strangers(const std::string& vectors, const std::string& until,
                    selftest::strangers::Options options) {
  options.last = *text::find_word(selftest::strangers::kAskedWords, until);
  options.arrays = arrays_of(vectors);
  options.library = (builtin_library("fast").parent_path().parent_path() /
                     "fakes" / "stranger.so")
                        .string();
  options.print = [](const std::string& line) {
    std::cout << line << std::flush;
  };
  const auto strangers =
      selftest::strangers::run_strangers(cases::load_corpus(vectors), options);
  std::cout << selftest::strangers::table(strangers);
  return 0;
}

// A Python of this name, and how a script of a checkout is started with it.
std::string script_of(const std::string& python, const char* name) {
  const auto script = default_vectors().parent_path() / "conformance" /
                      "selftest" / "fakes" / name;
  return std::filesystem::exists(script)
             ? python + " " + shell_quoted(script.string())
             : "";
}

// What a command prints, by lines.
std::vector<std::string> lines_of(const std::string& command) {
  std::vector<std::string> lines;
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return lines;
  char line[4096];
  while (std::fgets(line, sizeof line, pipe) != nullptr) {
    lines.emplace_back(line, std::strcspn(line, "\n"));
  }
  if (pclose(pipe) != 0) lines.clear();
  return lines;
}

int judge_untrusted(const Options& from, std::optional<OutputFile>& table) {
  const std::string why = plugin::why_no_sandbox(program().string());
  if (!why.empty()) {
    throw std::runtime_error("there is no sandbox here: " + why);
  }
  selftest::UntrustedOptions options;
  options.plugins = builtin_library("fast").parent_path().string();
  options.library =
      (from.fakes.empty() ? options.plugins + "/../fakes" : from.fakes) +
      "/hacks.so";
  if (!std::filesystem::exists(options.library)) {
    throw std::invalid_argument(options.library +
                                " is not built; build the target fakes");
  }
  options.sandbox.program = program().string();
  options.sandbox.shown = libraries_of_program();
  options.sandbox.hidden = {from.vectors};
  const std::string process = script_of(from.python, "hacks.py");
  if (!process.empty()) {
    const auto needed = lines_of(process);
    if (!needed.empty()) options.process = process;
    options.sandbox.shown.insert(options.sandbox.shown.end(), needed.begin(),
                                 needed.end());
  }
  options.arrays = arrays_of(from.vectors);
  options.is_full = from.is_full;
  options.print = [](const std::string& line) {
    std::cout << line << std::flush;
  };
  plugin::hide_memory();
  const auto corpus = cases::load_corpus(from.vectors);
  std::vector<selftest::HackRow> rows;
  {
    const SilentStderr silent;
    rows = selftest::run_untrusted(corpus, options);
  }
  if (table) table->write(selftest::untrusted_table(rows));
  std::cout << "\nuntrusted " << selftest::score_text(rows)
            << (options.process.empty() ? "; no Python with NumPy\n" : "\n");
  return selftest::all_right(rows) ? 0 : 5;
}

int judge_suite(const Options& options, std::optional<OutputFile>& table) {
  selftest::SelftestOptions suite;
  const auto fast = builtin_library("fast");
  if (std::filesystem::exists(fast)) suite.fast_library = fast.string();
  suite.arrays = arrays_of(options.vectors);
  if (suite.arrays == nullptr) {
    throw std::invalid_argument(options.vectors + ": not the suite's vectors");
  }
  suite.with_three = options.is_full;
  suite.diagnosed_every = options.diagnosed_every;
  suite.fakes = {options.fakes, options.fake_process};
  const auto beside = fast.parent_path().parent_path() / "fakes";
  if (options.fakes.empty() && std::filesystem::exists(beside)) {
    suite.fakes.libraries = beside.string();
  }
  if (!suite.fakes.libraries.empty()) check_fakes(suite.fakes.libraries);
  if (options.fake_process.empty()) {
    suite.fakes.process = script_of("python3", "process.py");
  }
  const selftest::SelftestReport report =
      run_silently(cases::load_corpus(options.vectors), suite);
  if (table) table->write(mutant_table(report));
  std::cout << report.text;
  return report.holds() ? 0 : 5;
}

int judge_by(const Options& options) {
  if (options.strangers.count > 0) {
    return judge_strangers(options.vectors, options.until, options.strangers);
  }
  std::optional<OutputFile> table;
  if (options.table) {
    table.emplace("--table", *options.table,
                  std::vector<std::filesystem::path>{options.vectors});
  }
  return options.is_untrusted ? judge_untrusted(options, table)
                              : judge_suite(options, table);
}

}  // namespace

Command add_selftest(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "selftest",
      "judge kernels whose verdict is known: honest, broken, hostile");
  command->add_option("--vectors", options->vectors, "folder of vectors");
  command
      ->add_option("--fakes", options->fakes,
                   "folder of the hostile kernels (default: beside this "
                   "program, if built)")
      ->check(CLI::ExistingDirectory);
  command->add_option("--fake-process", options->fake_process,
                      "command that plays the hostile process whose name is "
                      "appended (default: fakes/process.py of a checkout)");
  command->add_option("--table", options->table,
                      "also write what becomes of each mutant, or of each that "
                      "is not trusted, to this file, as Markdown");
  command->add_flag("--full", options->is_full,
                    "also every fault of three classes, on the full tier: "
                    "minutes");
  command
      ->add_option("--diagnose-every", options->diagnosed_every,
                   "diagnose one of so many mutants (default: 1, all of them)")
      ->check(CLI::Range(1, 1000));
  command->add_flag("--untrusted", options->is_untrusted,
                    "only judge, behind walls, kernels that are made to pass: "
                    "those that take seconds, with --full all");
  command->add_option("--python", options->python,
                      "command that starts those in Python (default: python3)");
  command->add_option("--strangers", options->strangers.count,
                      "only judge so many kernels with faults drawn at random: "
                      "seconds to minutes each");
  command->add_option(
      "--seed", options->strangers.seed,
      "of the faults of --strangers; 0: those of public reports, in "
      "place of drawn ones");
  command->add_option("--first", options->strangers.first,
                      "number of the first of --strangers");
  command
      ->add_option("--until", options->until,
                   "the last that asks --strangers: smoke, core, full or fresh")
      ->check(CLI::IsMember({"smoke", "core", "full", "fresh"}));
  command->add_option("--rarer", options->strangers.rarer_than,
                      "leave out --strangers that are wrong in this share of "
                      "engines' elements, or more");
  command->add_option("--named", options->strangers.named,
                      "also diagnose so many of --strangers");
  return {command, [options] { return judge_by(*options); }};
}

}  // namespace ropeproof::tools
