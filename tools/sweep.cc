// ropeproof sweep: judges every cosine and sine of a kernel.
#include <algorithm>
#include <cinttypes>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <vector>

#include "conformance/check/contract_checks.h"
#include "conformance/search/sweep_kernel.h"
#include "conformance/text/format.h"
#include "conformance/text/words.h"
#include "tools/commands.h"
#include "tools/kernel_flags.h"

namespace ropeproof::tools {
namespace {

using conformance::search::SweepRequest;
using conformance::search::SweepResult;
using conformance::search::SweptValue;
using conformance::text::format;

struct SweepOptions {
  KernelFlags kernel;
  std::vector<double> bases = {1e4, 5e5, 1e6, 1e7};
  SweepRequest request;
  std::string dtype;
};

std::string place(const SweptValue& value) {
  return format("%s, position %" PRId64 ", pair %" PRId64,
                value.is_sin ? "sin" : "cos", value.position, value.pair);
}

void print(double base, const SweepResult& result) {
  const auto share = [&](std::int64_t count) {
    return 100 * static_cast<double>(count) /
           static_cast<double>(std::max<std::int64_t>(result.values, 1));
  };
  const std::int64_t within = result.values - result.wrong;
  std::cout << format("  %-9.9g %10" PRId64 " %10" PRId64 " %8.4f %% %10" PRId64
                      " %8.4f %%",
                      base, result.values, result.nearest,
                      share(result.nearest), within, share(within));
  if (result.worst) {
    std::cout << format("  %9.3g %11.3g  ", result.max_ulp,
                        result.worst->ratio())
              << place(*result.worst);
  }
  std::cout << "\n";
  if (result.vacuous > 0) {
    std::cout << format("    %" PRId64
                        " values had a bound that accepts any rotation\n",
                        result.vacuous);
  }
  if (result.first_wrong) {
    const SweptValue& wrong = *result.first_wrong;
    std::cout << format("    FAIL  %" PRId64 " values; first: ", result.wrong)
              << place(wrong)
              << format(
                     "\n          got %.9g, exact %.9g, error %.3g, bound "
                     "%.3g\n",
                     wrong.got, wrong.want, wrong.error, wrong.bound);
  }
}

int sweep(SweepOptions options) {
  const auto kernel = options.kernel.open();
  if (!options.dtype.empty()) {
    options.request.dtype = conformance::text::find_word(
        conformance::text::kFormatWords, options.dtype);
  }
  if (!available(options.request.oracle)) {
    options.request.oracle = reference::Oracle::kBinFloat;
    std::cout << "built without MPFI: exact values are uncertified\n";
  }
  const conformance::plugin::Description& description = kernel->description();
  std::cout << "kernel    " << description.name << " " << description.version
            << ", " << options.kernel.argument() << "\n";
  bool conforms = true;
  for (const double base : options.bases) {
    options.request.base = base;
    const SweepResult result =
        conformance::search::sweep_kernel(*kernel, options.request);
    if (base == options.bases.front()) {
      std::cout << "judged    cos and sin in "
                << conformance::text::word(conformance::text::kFormatWords,
                                           result.format)
                << ", "
                << (result.operation == ROPEPROOF_TABLE
                        ? "operation table"
                        : "operation rope on unit vectors")
                << ", positions 0 to " << result.positions - 1
                << ", rotary_dim " << options.request.rotary_dim << "\n\n"
                << format("  %-9s %10s %21s %21s  %9s %11s  %s\n", "base",
                          "values", "correctly rounded", "within bound",
                          "norm-ulp", "worst/bound", "worst");
    }
    print(base, result);
    conforms = conforms && result.conforms();
    const conformance::plugin::Answer& answer = result.answer;
    if (answer.outcome == conformance::plugin::Outcome::kOk) continue;
    conforms = false;
    if (answer.outcome == conformance::plugin::Outcome::kError) {
      std::cout << std::flush;
      throw conformance::plugin::KernelError(
          "base " + format("%.9g", base) +
          ": the kernel did not answer: " + answer.detail);
    }
    std::cout << "    "
              << conformance::check::verdict_word(
                     conformance::check::verdict_of(answer.outcome))
              << "  " << answer.detail << "\n";
    break;
  }
  std::cout << "\n" << (conforms ? "PASS" : "FAIL") << std::endl;
  return conforms ? 0 : 1;
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
                   "of the kernel; default: the first it offers of f32, bf16, "
                   "f16, f64")
      ->check(CLI::IsMember({"f32", "bf16", "f16", "f64"}));
  return {command, [options] { return sweep(*options); }};
}

}  // namespace ropeproof::tools
