// Strides beyond 16 and 32 bits, and memory that is not to be had.
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <string>
#include <utility>

#include "conformance/cases/test_corpus.h"
#include "conformance/check/attempt.h"
#include "conformance/check/runner.h"
#include "conformance/plugin/test_outcomes.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::check {
namespace {

using cases::Spacing;

cases::Case stored(Spacing spacing) {
  cases::Case c = cases::committed_case("smoke-rich-009");
  c.problem.storage.spacing = spacing;
  return c;
}

std::unique_ptr<plugin::Kernel> fake(const std::string& name,
                                     plugin::KernelOptions options = {}) {
  return plugin::load_library(ROPEPROOF_FAKES_DIR "/" + name + ".so", options);
}

}  // namespace

TEST_CASE("a library with short strides or offsets fails or crashes",
          "[conformance][storage][fakes]") {
  for (const auto& [name, spacing] :
       {std::pair{"strides_of_16_bits", Spacing::kWide},
        std::pair{"offsets_of_32_bits", Spacing::kFar}}) {
    CAPTURE(name);
    const auto kernel = fake(name);
    const auto passes = [&](Spacing asked) {
      const cases::Case c = stored(asked);
      return attempt(*kernel, {c, ROPEPROOF_ROPE}, Aspect::kValues).passes();
    };
    CHECK(passes(Spacing::kGaps));
    CHECK_FALSE(passes(spacing));
  }
}

TEST_CASE("a far call that hangs by chance is made again with its inputs",
          "[conformance][storage][fakes]") {
  const cases::Case c = stored(Spacing::kFar);
  const auto kernel =
      fake("hangs_every_second_time",
           plugin::KernelOptions{std::chrono::milliseconds(100)});
  judge::Output output;
  for (int call = 0; call < 2; ++call) {
    CHECK(call_of(*kernel, {c, ROPEPROOF_ROPE}).run(output).outcome ==
          plugin::Outcome::kOk);
    CHECK(output.q[0] == c.problem.q[0]);
  }
}

TEST_CASE("where there is no address space a far case is unsupported, and why",
          "[conformance][storage]") {
  wrong::PipelineKernel kernel(wrong::full_description(ROPEPROOF_A0),
                               wrong::exact_pipeline());
  while (true) {  // another call has it all
    try {
      kernel.sparse().allocate(1, plugin::Edge::kEnd, {});
    } catch (const plugin::NoAddressSpace&) {
      break;
    }
  }
  const Check check =
      check_values(kernel, ROPEPROOF_ROPE, stored(Spacing::kFar));
  CHECK(check.verdict == Verdict::kUnsupported);
  CHECK(check.reason.starts_with("no address space for a buffer this long"));
}

}  // namespace ropeproof::conformance::check
