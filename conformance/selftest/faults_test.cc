// The measure of coverage finds what is not covered.
#include "conformance/selftest/faults.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "conformance/cases/test_corpus.h"
#include "conformance/cover/dimension.h"
#include "conformance/judge/tolerance.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::selftest {
namespace {

using wrong::full_description;
using wrong::PipelineKernel;

using Catch::Matchers::StartsWith;

constexpr WrongRows kAll = (1 << kWrongRows) - 1;

cover::Model two_dimensions() {
  cover::Dimension dtype = *cover::find_dimension("dtype");
  dtype.classes = {"f32", "bf16"};
  return {{dtype, *cover::find_dimension("direction")}, {}};
}

FoundIn all_but(const cover::Row& missing) {
  FoundIn found;
  for (std::uint8_t dtype = 0; dtype < 2; ++dtype) {
    for (std::uint8_t direction = 0; direction < 2; ++direction) {
      const cover::Row row = {dtype, direction};
      if (row != missing) found[row] = kAll;
    }
  }
  return found;
}

TEST_CASE("a pair of classes that no case has is a fault that survives",
          "[conformance][faults]") {
  const cover::Model model = two_dimensions();
  const FoundIn found = all_but({1, 1});
  CHECK(count_faults(model, ROPEPROOF_ROPE, found, 1).found.text() == "48/48");
  const FaultTally pairs = count_faults(model, ROPEPROOF_ROPE, found, 2);
  CHECK(pairs.found.text() == "36/48");
  REQUIRE(pairs.survivors.size() == 1);
  CHECK_THAT(pairs.survivors[0],
             StartsWith("rope: dtype bf16, direction adjoint, row skipped"));
  CHECK(count_faults(model, ROPEPROOF_ROTATE, {}, 1).found.text() == "0/48");
}

TEST_CASE("a mistake that no case shows is a fault that survives",
          "[conformance][faults]") {
  const cover::Model model = two_dimensions();
  FoundIn found = all_but({});
  for (auto& [classes, rows] : found) rows &= 0xffe;
  CHECK(count_faults(model, ROPEPROOF_ROPE, found, 2).found.text() == "44/48");
}

TEST_CASE("the judge finds every mistake in a case of many rows",
          "[conformance][faults]") {
  const cases::Case& c = cases::committed_case("smoke-rich-001");
  const PipelineKernel kernel(full_description(ROPEPROOF_A0), {});
  for (const std::uint32_t operation :
       {ROPEPROOF_FREQUENCIES, ROPEPROOF_TABLE, ROPEPROOF_ROTATE,
        ROPEPROOF_ROPE, ROPEPROOF_LOOKUP}) {
    CAPTURE(operation);
    const judge::Claim claim =
        judge::claim_of(kernel.description(), c.problem.dtype, operation);
    CHECK(found_in(c, operation, claim) == kAll);
  }
}

}  // namespace
}  // namespace ropeproof::conformance::selftest
