// ropeproof grade: a verdict on a kernel that nobody knows, by a policy.
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "conformance/cases/corpus.h"
#include "conformance/check/diagnose.h"
#include "conformance/check/runner.h"
#include "conformance/plugin/sandbox.h"
#include "conformance/report/policy.h"
#include "conformance/report/report.h"
#include "conformance/report/requirement.h"
#include "conformance/report/unasked.h"
#include "conformance/text/one_line.h"
#include "conformance/text/signature.h"
#include "conformance/text/strict_json.h"
#include "tools/commands.h"
#include "tools/graded_speed.h"
#include "tools/kernel_flags.h"
#include "tools/output_file.h"
#include "tools/profile_flags.h"
#include "tools/report_file.h"

namespace ropeproof::tools {
namespace {

struct GradeOptions {
  KernelFlags kernel;
  ProfileFlags profile;
  std::optional<std::string> policy, report_file, key;
  std::string vectors = default_vectors().string();
  bool is_json = false, has_no_diagnosis = false, is_server = false;
  int renewal = 100, kept_mib = 512;  // of a server
};

report::Policy policy_of(const GradeOptions& options) {
  const bool has_profile = !options.profile.argument().empty();
  if (options.policy.has_value() == has_profile) {
    throw std::invalid_argument(
        "grade needs one policy: --policy FILE, or the model that the kernel "
        "is for, by --profile, --model or --config");
  }
  if (options.policy) return report::read_policy(*options.policy);
  report::Policy policy;
  policy.required = report::kLeastOfProfile;
  return policy;
}

// A seed of 32 bits.
std::uint64_t drawn_seed() { return 1 + std::uint64_t{std::random_device()()}; }

// Judges kernels by one policy; what they are asked is loaded with the first,
// whose process is there before anything is that it must not see. Questions
// that are formed are kept for the next kernel, as long as they are the same.
// What one verdict frees the next one takes: given back to the system, each
// 4 KiB of it cost a page fault again.
void keep_freed_memory() {
#if defined(__GLIBC__)
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

class Grader {
 public:
  explicit Grader(const GradeOptions& options)
      : options_(options), policy_(policy_of(options)) {
    if (policy_.speed_ratio > 0 && !is_timed(policy_.scope)) {
      throw std::invalid_argument(
          "speed_ratio: `bench` has no row of these operations, dtypes and "
          "pairings (f64, permute); leave it out of the policy");
    }
  }

  const report::Policy& policy() const { return policy_; }

  report::Report grade(KernelFlags flags) {
    flags.limit_time(policy_.time_limit_ms);
    flags.limit_whole(policy_.whole_limit_ms);
    flags.hide(options_.vectors);
    flags.hide(default_vectors().string());
    flags.narrow([this](plugin::Description& description) {
      report::keep_required(policy_.required, policy_.judged, description);
    });
    if (policy_.speed_ratio > 0 &&
        (flags.library().empty() || !flags.sandbox())) {
      throw std::invalid_argument(
          "speed_ratio is measured of a library behind walls; leave it out of "
          "the policy for a command, or with --no-sandbox");
    }
    const std::string digest = flags.digest();
    std::unique_ptr<plugin::Kernel> kernel = flags.open();
    if (!corpus_) load();
    if (asked_++ % options_.renewal == 0) renew();
    report::Report found = check::run_suite(*kernel, *corpus_, selection_);
    report::forget_unasked(policy_.scope, found);
    if (!options_.has_no_diagnosis) {
      found.diagnoses = check::diagnose(found, *corpus_);
    }
    // Nothing that the kernel has started is there to see the verdict.
    kernel.reset();
    if (flags.digest() != digest) {
      throw plugin::KernelError(flags.library() +
                                ": changed while it was judged");
    }
    found.suite_version = ROPEPROOF_VERSION;
    flags.note(found, digest);
    found.kernel_argument +=
        options_.profile.argument() + " --fresh " + std::to_string(found.seed);
    found.required = policy_.required;
    found.least_speed = policy_.speed_ratio;
    // Only of what conforms: the time of wrong answers is worth nothing.
    if (policy_.speed_ratio > 0 &&
        report::exit_status(report::total(found)) == 0) {
      found.speed = speed_of(flags, found.kernel, policy_.scope);
    }
    return found;
  }

 private:
  void renew() {
    const std::uint64_t last = selection_.seed;
    selection_.seed = policy_.seed ? *policy_.seed : drawn_seed();
    if (selection_.formed && selection_.seed != last) {
      selection_.formed->clear();
    }
  }
  void load() {
    constexpr std::size_t kMib = std::size_t{1} << 20;
    selection_.offered_only = true;
    // A verdict's line says nothing of single elements.
    const bool is_line = !options_.report_file.has_value() &&
                         (options_.is_json || options_.is_server);
    selection_.wanted = options_.has_no_diagnosis ? check::Wanted::kVerdict
                        : is_line                 ? check::Wanted::kAnswer
                                                  : check::Wanted::kAccount;
    if (options_.is_server) {
      keep_freed_memory();
      selection_.formed = std::make_shared<check::FormedStore>(
          static_cast<std::size_t>(options_.kept_mib) * kMib);
    }
    selection_.tier = policy_.tier;
    selection_.arrays = arrays_of(options_.vectors, policy_.tier);
    if (selection_.arrays == nullptr) {
      throw std::invalid_argument(options_.vectors +
                                  " has no folder coverage to draw from");
    }
    corpus_ = cases::load_corpus(options_.vectors);
    options_.profile.apply(options_.vectors, *corpus_, selection_);
  }

  const GradeOptions& options_;
  report::Policy policy_;
  std::optional<cases::Corpus> corpus_;
  check::Selection selection_;
  int asked_ = 0;  // verdicts
};

// A verdict's line or a report, signed where there is a key.
std::string signed_text(const GradeOptions& options, const std::string& json) {
  return options.key ? text::with_signature(json, *options.key) : json;
}

int grade(const GradeOptions& options) {
  Grader grader(options);
  std::vector<std::filesystem::path> inputs = options.kernel.inputs();
  for (const auto& path : options.profile.inputs()) inputs.push_back(path);
  if (options.policy) inputs.push_back(*options.policy);
  inputs.push_back(options.vectors);
  std::optional<OutputFile> file;
  if (options.report_file) {
    file.emplace("--report", *options.report_file, inputs);
  }
  const report::Report found = grader.grade(options.kernel);
  if (file) file->write(signed_text(options, report::json_report(found)));
  const std::string line =
      report::verdict_line(found, grader.policy().sha256) + "\n";
  std::cout << (options.is_json ? signed_text(options, line)
                                : report::text_report(found, 1))
            << std::flush;
  return report::exit_status(report::total(found));
}

// The library that a line asks about. Throws std::invalid_argument.
std::string library_of(const std::string& line) {
  try {
    const nlohmann::json document = text::parse_json(line, "request");
    text::StrictObject object(document, "request");
    std::string library = object.text("lib");
    if (library.find('\0') != std::string::npos) {
      object.fail("lib", "has a NUL, which no path has");
    }
    object.finish();
    return library;
  } catch (const text::FileError& error) {
    throw std::invalid_argument(error.what());
  }
}

// A line of JSON for each line of standard input: a verdict, or an error that
// costs the line alone.
int serve(const GradeOptions& options) {
  Grader grader(options);
  for (std::string line; std::getline(std::cin, line);) {
    std::string answer;
    try {
      KernelFlags kernel = options.kernel;
      kernel.choose_library(library_of(line));
      answer =
          report::verdict_line(grader.grade(kernel), grader.policy().sha256);
    } catch (const text::FileError&) {
      throw;  // the vectors are not those of the manifest
    } catch (const std::exception& error) {
      const nlohmann::json fault = {{"conforms", false},
                                    {"error", text::one_line(error.what())}};
      answer = fault.dump();
    }
    std::cout << signed_text(options, answer + "\n") << std::flush;
  }
  return 0;
}

}  // namespace

Command add_grade(CLI::App& app) {
  auto options = std::make_shared<GradeOptions>();
  CLI::App* command = app.add_subcommand(
      "grade",
      "judge a kernel that you do not trust: behind walls, by a policy, with "
      "fresh questions");
  auto* const kernel = options->kernel.add_flags(*command);
  options->kernel.add_sandbox_flags(*command, true);
  auto* const policy = command->add_option(
      "--policy", options->policy,
      "file: what the kernel has to offer and to reach (policy.schema.json)");
  options->profile.add_flags(*command, {policy});
  command->add_option("--vectors", options->vectors, "folder of vectors");
  command->add_flag(
      "--no-diagnosis", options->has_no_diagnosis,
      "name no bug; a kernel that fails then takes a third of the time");
  command->add_flag("--json", options->is_json,
                    "print the verdict as one line of JSON");
  auto* const file =
      command->add_option("--report", options->report_file,
                          "also write every check to this file, as JSON");
  add_sign_flag(*command, options->key);
  command
      ->add_flag("--serve", options->is_server,
                 "for each line {\"lib\": FILE} of standard input, print the "
                 "verdict as one line of JSON")
      ->excludes(file);
  command
      ->add_option("--renew", options->renewal,
                   "without a seed in the policy, --serve draws new questions "
                   "after so many verdicts (default 100)")
      ->check(CLI::Range(1, 1000000));
  command
      ->add_option("--keep", options->kept_mib,
                   "MiB of questions and answers that --serve keeps for the "
                   "next kernel (default 512, enough for one dtype)")
      ->check(CLI::Range(0, 1 << 20));
  kernel->require_option(0, 1);
  return {command, [options, kernel] {
            const bool has_kernel = kernel->count_all() > 0;
            if (has_kernel == options->is_server) {
              throw std::invalid_argument(
                  "grade needs one kernel, or --serve: --lib, --command or "
                  "--builtin");
            }
            if (options->key) {
              if (!options->is_server && !options->is_json &&
                  !options->report_file) {
                throw std::invalid_argument(
                    "--sign signs JSON; give --json or --report, too");
              }
              text::expect_private_key(*options->key);
              const auto sandbox = options->kernel.sandbox();
              if (sandbox && plugin::is_shown(*sandbox, *options->key)) {
                throw std::invalid_argument("--sign: the kernel can read " +
                                            *options->key +
                                            "; keep it where it cannot");
              }
            }
            return options->is_server ? serve(*options) : grade(*options);
          }};
}

}  // namespace ropeproof::tools
