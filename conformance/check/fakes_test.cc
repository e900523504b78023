// Honest kernels keep the contract; `ropeproof selftest` judges those that do not.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "conformance/cases/test_corpus.h"
#include "conformance/check/contract.h"
#include "conformance/judge/judge.h"

namespace ropeproof::conformance::check {
namespace {

using reference::Format;

// Two batch rows of five tokens, full heads of 16 channels, q and k, f32.
const cases::RopeCase& sample() {
  return cases::committed_case("smoke-rich-009");
}

std::string judged(const cases::RopeCase& c, const judge::Output& output) {
  judge::Claim claim;
  const judge::Measurement m = judge::judge(c, ROPEPROOF_ROPE, claim, output);
  return m.pass() ? "" : std::to_string(m.wrong) + " elements are wrong";
}

}  // namespace

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

TEST_CASE("the builtin kernels keep the contract",
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
