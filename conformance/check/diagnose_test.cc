#include "conformance/check/diagnose.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <optional>

#include "conformance/check/runner.h"
#include "conformance/explain/test_answers.h"
#include "conformance/wrong/mutation_lists.h"

namespace ropeproof::conformance::check {
namespace {

// What is said of a run of a kernel with this change.
std::vector<explain::Diagnosis> said_of(const wrong::Change& change) {
  explain::Base base = explain::base_of(wrong::exact_pipeline(), ROPEPROOF_A0,
                                        reference::Format::kF32);
  change(base.pipeline);
  wrong::PipelineKernel kernel(base.description, base.pipeline);
  cases::Corpus corpus;
  corpus.groups.emplace_back().rope_cases = explain::formed_for_trials();
  Selection selection;
  selection.values_only = true;
  return diagnose(run_suite(kernel, corpus, selection), corpus);
}

// A run of a kernel with this bug has one diagnosis, with no other name and no
// place.
void check_named_alone(const char* name) {
  const auto found = said_of(wrong::known(name).change);
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

TEST_CASE(
    "a factor that nobody has met is told, and that it strikes everywhere",
    "[conformance][diagnosis]") {
  const auto check_named = [](const wrong::Change& change, const char* name) {
    const auto found = said_of(change);
    REQUIRE(found.size() == 1);
    CHECK(found[0].what == name);
    CHECK(found[0].where == explain::Place{});
  };
  const auto results = [](double y) { return 0.75 * y; };
  check_named(wrong::set(&wrong::Pipeline::result, results),
              "results times 0.75");
  check_named(
      [](wrong::Pipeline& pipeline) {
        pipeline.frequency = [f = pipeline.frequency](
                                 const ropeproof_problem& p, std::int64_t j) {
          return f(p, j) * 0.0174533;
        };
      },
      "frequencies times 0.0174533");
}

TEST_CASE("a width that nobody has met is told", "[conformance][diagnosis]") {
  const auto found = said_of(
      wrong::takes_power([](const auto&, auto j, const wrong::PairPower& due) {
        return std::pow(due.base, -2 * static_cast<double>(j) / 5);
      }));
  REQUIRE(found.size() == 1);
  CHECK(found[0].what == "exponent -2j/5, whatever the width");
}

TEST_CASE("a token has one position: what strikes some of its pairs is none",
          "[conformance][diagnosis]") {
  const auto found =
      said_of(wrong::changes_frequency([](double theta, const auto&, auto) {
        return theta < 0.25 ? 0 : theta;
      }));
  REQUIRE(!found.empty());
  for (const explain::Diagnosis& one : found) {
    CHECK(!one.bug.key().starts_with("position/"));
  }
}

TEST_CASE("frequencies of 0 beside pair 0 are no loop that ends",
          "[conformance][diagnosis]") {
  const auto found = said_of(wrong::changes_frequency(
      [](double theta, const auto&, auto) { return theta < 1 ? 0 : theta; }));
  REQUIRE(!found.empty());
  CHECK(found[0].bug.key().starts_with("frequency/"));
}

TEST_CASE("of bugs that explain as much the one that spoils least is told",
          "[conformance][diagnosis]") {
  const auto found = said_of([](wrong::Pipeline& pipeline) {
    pipeline.leaves_outside = true;
    pipeline.outside = [](double x, double, bool) {
      return x > 0 ? std::optional(x) : std::nullopt;
    };
  });
  REQUIRE(found.size() == 1);
  CHECK(found[0].what == "channels outside the window not written");
}

}  // namespace
}  // namespace ropeproof::conformance::check
