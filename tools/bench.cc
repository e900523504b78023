// ropeproof bench: times kernels beside each other, on the same work.
#include <regex.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "conformance/bench/admission.h"
#include "conformance/bench/measure.h"
#include "conformance/bench/speed_report.h"
#include "conformance/cases/corpus.h"
#include "conformance/plugin/library_here.h"
#include "conformance/plugin/worker.h"
#include "tools/commands.h"
#include "tools/graded_speed.h"
#include "tools/kernel_flags.h"
#include "tools/output_file.h"

namespace ropeproof::tools {
namespace {

struct Flags {
  KernelListFlags kernels;
  std::string vectors = default_vectors().string();
  std::string filter, clock = "wall", target;
  int repetitions = 3;
  std::optional<std::string> json;
  bool only_lists = false, shows_limits = false;
};

// The rows whose name the filter finds.
std::vector<bench::Row> selected(std::vector<bench::Row> rows,
                                 const std::string& filter) {
  // The library's parser takes a frame of the stack for each bracket.
  constexpr std::size_t kMostCharacters = 1000;
  if (filter.size() > kMostCharacters) {
    throw std::invalid_argument("--filter: longer than 1000 characters");
  }
  regex_t pattern;
  if (regcomp(&pattern, filter.c_str(), REG_EXTENDED | REG_NOSUB) != 0) {
    throw std::invalid_argument("--filter: \"" + filter +
                                "\" is no regular expression");
  }
  std::erase_if(rows, [&](const bench::Row& row) {
    return regexec(&pattern, row.name.c_str(), 0, nullptr, 0) != 0;
  });
  regfree(&pattern);
  if (rows.empty()) {
    throw std::invalid_argument("--filter: no row matches \"" + filter +
                                "\"; `ropeproof bench --list` names them all");
  }
  return rows;
}

// The kernels that were admitted.
struct Field {
  std::vector<bench::Entry> entries;
  std::vector<KernelFlags> flags;
  std::vector<std::shared_ptr<plugin::Kernel>> kernels;  // as judged
};

std::string distinct(const std::string& name, const Field& field) {
  std::string label = name;
  for (int i = 2; std::ranges::any_of(
           field.entries,
           [&](const auto& entry) { return entry.label == label; });
       ++i) {
    label = name + " (" + std::to_string(i) + ")";
  }
  return label;
}

Field judged(const Flags& flags, const std::vector<bench::Row>& rows) {
  const std::vector<KernelFlags> list = flags.kernels.list();
  const cases::Corpus corpus = cases::load_corpus(flags.vectors);
  std::set<reference::Format> dtypes;
  for (const bench::Row& row : rows) dtypes.insert(row.problem.dtype);
  Field field;
  for (const KernelFlags& one : list) {
    const std::shared_ptr<plugin::Kernel> kernel = one.open();
    const plugin::Description& d = kernel->description();
    bench::Admission admission = bench::admit(*kernel, corpus, dtypes);
    if (!admission.refusal.empty()) {
      std::cerr << "ropeproof: " << d.name << " (" << one.argument()
                << ") is not measured: " << admission.refusal;
      if (!admission.failing_case.empty()) {
        std::cerr << "; see `ropeproof run " << one.argument() << " --case "
                  << admission.failing_case << "`";
      }
      std::cerr << std::endl;
      continue;
    }
    field.entries.push_back(
        {distinct(d.name, field), d, one.argument(), std::move(admission)});
    field.flags.push_back(one);
    field.kernels.push_back(kernel);
  }
  return field;
}

// The cost of a call that asks for nothing, which every call has on top.
double doorbell_ns(plugin::TimedLibrary& library) {
  constexpr int kCalls = 1001;
  std::vector<double> times;
  for (int i = 0; i < kCalls; ++i) {
    const double begin = bench::wall_ns();
    library.call({}, plugin::Doorbell::kNothing);
    times.push_back(bench::wall_ns() - begin);
  }
  return bench::median(std::move(times));
}

// Behind walls, where there are some; else in this process, but for commands,
// whose time includes the protocol's.
std::vector<bench::TimedKernel> loaded(Field& field) {
  std::vector<bench::TimedKernel> kernels(field.entries.size());
  // Before this process keeps to one processor: theirs is another one.
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const std::string library = field.flags[i].library();
    const auto walls = library.empty() ? nullptr : field.flags[i].sandbox();
    if (!walls) continue;
    kernels[i].apart = std::make_shared<plugin::TimedLibrary>(
        std::filesystem::absolute(library).string(), *walls,
        field.flags[i].time_limit());
  }
  plugin::limit_threads(1);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const std::string library = field.flags[i].library();
    if (const auto& apart = kernels[i].apart) {
      field.entries[i].doorbell_ns = doorbell_ns(*apart);
      kernels[i].description = field.kernels[i]->description();
      kernels[i].run = [apart](const ropeproof_problem& problem) {
        return apart->call(problem);
      };
      continue;
    }
    if (library.empty()) {
      const auto kernel = field.kernels[i];
      kernel->restart(1);
      kernels[i] = {kernel->description(),
                    [kernel](const ropeproof_problem& problem) {
                      const auto answer = kernel->run(problem);
                      return answer.outcome == plugin::Outcome::kOk
                                 ? ROPEPROOF_OK
                                 : ROPEPROOF_UNSUPPORTED;
                    },
                    kernel->shares_memory()};
      continue;
    }
    const auto here = plugin::load_library_here(library);
    if (here.device) {
      throw plugin::KernelError(
          library +
          ": its memory is a device's; bench times those of the host");
    }
    kernels[i] = {here.description,
                  [run = here.run](const ropeproof_problem& problem) {
                    return run(&problem);
                  }};
  }
  return kernels;
}

// Prints the rows as they are measured; the exit status.
int time_rows(const Flags& flags, const std::vector<bench::Row>& rows,
              const std::vector<bench::Entry>& entries,
              const std::vector<bench::TimedKernel>& kernels,
              std::optional<OutputFile>& json) {
  bench::Options options{.repetitions = flags.repetitions};
  if (flags.clock == "process") options.now_ns = bench::process_ns;
  // By the widest vectors nobody is twice as fast as the fastest limit.
  if (flags.kernels.are_walled() && flags.target.empty()) options.too_fast = 2;
  std::vector<bench::RowSpeed> measured;
  int wrong = 0, left_out = 0;
  std::string group;
  for (const bench::Row& row : rows) {
    plugin::limit_threads(row.threads);
    bench::RowSpeed speed = bench::measure(row, kernels, options);
    if (speed.limits.empty()) {
      ++left_out;
      continue;
    }
    for (const bench::KernelSpeed& one : speed.kernels) {
      wrong += one.status == bench::KernelSpeed::Status::kWrong ? 1 : 0;
    }
    if (group != row.group) std::cout << bench::speed_group(row, entries);
    group = row.group;
    std::cout << bench::speed_lines(speed, entries, flags.shows_limits)
              << std::flush;
    measured.push_back(std::move(speed));
  }
  if (left_out > 0) {
    std::cout << "\n"
              << left_out
              << (left_out == 1
                      ? " row is left out: no kernel offers it\n"
                      : " rows are left out: no kernel offers them\n");
  }
  if (json) {
    json->write(bench::speed_json(ROPEPROOF_VERSION, flags.repetitions, entries,
                                  measured));
  }
  if (!std::cout.flush()) {
    throw std::runtime_error("standard output cannot be written");
  }
  if (wrong > 0) {
    std::cerr << "ropeproof: " << wrong << " of the results "
              << (wrong == 1 ? "is" : "are") << " WRONG and without figures\n";
    return 1;
  }
  return measured.empty() ? 2 : 0;
}

int time_kernels(const Flags& flags) {
  if (!flags.target.empty()) {
    ::setenv("ROPEPROOF_TARGET", flags.target.c_str(), 1);
  }
  const auto rows = selected(bench::all_rows(), flags.filter);
  if (flags.only_lists) {
    for (const bench::Row& row : rows) std::cout << row.name << "\n";
    return 0;
  }
  std::optional<OutputFile> json;
  if (flags.json) {
    std::vector<std::filesystem::path> inputs = {flags.vectors};
    for (const KernelFlags& one : flags.kernels.list()) {
      std::ranges::copy(one.inputs(), std::back_inserter(inputs));
    }
    json.emplace("--json", *flags.json, inputs);
    ::signal(SIGPIPE, SIG_IGN);  // the file outlives who reads the table
  }
  Field field = judged(flags, rows);
  if (field.entries.empty()) return 1;
  const bool are_all = field.entries.size() == flags.kernels.list().size();
  const auto time_all = [&] {
    try {
      const std::vector<bench::TimedKernel> kernels = loaded(field);
      field.kernels.clear();  // the workers of libraries have done their part
      std::cout << bench::speed_heading(field.entries) << std::flush;
      return time_rows(flags, rows, field.entries, kernels, json);
    } catch (const plugin::KernelError& error) {
      std::cerr << "ropeproof: " << error.what() << std::endl;
      return 3;
    } catch (const std::runtime_error& error) {
      std::cerr << "ropeproof: " << error.what() << std::endl;
      return 5;
    }
  };
  const int status =
      std::stoi(answer_of_process([&] { return std::to_string(time_all()); }));
  return status == 0 && !are_all ? 1 : status;
}

}  // namespace

Command add_bench(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand(
      "bench", "time kernels beside each other, on the same work");
  flags->kernels.add_flags(*command);
  command->add_option("--filter", flags->filter,
                      "regular expression of grep -E: only rows that it finds");
  command
      ->add_option(
          "--repetitions", flags->repetitions,
          "how often each row is timed; figures are medians (default 3)")
      ->check(CLI::Range(1, 1000));
  command
      ->add_option("--clock", flags->clock,
                   "wall, or process: the time that this process ran, for a "
                   "busy machine and kernels that run nowhere else")
      ->check(CLI::IsMember({"wall", "process"}));
  command
      ->add_option("--target", flags->target,
                   "no wider vectors than AVX2's or SSE4's, for the limits, "
                   "plain C++ and `fast`, or what heeds ROPEPROOF_TARGET")
      ->check(CLI::IsMember({"AVX2", "SSE4"}));
  command->add_flag("--limits", flags->shows_limits,
                    "a line for each limit, and for plain C++");
  command->get_option("--sandbox")->excludes("--clock");
  auto* json =
      command->add_option("--json", flags->json, "file for all figures");
  command
      ->add_flag("--list", flags->only_lists,
                 "only name the rows that would be timed")
      ->excludes(json);
  command->add_option("--vectors", flags->vectors, "folder of vectors");
  return {command, [flags] { return time_kernels(*flags); }};
}

}  // namespace ropeproof::tools
