// Which cases the contract is checked with. Whether kernels keep it is shown by
// the fakes of `ropeproof selftest`.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "conformance/cases/test_corpus.h"
#include "conformance/check/contract.h"
#include "conformance/check/contract_checks.h"
#include "conformance/check/contrast.h"

namespace ropeproof::conformance::check {
namespace {

// Two batch rows of five tokens, full heads of 16 channels, q and k, f32.
const cases::Case& faked_case() {
  return cases::committed_case("smoke-rich-009");
}

std::vector<Subject> contrasting(plugin::Kernel& kernel) {
  std::map<std::string, const cases::Case*> cases;
  for (const cases::Group& group : cases::committed().groups) {
    for (const cases::Case& c : group.rope_cases) cases[c.id] = &c;
  }
  return contrasting_subjects(kernel, cases, kThreads);
}

}  // namespace

TEST_CASE("the contract is checked with a case that has heads",
          "[conformance][contract][fakes]") {
  // It takes one batch row, which the first committed case without heads has.
  const auto kernel =
      plugin::load_library(ROPEPROOF_FAKES_DIR "/declines.so", {});
  const ContractChecks checks(*kernel, cases::committed(), cases::Tier::kCore,
                              false);
  const cases::Case* const chosen =
      checks.chosen({ROPEPROOF_ROPE, reference::Format::kF32,
                     reference::Pairing::kHalfSplit});
  REQUIRE(chosen != nullptr);
  CHECK(chosen->problem.q_heads > 0);
}

TEST_CASE("threads with different problems find a cache that they share",
          "[conformance][contract][fakes]") {
  const auto concurrency = [](const std::string& fake,
                              std::span<const Subject> others) {
    const auto kernel =
        plugin::load_library(ROPEPROOF_FAKES_DIR "/" + fake + ".so", {});
    return check_concurrency(*kernel, {faked_case(), ROPEPROOF_ROPE}, others);
  };
  const auto kernel =
      plugin::load_library(ROPEPROOF_FAKES_DIR "/shares_a_cache.so", {});
  const auto others = contrasting(*kernel);
  REQUIRE(others.size() == kThreads);
  std::set<std::pair<std::int64_t, double>> kinds;
  for (const Subject& other : others) {
    kinds.emplace(other.c.problem.spec.layout.head_dim,
                  other.c.problem.spec.frequencies.base);
  }
  CHECK(kinds.size() >= 6);
  const Check shared = concurrency("shares_a_cache", others);
  CHECK_FALSE(shared.passes());
  CHECK_THAT(shared.reason, Catch::Matchers::StartsWith("thread "));
  CHECK(concurrency("shares_a_cache", {}).reason == "");
  CHECK(concurrency("keeps_promises", others).reason == "");
}

TEST_CASE("threads have problems of every kind that the kernel takes",
          "[conformance][contract][fakes]") {
  const auto kernel =
      plugin::load_library(ROPEPROOF_PLUGINS_DIR "/fast.so", {});
  std::set<std::uint32_t> operations;
  std::set<reference::Format> dtypes;
  std::set<reference::Pairing> pairings;
  std::set<reference::Direction> directions;
  std::set<std::size_t> scalings;
  for (const Subject& other : contrasting(*kernel)) {
    operations.insert(other.operation);
    dtypes.insert(other.c.problem.dtype);
    pairings.insert(other.c.problem.spec.layout.pairing);
    directions.insert(other.c.problem.spec.direction);
    scalings.insert(other.c.problem.spec.frequencies.scaling.index());
  }
  CHECK(operations.size() == 4);
  CHECK(dtypes.size() == 4);
  CHECK(pairings.size() == 4);
  CHECK(directions.size() == 2);
  CHECK(scalings.size() >= 4);
}

}  // namespace ropeproof::conformance::check
