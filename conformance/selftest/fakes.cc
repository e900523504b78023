#include "conformance/selftest/fakes.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "conformance/verdict/features.h"
#include "conformance/verdict/runner.h"

namespace ropeproof::conformance {
namespace {

// What a run says of the check that a fake is about.
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
Corpus subject_for(const Description& description, const Corpus& corpus) {
  for (const Group& group : corpus.groups) {
    for (const RopeCase& c : group.rope_cases) {
      const bool is_rich = c.batch > 1 && c.seq > 1 && c.q_heads > 1;
      if (!is_rich ||
          !missing_feature(description, ROPEPROOF_ROPE, c, true).empty()) {
        continue;
      }
      Group one = group;
      one.rope_cases = {c};
      one.permute_cases.clear();
      one.sequence_cases.clear();
      RejectCase reject;
      reject.id = "reject";
      reject.of = c.id;
      reject.defect = Defect::kOddRotaryDim;
      one.reject_cases = {reject};
      return {corpus.version, corpus.manifest_sha256, {one}};
    }
  }
  return {};
}

std::unique_ptr<Kernel> open(const ExpectedFake& fake,
                             const FakePlaces& places) {
  KernelOptions options;
  if (fake.verdict == "TIMEOUT") options.time_limit = kFakeTimeLimit;
  const std::string name(fake.name);
  return fake.kind == ExpectedFake::kProcess
             ? start_process(places.process + " " + name, options)
             : load_library(places.libraries + "/" + name + ".so", options);
}

Finding find(const ExpectedFake& fake, const FakePlaces& places,
             const Corpus& corpus) {
  const bool is_library = fake.kind == ExpectedFake::kLibrary;
  if (is_library && !std::filesystem::exists(places.libraries + "/" +
                                             std::string(fake.name) + ".so")) {
    return {"NOT BUILT", "", 5};
  }
  std::unique_ptr<Kernel> kernel;
  try {
    kernel = open(fake, places);
  } catch (const KernelError& error) {
    return {"REFUSED", error.what(), 3};
  }
  const Corpus subject = subject_for(kernel->description(), corpus);
  Selection selection;
  selection.operations = {"rope"};
  selection.values_only = fake.check.empty();
  if (fake.check == "reject") selection.cases = {"reject"};
  Report report = run_suite(*kernel, subject, selection);
  std::erase_if(report.checks, [&](const Check& check) {
    return fake.check == "reject" ? check.case_id != "reject"
                                  : check.aspect != fake.check;
  });
  if (report.checks.size() != 1) return {"NOT CHECKED", "", 5};
  const Check& check = report.checks[0];
  return {verdict_word(check.verdict), check.reason,
          exit_status(total(report))};
}

}  // namespace

FakeScore score(const ExpectedFake& fake, const FakePlaces& places,
                const Corpus& corpus) {
  const Finding want{std::string(fake.verdict), std::string(fake.reason),
                     fake.exit_status};
  const Finding got = find(fake, places, corpus);
  FakeScore score;
  score.name = std::string(fake.name);
  if (!fake.check.empty()) score.name += ", " + std::string(fake.check);
  score.want = want.text();
  score.got = got.text();
  score.is_right = got.verdict == want.verdict &&
                   got.exit_status == want.exit_status &&
                   got.reason.find(want.reason) != std::string::npos;
  return score;
}

}  // namespace ropeproof::conformance
