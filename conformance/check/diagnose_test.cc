#include "conformance/check/diagnose.h"

#include <catch2/catch_test_macros.hpp>

#include "conformance/check/runner.h"
#include "conformance/explain/test_answers.h"
#include "conformance/wrong/mutation.h"

namespace ropeproof::conformance::check {
namespace {

// A run of a kernel with this bug has one diagnosis, with no other name and no
// place.
void check_named_alone(const char* name) {
  explain::Base base = explain::base_of(wrong::exact_pipeline(), ROPEPROOF_A0,
                                        reference::Format::kF32);
  wrong::known(name).change(base.pipeline);
  wrong::PipelineKernel kernel(base.description, base.pipeline);
  cases::Corpus corpus;
  corpus.groups.emplace_back().rope_cases = explain::formed_for_trials();
  Selection selection;
  selection.values_only = true;
  const auto found = diagnose(run_suite(kernel, corpus, selection), corpus);
  REQUIRE(found.size() == 1);
  CHECK(found[0].what == name);
  CHECK(found[0].aliases.empty());
  CHECK(found[0].where == explain::Place{});
  CHECK(found[0].checks == found[0].tried);
}

TEST_CASE("a bug that crashes wherever it shows is named from the crashes",
          "[conformance][diagnosis]") {
  check_named_alone("a batch stride of 0 taken for a dense one");
}

TEST_CASE("positions read densely are named, rows apart or shared",
          "[conformance][diagnosis]") {
  check_named_alone(
      "positions or ids taken to lie densely, a row for each batch row");
}

}  // namespace
}  // namespace ropeproof::conformance::check
