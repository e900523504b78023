#include "conformance/selftest/fakes.h"

#include <algorithm>
#include <memory>

#include "conformance/check/offered.h"
#include "conformance/check/runner.h"
#include "conformance/report/report.h"

namespace ropeproof::conformance::selftest {
namespace {

constexpr const char* kRefused = "REFUSED";
constexpr const char* kReject = "reject";  // the id of the case with a defect

struct Finding {
  std::string verdict, reason;
  int exit_status = 5;

  std::string text() const {
    return verdict + ", exit status " + std::to_string(exit_status) +
           (reason.empty() ? "" : ": " + reason);
  }
};

// The first case with several rows and heads that the kernel offers; with it
// the defect that the fakes' reject checks are about.
cases::Corpus subject_for(const plugin::Description& description,
                          const cases::Corpus& corpus) {
  for (const cases::Group& group : corpus.groups) {
    for (const cases::Case& c : group.rope_cases) {
      const bool is_rich =
          c.problem.batch > 1 && c.problem.seq > 1 && c.problem.q_heads > 1;
      if (!is_rich ||
          !check::missing_feature(description, ROPEPROOF_ROPE, c.problem, true)
               .empty()) {
        continue;
      }
      cases::Group one = group;
      one.rope_cases = {c};
      one.permute_cases.clear();
      one.sequence_cases.clear();
      cases::RejectCase reject;
      reject.id = kReject;
      reject.of = c.id;
      reject.defect = cases::Defect::kOddRotaryDim;
      one.reject_cases = {reject};
      return {corpus.version, corpus.manifest_sha256, {one}};
    }
  }
  return {};
}

std::unique_ptr<plugin::Kernel> open(const ExpectedFake& fake,
                                     const FakePlaces& places) {
  plugin::KernelOptions options;
  if (fake.verdict == check::Verdict::kTimeout)
    options.time_limit = kFakeTimeLimit;
  const std::string name(fake.name);
  return fake.kind == ExpectedFake::kProcess
             ? plugin::start_process(places.process + " " + name, options)
             : plugin::load_library(places.libraries + "/" + name + ".so",
                                    options);
}

Finding find(const ExpectedFake& fake, const FakePlaces& places,
             const cases::Corpus& corpus) {
  std::unique_ptr<plugin::Kernel> kernel;
  try {
    kernel = open(fake, places);
  } catch (const plugin::KernelError& error) {
    return {kRefused, error.what(), 3};
  } catch (const std::invalid_argument& error) {
    return {kRefused, error.what(), 2};  // the machine lacks something
  }
  const cases::Corpus subject = subject_for(kernel->description(), corpus);
  check::Selection selection;
  selection.operations = {"rope"};
  const check::Aspect aspect = fake.aspect;
  selection.tier = std::max(selection.tier, check::promise(aspect).from);
  selection.values_only = aspect == check::Aspect::kValues;
  if (aspect == check::Aspect::kReject) selection.cases = {kReject};
  report::Report report = check::run_suite(*kernel, subject, selection);
  std::erase_if(report.checks, [&](const check::Check& check) {
    return check.aspect != aspect ||
           (aspect == check::Aspect::kReject && check.case_id != kReject);
  });
  if (report.checks.size() != 1) return {"NOT CHECKED", "", 5};
  const check::Check& check = report.checks[0];
  return {text::word(check.verdict), check.reason,
          report::exit_status(report::total(report))};
}

}  // namespace

FakeScore score(const ExpectedFake& fake, const FakePlaces& places,
                const cases::Corpus& corpus) {
  const Finding want{fake.verdict ? text::word(*fake.verdict) : kRefused,
                     std::string(fake.reason), fake.exit_status()};
  const Finding got = find(fake, places, corpus);
  FakeScore score;
  score.name = std::string(fake.name);
  if (fake.aspect != check::Aspect::kValues) {
    score.name += ", " + text::word(fake.aspect);
  }
  score.want = want.text();
  score.got = got.text();
  score.is_right = got.verdict == want.verdict &&
                   got.exit_status == want.exit_status &&
                   got.reason.find(want.reason) != std::string::npos;
  return score;
}

}  // namespace ropeproof::conformance::selftest
