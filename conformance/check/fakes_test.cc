// Honest kernels keep the contract; `ropeproof selftest` judges those that do not.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "conformance/cases/test_corpus.h"
#include "conformance/check/contract.h"

namespace ropeproof::conformance::check {
namespace {

// Two batch rows of five tokens, full heads of 16 channels, q and k, f32.
const cases::RopeCase& sample() {
  return cases::committed_case("smoke-rich-009");
}

}  // namespace

TEST_CASE("a kernel that keeps its promises passes every check",
          "[conformance][contract][fakes]") {
  const auto kernel =
      plugin::load_library(ROPEPROOF_FAKES_DIR "/keeps_promises.so", {});
  const Subject subject = subject_of(*kernel, sample(), ROPEPROOF_ROPE);
  std::string failures;
  const auto results = check_contract(*kernel, subject);
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
    const Subject subject = subject_of(*kernel, sample(), ROPEPROOF_ROPE);
    for (const ContractResult& result : check_contract(*kernel, subject)) {
      CAPTURE(result.check, result.reason);
      const bool holds =
          result.pass || result.outcome == plugin::Outcome::kUnsupported;
      CHECK(holds);
    }
  }
}

}  // namespace ropeproof::conformance::check
