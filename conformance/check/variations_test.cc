#include "conformance/check/variations.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <set>
#include <string>
#include <variant>

#include "conformance/call/call.h"
#include "conformance/cases/test_corpus.h"
#include "conformance/check/broken_promises.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::check {
namespace {

using Catch::Matchers::ContainsSubstring;

// q and k, two batch rows of three tokens, a partial head, f32.
const cases::Case& varied_case() {
  return cases::committed_case("contract-005");
}

}  // namespace

TEST_CASE("the parameters of every scaling are varied",
          "[conformance][contract][changes]") {
  wrong::PipelineKernel kernel(wrong::computing_description(),
                               wrong::exact_pipeline());
  std::set<std::size_t> scalings;
  for (const Variation& variation :
       variations_of(kernel, ROPEPROOF_ROPE, varied_case())) {
    if (variation.changes.empty()) continue;
    scalings.insert(variation.base.problem.spec.frequencies.scaling.index());
  }
  CHECK(scalings.size() == std::variant_size_v<reference::Scaling>);
}

TEST_CASE("of a model no other scaling is asked",
          "[conformance][contract][changes]") {
  wrong::PipelineKernel kernel(wrong::computing_description(),
                               wrong::exact_pipeline());
  const auto variations =
      variations_of(kernel, ROPEPROOF_ROPE, varied_case(), true);
  REQUIRE(variations.size() == 1);
  for (const Change& change : variations[0].changes) {
    CHECK(change.c.problem.spec.frequencies.scaling.index() == 0);
  }
}

TEST_CASE("of a model whose frequencies are listed no others are asked",
          "[conformance][contract][changes]") {
  wrong::PipelineKernel kernel(wrong::computing_description(),
                               wrong::exact_pipeline());
  cases::Case listed = varied_case();
  listed.problem.spec.frequencies.pair_factors.assign(
      static_cast<std::size_t>(listed.problem.pairs()), 1.25);
  const auto fields_of = [&](bool is_profile) {
    std::set<std::string> fields;
    const auto variations =
        variations_of(kernel, ROPEPROOF_ROPE, listed, is_profile);
    for (const Change& change : variations.at(0).changes) {
      fields.insert(change.field);
    }
    return fields;
  };
  CHECK(fields_of(false).contains("base"));
  CHECK_FALSE(fields_of(true).contains("base"));
  CHECK(fields_of(true).contains("amplitude"));
}

TEST_CASE("what a kernel keeps for lengths is found where they fall",
          "[conformance][contract][changes]") {
  plugin::Description description = wrong::computing_description();
  description.features &= ~std::uint32_t{ROPEPROOF_EXPLICIT_LENGTH};
  wrong::Pipeline pipeline = wrong::exact_pipeline();
  // Frequencies that are only formed anew for a greater length or base.
  std::vector<double> kept;
  double length = 0;
  pipeline.misread = [&](ropeproof_problem& p) {
    if (p.scaling == nullptr || p.scaling->kind != ROPEPROOF_DYNAMIC_NTK)
      return;
    if (kept.empty() || p.scaling->seq_len > length ||
        p.scaling->seq_len < p.scaling->original_length) {
      kept.assign(p.inv_freq, p.inv_freq + p.rotary_dim / 2);
      length = p.scaling->seq_len;
    }
    p.inv_freq = kept.data();
  };
  wrong::PipelineKernel kernel(description, pipeline);
  const Check result =
      check_changes(kernel, ROPEPROOF_ROPE,
                    variations_of(kernel, ROPEPROOF_ROPE, varied_case()));
  CHECK_FALSE(result.passes());
  CHECK_THAT(result.reason, ContainsSubstring("length (dynamic_ntk, "));
}

TEST_CASE("a field that a kernel never reads is not said to be kept",
          "[conformance][contract][changes]") {
  // Takes the amplitude of the first call of a process, or one of its own.
  struct Kernel : wrong::PipelineKernel {
    using wrong::PipelineKernel::PipelineKernel;
    bool restart(int) override {
      amplitude = is_kept ? 0 : amplitude;
      return true;
    }
    plugin::Answer run(const ropeproof_problem& problem) override {
      ropeproof_problem p = problem;
      if (amplitude == 0) amplitude = p.amplitude;
      p.amplitude = amplitude;
      return wrong::PipelineKernel::run(p);
    }
    bool is_kept = false;
    double amplitude = varied_case().problem.spec.frequencies.amplitude;
  };
  Kernel kernel(wrong::computing_description(), wrong::exact_pipeline());
  const auto variations = variations_of(kernel, ROPEPROOF_ROPE, varied_case());
  const auto what = [&] {
    Run run;
    run.checks.push_back(check_changes(kernel, ROPEPROOF_ROPE, variations));
    CHECK(run.checks[0].changed == "amplitude");
    return broken_promises(run).at(0).what;
  };
  CHECK(what() == "does not read amplitude: answers as for another one");
  kernel.is_kept = true;
  CHECK(what() ==
        "keeps what it formed for an earlier problem that differs in "
        "amplitude alone");
}

TEST_CASE("a problem and its change lie at the same addresses",
          "[conformance][contract][changes]") {
  const auto kernel =
      plugin::load_library(ROPEPROOF_PLUGINS_DIR "/fast.so", {});
  const auto variations = variations_of(*kernel, ROPEPROOF_ROPE, varied_case());
  REQUIRE(variations.size() > 5);
  int compared = 0;
  for (const Variation& variation : variations) {
    const auto problem_of = [&](const cases::Case& c) {
      return call::Call(*kernel, ROPEPROOF_ROPE, c, reference::Format::kF32)
          .begin();
    };
    const ropeproof_problem a = problem_of(variation.base);
    for (const Change& change : variation.changes) {
      if (!change.field.starts_with("position ") && change.field != "base" &&
          !change.field.starts_with("contents")) {
        continue;
      }
      const ropeproof_problem b = problem_of(change.c);
      CHECK(a.q.in == b.q.in);
      CHECK(a.q.out == b.q.out);
      CHECK(a.positions == b.positions);
      CHECK(a.inv_freq == b.inv_freq);
      ++compared;
    }
  }
  CHECK(compared >= 8);
}

TEST_CASE("a given table is changed as well, and every pairing and dtype",
          "[conformance][contract][changes]") {
  wrong::PipelineKernel kernel(wrong::computing_description(),
                               wrong::exact_pipeline());
  for (const std::uint32_t operation :
       {ROPEPROOF_ROPE, ROPEPROOF_ROTATE, ROPEPROOF_LOOKUP, ROPEPROOF_TABLE}) {
    for (const char* id : {"contract-005", "contract-008", "contract-010",
                           "contract-014", "contract-022"}) {
      CAPTURE(operation, id);
      const auto variations =
          variations_of(kernel, operation, cases::committed_case(id));
      CHECK(variations.size() >= 1);
      CHECK(check_changes(kernel, operation, variations).reason == "");
    }
  }
}

}  // namespace ropeproof::conformance::check
