#include "conformance/diagnosis/promises.h"

#include <catch2/catch_test_macros.hpp>

namespace ropeproof::conformance::diagnosis {
namespace {

check::Run failing(const char* suffixes, bool is_right_alone) {
  check::Run run;
  check::Check& check = run.checks.emplace_back();
  check.case_id = "core-special-000";
  check.operation = ROPEPROOF_ROPE;
  check.suffixes = suffixes;
  check.verdict = check::Verdict::kFail;
  check.is_right_alone = is_right_alone;
  check.measurement.emplace().elements = 2;
  check.measurement->wrong = 1;
  return run;
}

TEST_CASE(
    "wrong special values are told, though no hypothesis is tried on them",
    "[conformance][diagnosis]") {
  const auto found = broken_promises(failing("E", false));
  REQUIRE(found.size() == 1);
  CHECK(found[0].bug == "value/special-mishandled");
  CHECK(found[0].checks == 1);
  CHECK(broken_promises(failing("", false)).empty());
}

TEST_CASE("a wrong answer that is right in a fresh process is kept state",
          "[conformance][diagnosis]") {
  const auto found = broken_promises(failing("", true));
  REQUIRE(found.size() == 1);
  CHECK(found[0].bug == "table/stale");
}

}  // namespace
}  // namespace ropeproof::conformance::diagnosis
