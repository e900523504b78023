// ropeproof bench: times kernels beside each other, on the same work.
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <regex>
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
#include "tools/kernel_flags.h"
#include "tools/report_file.h"

namespace ropeproof::tools {
namespace {

using conformance::bench::RowSpeed;
using conformance::bench::SpeedEntry;
using conformance::bench::SpeedKernel;
using conformance::bench::SpeedRow;

struct Options {
  KernelListFlags kernels;
  std::string vectors = default_vectors().string();
  std::string filter;
  int repetitions = 3;
  std::optional<std::string> json;
  bool only_lists = false;
};

std::vector<SpeedRow> selected_rows(const std::string& filter) {
  std::vector<SpeedRow> rows;
  try {
    const std::regex pattern(filter);
    for (const SpeedRow& row : conformance::bench::speed_rows()) {
      if (std::regex_search(row.name(), pattern)) rows.push_back(row);
    }
  } catch (const std::regex_error&) {
    throw std::invalid_argument("--filter: \"" + filter +
                                "\" is no regular expression");
  }
  if (rows.empty()) {
    throw std::invalid_argument("--filter: no row matches \"" + filter +
                                "\"; `ropeproof bench --list` names them all");
  }
  return rows;
}

// The kernels that were admitted.
struct Field {
  std::vector<SpeedEntry> entries;
  std::vector<KernelFlags> flags;
  std::vector<std::shared_ptr<conformance::plugin::Kernel>>
      kernels;  // as judged
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

Field judged(const Options& options) {
  const std::vector<KernelFlags> list = options.kernels.list();
  const conformance::cases::Corpus corpus =
      conformance::cases::load_corpus(options.vectors);
  Field field;
  for (const KernelFlags& flags : list) {
    const std::shared_ptr<conformance::plugin::Kernel> kernel = flags.open();
    const conformance::plugin::Description& d = kernel->description();
    conformance::bench::Admission admission =
        conformance::bench::admit(*kernel, corpus);
    if (!admission.refusal.empty()) {
      std::cerr << "ropeproof: " << d.name << " (" << flags.argument()
                << ") is not measured: " << admission.refusal;
      if (!admission.failing_case.empty()) {
        std::cerr << "; see `ropeproof run " << flags.argument() << " --case "
                  << admission.failing_case << "`";
      }
      std::cerr << std::endl;
      continue;
    }
    field.entries.push_back({distinct(d.name, field), d.version,
                             flags.argument(), std::move(admission)});
    field.flags.push_back(flags);
    field.kernels.push_back(kernel);
  }
  return field;
}

// In this process, but for commands, whose time includes the protocol's.
std::vector<SpeedKernel> loaded(const Field& field) {
  conformance::plugin::limit_threads(1);
  std::vector<SpeedKernel> kernels;
  for (std::size_t i = 0; i < field.entries.size(); ++i) {
    const std::string library = field.flags[i].library();
    if (library.empty()) {
      const auto kernel = field.kernels[i];
      kernel->restart(1);
      kernels.push_back({kernel->description(),
                         [kernel](const ropeproof_problem& problem) {
                           const auto answer = kernel->run(problem);
                           return answer.outcome ==
                                          conformance::plugin::Outcome::kOk
                                      ? ROPEPROOF_OK
                                      : ROPEPROOF_UNSUPPORTED;
                         },
                         kernel->shares_memory()});
      continue;
    }
    const auto here = conformance::plugin::load_library_here(library);
    kernels.push_back(
        {here.description, [run = here.run](const ropeproof_problem& problem) {
           return run(&problem);
         }});
  }
  return kernels;
}

bool is_same_group(const SpeedRow& a, const SpeedRow& b) {
  return a.operation == b.operation && a.dtype == b.dtype &&
         a.layout.pairing == b.layout.pairing;
}

int bench(const Options& options) {
  const std::vector<SpeedRow> rows = selected_rows(options.filter);
  if (options.only_lists) {
    for (const SpeedRow& row : rows) std::cout << row.name() << "\n";
    return 0;
  }
  std::optional<ReportFile> json;
  if (options.json) json.emplace("--json", *options.json);
  Field field = judged(options);
  if (field.entries.empty()) return 1;
  const std::vector<SpeedKernel> kernels = loaded(field);
  field.kernels.clear();  // the workers of libraries have done their part

  std::cout << conformance::bench::speed_heading(field.entries) << std::flush;
  std::vector<RowSpeed> measured;
  int wrong = 0, left_out = 0;
  const SpeedRow* last = nullptr;
  for (const SpeedRow& row : rows) {
    const auto is_offered = [&](const SpeedKernel& kernel) {
      return conformance::bench::missing_feature(kernel.description, row,
                                                 kernel.shares_memory)
          .empty();
    };
    if (std::ranges::none_of(kernels, is_offered)) {
      ++left_out;
      continue;
    }
    RowSpeed speed = conformance::bench::measure(
        row, kernels, {.repetitions = options.repetitions});
    for (const conformance::bench::KernelSpeed& one : speed.kernels) {
      wrong +=
          one.status == conformance::bench::KernelSpeed::Status::kWrong ? 1 : 0;
    }
    if (last == nullptr || !is_same_group(*last, row)) {
      std::cout << conformance::bench::speed_group(row);
    }
    std::cout << conformance::bench::speed_lines(speed, field.entries)
              << std::flush;
    last = &row;
    measured.push_back(std::move(speed));
  }
  if (left_out > 0) {
    std::cout << "\n"
              << left_out
              << (left_out == 1
                      ? " row is left out: no kernel offers it\n"
                      : " rows are left out: no kernel offers them\n");
  }
  if (!std::cout) throw std::runtime_error("standard output is not writable");
  if (json) {
    json->write(conformance::bench::speed_json(
        ROPEPROOF_VERSION, options.repetitions, field.entries, measured));
  }
  if (wrong > 0) {
    std::cerr << "ropeproof: " << wrong << " of the results "
              << (wrong == 1 ? "is" : "are") << " WRONG and without figures\n";
    return 1;
  }
  return measured.empty() ? 2 : 0;
}

}  // namespace

Command add_bench(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "bench", "time kernels beside each other, on the same work");
  options->kernels.add_flags(*command);
  command->add_option("--filter", options->filter,
                      "regular expression: only rows whose name it finds");
  command
      ->add_option("--repetitions", options->repetitions,
                   "of each row; figures are medians (default 3)")
      ->check(CLI::Range(1, 1000));
  command->add_option("--json", options->json, "file for all figures");
  command->add_flag("--list", options->only_lists,
                    "only name the rows that would be timed");
  command->add_option("--vectors", options->vectors, "folder of vectors");
  return {command, [options] { return bench(*options); }};
}

}  // namespace ropeproof::tools
