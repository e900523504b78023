// Walls, where this machine lets somebody build them.
#include "conformance/plugin/sandbox.h"

#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <string>

#include "conformance/plugin/kernel.h"
#include "conformance/plugin/test_problems.h"

namespace ropeproof::conformance::plugin {
namespace {

KernelOptions behind_walls() {
  auto sandbox = std::make_shared<Sandbox>();
  sandbox->program = ROPEPROOF_PROGRAM;
  KernelOptions options;
  options.sandbox = sandbox;
  return options;
}

void skip_without_walls() {
  const std::string why = why_no_sandbox();
  if (!why.empty()) SKIP(why);
}

Answer answer_of(const std::string& name, const KernelOptions& options) {
  const auto kernel =
      load_library(ROPEPROOF_FAKES_DIR "/" + name + ".so", options);
  return run_strided(*kernel);
}

}  // namespace

TEST_CASE("behind walls a kernel reaches nothing that is not its own",
          "[conformance][sandbox]") {
  skip_without_walls();
  const Answer free = answer_of("reaches_out", {});
  CHECK(free.outcome == Outcome::kError);
  CAPTURE(free.detail);
  const Answer walled = answer_of("reaches_out", behind_walls());
  CHECK(walled.detail == "");
  CHECK(walled.outcome == Outcome::kOk);
}

TEST_CASE("a kernel ends behind walls as it ends without",
          "[conformance][sandbox]") {
  skip_without_walls();
  for (const char* name :
       {"keeps_promises", "aborts", "crash_in_run", "exit_in_run", "refuses",
        "overflows_stack", "rounds_upward", "closes_descriptors"}) {
    CAPTURE(name);
    const Answer free = answer_of(name, {}),
                 walled = answer_of(name, behind_walls());
    CHECK(walled.outcome == free.outcome);
    CHECK(walled.detail == free.detail);
  }
}

TEST_CASE("memory is limited behind walls", "[conformance][sandbox]") {
  skip_without_walls();
  const auto trial = execute_behind_walls({}, {"/bin/sh", "-c", "ulimit -d"});
  std::string said;
  Deadline deadline(std::chrono::seconds(10));
  trial->receive(said, 9, deadline);
  CHECK(said == "16777216\n");
}

}  // namespace ropeproof::conformance::plugin
