// ropeproof sweep: judges every cosine and sine of a kernel.
#include <algorithm>
#include <cinttypes>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <vector>

#include "conformance/check/run.h"
#include "conformance/search/sweep_kernel.h"
#include "conformance/text/format.h"
#include "conformance/text/word_tables.h"
#include "tools/commands.h"
#include "tools/kernel_flags.h"

namespace ropeproof::tools {
namespace {

using conformance::judge::Element;
using conformance::search::SweepRequest;
using conformance::search::SweepResult;
using conformance::text::format;

struct SweepOptions {
  KernelFlags kernel;
  std::vector<double> bases = {1e4, 5e5, 1e6, 1e7};
  SweepRequest request;
  std::string dtype;
};

// "sin, position 69891, pair 28"; a unit vector comes out as "q[64], ...".
std::string place(const Element& e) {
  return conformance::text::word(e.tensor) +
         (e.tensor == conformance::judge::Tensor::kQ
              ? format("[%" PRId64 "]", e.channel)
              : "") +
         format(", position %.0f, pair %" PRId64, e.position, e.pair);
}

void print(double base, const SweepResult& result) {
  const conformance::judge::Measurement& m = result.measurement;
  const auto counted = [&](std::int64_t count) {
    return format(
        "%10" PRId64 " %8.4f %%", count,
        100 * static_cast<double>(count) /
            static_cast<double>(std::max<std::int64_t>(m.elements, 1)));
  };
  std::cout << format("  %-9.9g %10" PRId64 " ", base, m.elements)
            << counted(m.elements - m.not_nearest) << " "
            << counted(m.elements - m.wrong);
  if (m.worst) {
    std::cout << format("  %9.3g %11.3g  ", m.max_norm_ulp, m.worst->ratio())
              << place(*m.worst);
  }
  std::cout << "\n";
  if (m.vacuous > 0) {
    std::cout << format("    %" PRId64
                        " values had a bound that accepts any rotation\n",
                        m.vacuous);
  }
  if (m.first_wrong) {
    const Element& wrong = *m.first_wrong;
    std::cout << format("    FAIL  %" PRId64 " values; first: ", m.wrong)
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
  using Outcome = conformance::plugin::Outcome;
  bool conforms = true, is_judged = false;
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
    const conformance::plugin::Answer& answer = result.answer;
    is_judged = is_judged || result.measurement.elements > 0;
    const bool is_declined = answer.outcome == Outcome::kDeclined;
    conforms = conforms && (result.conforms() ||
                            (is_declined && result.measurement.pass()));
    if (is_declined) {
      std::cout << "    DECLINED after " << result.measurement.elements
                << " values\n";
    }
    if (is_declined || answer.outcome == Outcome::kOk) continue;
    if (answer.outcome == Outcome::kError) {
      std::cout << std::flush;
      throw conformance::plugin::KernelError(
          "base " + format("%.9g", base) +
          ": the kernel did not answer: " + answer.detail);
    }
    std::cout << "    "
              << conformance::text::word(
                     conformance::check::verdict_of(answer.outcome))
              << "  " << answer.detail << "\n";
    break;
  }
  if (conforms && !is_judged) {
    std::cout << "\nNOTHING WAS JUDGED" << std::endl;
    return 2;
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
