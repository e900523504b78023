// Every fake gets exactly the verdict that fakes/expected.h says.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>

#include "conformance/cases/corpus.h"
#include "conformance/check/contract.h"
#include "conformance/judge/judge.h"
#include "conformance/selftest/fakes/expected.h"
#include "conformance/selftest/fakes/strided_problem.h"

namespace ropeproof::conformance::check {
namespace {

using Catch::Matchers::ContainsSubstring;
using reference::Format;

// Two batch rows of five tokens, full heads of 16 channels, q and k, f32.
const cases::RopeCase& sample() {
  static const cases::Corpus corpus = cases::load_corpus(ROPEPROOF_VECTORS_DIR);
  for (const cases::Group& group : corpus.groups) {
    for (const cases::RopeCase& c : group.rope_cases) {
      if (c.id == "smoke-rich-009") return c;
    }
  }
  throw std::logic_error("no sample");
}

std::unique_ptr<plugin::Kernel> start_fake(const selftest::ExpectedFake& fake) {
  plugin::KernelOptions options;
  if (fake.verdict == "TIMEOUT") options.time_limit = selftest::kFakeTimeLimit;
  return fake.kind == selftest::ExpectedFake::kProcess
             ? plugin::start_process(selftest::process(std::string(fake.name)),
                                     options)
             : plugin::load_library(std::string(ROPEPROOF_FAKES_DIR "/") +
                                        std::string(fake.name) + ".so",
                                    options);
}

std::string judged(const cases::RopeCase& c, const judge::Output& output) {
  judge::Claim claim;
  const judge::Measurement m = judge::judge(c, ROPEPROOF_ROPE, claim, output);
  return m.pass() ? "" : std::to_string(m.wrong) + " elements are wrong";
}

// The result that `fake` is about.
ContractResult result_for(const selftest::ExpectedFake& fake,
                          plugin::Kernel& kernel) {
  const Subject subject{sample(), ROPEPROOF_ROPE, Format::kF32};
  if (fake.check.empty()) {
    return check_sequence(kernel, std::vector<Subject>{subject}, judged);
  }
  if (fake.check == "reject") {
    return check_reject(kernel, subject, cases::Defect::kOddRotaryDim);
  }
  const auto results = check_contract(kernel, subject, judged);
  const auto found = std::find_if(
      results.begin(), results.end(),
      [&](const ContractResult& result) { return result.check == fake.check; });
  REQUIRE(found != results.end());
  return *found;
}

std::string verdict_of(const ContractResult& result) {
  if (result.pass) return "PASS";
  switch (result.outcome) {
    case plugin::Outcome::kOk:
      return "FAIL";
    case plugin::Outcome::kError:
      return "ERROR";
    case plugin::Outcome::kCrash:
      return "CRASH";
    case plugin::Outcome::kTimeout:
      return "TIMEOUT";
    default:
      return "UNSUPPORTED";
  }
}

}  // namespace

TEST_CASE("every fake gets its verdict, and its reason",
          "[conformance][contract][fakes]") {
  const selftest::ExpectedFake& fake = GENERATE(
      Catch::Generators::from_range(std::begin(selftest::kExpectedFakes),
                                    std::end(selftest::kExpectedFakes)));
  CAPTURE(fake.name, fake.check);
  if (fake.verdict == "REFUSED") {
    try {
      start_fake(fake);
      FAIL("it started");
    } catch (const plugin::KernelError& error) {
      CHECK_THAT(error.what(), ContainsSubstring(std::string(fake.reason)));
    }
    return;
  }
  const auto kernel = start_fake(fake);
  const ContractResult result = result_for(fake, *kernel);
  CHECK(verdict_of(result) == fake.verdict);
  CHECK_THAT(result.reason, ContainsSubstring(std::string(fake.reason)));
}

TEST_CASE("a kernel that keeps its promises passes every check",
          "[conformance][contract][fakes]") {
  const auto kernel =
      plugin::load_library(ROPEPROOF_FAKES_DIR "/keeps_promises.so", {});
  const Subject subject{sample(), ROPEPROOF_ROPE, Format::kF32};
  std::string failures;
  const auto results = check_contract(*kernel, subject, judged);
  for (const ContractResult& result : results) {
    if (!result.pass) failures += result.check + ": " + result.reason + "\n";
  }
  CHECK(failures == "");
  CHECK(results.size() == 18);
  for (const cases::Defect defect :
       {cases::Defect::kOddRotaryDim, cases::Defect::kRotaryDimAboveHeadDim,
        cases::Defect::kZeroRotaryDim, cases::Defect::kWindowBeyondHead,
        cases::Defect::kNegativeBatch, cases::Defect::kZeroDirection,
        cases::Defect::kNonFiniteBase, cases::Defect::kNullInput,
        cases::Defect::kNullOutput, cases::Defect::kNullPositions,
        cases::Defect::kOverlappingTensors, cases::Defect::kOverlappingRows}) {
    CAPTURE(static_cast<int>(defect));
    CHECK(check_reject(*kernel, subject, defect).reason == "");
  }
}

TEST_CASE("the bundled kernels keep the contract",
          "[conformance][contract][fakes]") {
  for (const std::string name : {"fast", "c_example"}) {
    CAPTURE(name);
    const auto kernel =
        plugin::load_library(ROPEPROOF_PLUGINS_DIR "/" + name + ".so", {});
    const Subject subject{sample(), ROPEPROOF_ROPE, Format::kF32};
    for (const ContractResult& result :
         check_contract(*kernel, subject, judged)) {
      CAPTURE(result.check, result.reason);
      const bool holds =
          result.pass || result.outcome == plugin::Outcome::kUnsupported;
      CHECK(holds);
    }
  }
}

}  // namespace ropeproof::conformance::check
