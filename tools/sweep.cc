// ropeproof sweep: judges every cosine and sine of a kernel.
#include <iostream>
#include <memory>
#include <optional>
#include <vector>

#include "conformance/check/run.h"
#include "conformance/search/sweep_kernel.h"
#include "conformance/search/sweep_report.h"
#include "conformance/text/format.h"
#include "conformance/text/word_tables.h"
#include "tools/commands.h"
#include "tools/kernel_flags.h"
#include "tools/output_file.h"

namespace ropeproof::tools {
namespace {

using search::Sweep;
using search::SweepRequest;
using search::SweepResult;

struct SweepOptions {
  KernelFlags kernel;
  std::vector<double> bases = {1e4, 5e5, 1e6, 1e7};
  SweepRequest request;
  std::string dtype;
  std::optional<std::string> shard, report;
};

int sweep(SweepOptions options) {
  std::optional<OutputFile> file;
  if (options.report) {
    file.emplace("--report", *options.report, options.kernel.inputs());
  }
  if (options.shard) {
    options.request.shard = *options.shard == "auto"
                                ? check::shard_asked_for()
                                : check::parse_shard(*options.shard, "--shard");
  }
  Sweep found;
  found.suite_version = ROPEPROOF_VERSION;
  found.kernel_argument = options.kernel.argument();
  found.kernel_sha256 = options.kernel.digest();
  const auto kernel = options.kernel.open();
  if (!options.dtype.empty()) {
    options.request.dtype = text::find_word(text::kFormatWords, options.dtype);
  }
  found.is_certified = available(options.request.oracle);
  if (!found.is_certified) {
    options.request.oracle = reference::Oracle::kBinFloat;
  }
  found.kernel = kernel->description();
  found.rotary_dim = options.request.rotary_dim;
  for (const double base : options.bases) {
    options.request.base = base;
    const SweepResult result = search::sweep_kernel(*kernel, options.request);
    found.operation = result.operation;
    found.format = result.format;
    found.positions = result.positions;
    const plugin::Answer& answer = result.answer;
    if (answer.outcome == plugin::Outcome::kError) {
      throw plugin::KernelError(
          "base " + text::format("%.9g", base) +
          ": the kernel did not answer: " + answer.detail);
    }
    found.rows.push_back({base, result.first, result.end,
                          check::verdict_of(answer.outcome), answer.detail,
                          result.measurement});
  }
  if (file) file->write(sweep_json(found));
  std::cout << sweep_text(found) << std::flush;
  return found.exit_status();
}

}  // namespace

Command add_sweep(CLI::App& app) {
  auto options = std::make_shared<SweepOptions>();
  CLI::App* command = app.add_subcommand(
      "sweep", "judge every cosine and sine that a kernel forms");
  options->kernel.add_flags(*command);
  command->add_option("--base", options->bases,
                      "bases of the frequencies (default 1e4 5e5 1e6 1e7)");
  command->add_option("--rotary-dim", options->request.rotary_dim,
                      "rotary channels (default 128)");
  command
      ->add_option("--positions", options->request.positions,
                   "positions 0 to N - 1 (default 131072)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 32));
  command
      ->add_option("--dtype", options->dtype,
                   "dtype that is swept; default: the first that the kernel "
                   "offers of f32, bf16, f16, f64")
      ->check(CLI::IsMember({"f32", "bf16", "f16", "f64"}));
  command->add_option("--shard", options->shard,
                      "i/n, the i-th of n ranges of positions, or auto; "
                      "`ropeproof merge` joins the reports");
  command->add_option("--report", options->report,
                      "also write what was measured to this file, as JSON");
  return {command, [options] { return sweep(*options); }};
}

}  // namespace ropeproof::tools
