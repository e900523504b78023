// What the contract asks beside what `ropeproof selftest` shows with fakes and
// mutants: each storage, bits that nobody promised, refusals, calls in a row.
#include "conformance/check/contract.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <functional>
#include <set>
#include <string>

#include "conformance/cases/case_words.h"
#include "conformance/cases/test_corpus.h"
#include "conformance/wrong/mutation.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::check {
namespace {

using Catch::Matchers::ContainsSubstring;

// q and k, two batch rows of three tokens, a partial head, f32.
Subject subject(std::uint32_t operation = ROPEPROOF_ROPE,
                const std::string& id = "contract-005") {
  return {cases::committed_case(id), operation};
}

plugin::Description promising(std::uint32_t features) {
  plugin::Description d = wrong::full_description(ROPEPROOF_A0);
  d.features |= features;
  return d;
}

const Check& result_of(const std::vector<Check>& results, Aspect aspect) {
  const auto found = std::ranges::find(results, aspect, &Check::aspect);
  REQUIRE(found != results.end());
  return *found;
}

std::string failures(const std::vector<Check>& results) {
  std::string text;
  for (const Check& result : results) {
    if (!result.passes()) {
      text += text::word(result.aspect) + ": " + result.reason + "\n";
    }
  }
  return text;
}

}  // namespace

TEST_CASE("an honest kernel keeps its promises about memory in every operation",
          "[conformance][contract]") {
  wrong::PipelineKernel kernel(promising(0), wrong::exact_pipeline());
  for (const std::uint32_t operation :
       {ROPEPROOF_ROPE, ROPEPROOF_ROTATE, ROPEPROOF_TABLE}) {
    auto results = check_memory(kernel, subject(operation));
    std::erase_if(results, [](const Check& result) {
      return result.reason == "validates";  // not promised
    });
    CHECK(results.size() == (operation == ROPEPROOF_TABLE ? 5u : 11u));
    CHECK(failures(results) == "");
  }
}

TEST_CASE("a promise about memory is found broken by the storage that shows it",
          "[conformance][contract]") {
  const struct {
    Aspect aspect;
    std::function<void(wrong::Pipeline&)> change;
  } rows[] = {
      {Aspect::kStrided, wrong::known("strides ignored: read and written "
                                      "densely")
                             .change},
      {Aspect::kStridedInPlace,
       [](wrong::Pipeline& pipeline) {
         pipeline.misread = [](ropeproof_problem& p) {
           if (p.q.in != p.q.out) return;
           p.q.in_head_stride = p.q.out_head_stride = p.head_dim;
         };
       }},
      {Aspect::kInPlace,
       wrong::known("channels outside the window zeroed in place").change},
      {Aspect::kFusedInPlace, [](wrong::Pipeline& pipeline) {
         pipeline.rotates_a_pair_too_many = true;  // of v, beside k
       }}};
  for (const auto& [aspect, change] : rows) {
    CAPTURE(aspect);
    wrong::Pipeline pipeline = wrong::exact_pipeline();
    change(pipeline);
    wrong::PipelineKernel kernel(promising(0), pipeline);
    const Check check = result_of(check_memory(kernel, subject()), aspect);
    CHECK(check.verdict == Verdict::kFail);
    CHECK_FALSE(check.reason.empty());
    CHECK(check.suffixes == kSuffixM);
  }
}

TEST_CASE("what a kernel does not offer is unsupported and no pass",
          "[conformance][contract]") {
  plugin::Description d = promising(0);
  d.features &= ~std::uint32_t{ROPEPROOF_STRIDED | ROPEPROOF_IN_PLACE};
  wrong::PipelineKernel kernel(d, wrong::exact_pipeline());
  const std::set plain = {
      Aspect::kGuardAtEnd, Aspect::kGuardAtStart, Aspect::kUnaligned,
      Aspect::kNoBatch,    Aspect::kNoTokens,     Aspect::kNoHeads,
      Aspect::kRepeats,    Aspect::kRowsAlone,    Aspect::kNeighbours};
  for (const Check& result : check_contract(kernel, subject())) {
    CAPTURE(result.aspect);
    const bool is_plain = plain.contains(result.aspect);
    CHECK(result.verdict ==
          (is_plain ? Verdict::kPass : Verdict::kUnsupported));
    CHECK(result.reason.empty() == is_plain);
  }
  CHECK(
      check_reject(kernel, subject(), cases::Defect::kNegativeBatch).verdict ==
      Verdict::kUnsupported);
}

TEST_CASE("other bits fail where the same are promised, and there alone",
          "[conformance][contract]") {
  for (const std::uint32_t features : {0u, ROPEPROOF_DETERMINISTIC + 0u}) {
    for (const Aspect aspect :
         {Aspect::kRepeats, Aspect::kRowsAlone, Aspect::kNeighbours}) {
      CAPTURE(features, aspect);
      wrong::Pipeline pipeline = wrong::exact_pipeline();
      int pairs = 0;
      pipeline.adjust_directed = [&](const wrong::PairIndex&, auto& r) {
        if (++pairs % 7 != 0) return;
        r.c = std::nextafter(static_cast<float>(r.c), 2.0f);
      };
      wrong::PipelineKernel kernel(promising(features), pipeline);
      const Check check =
          result_of(check_determinism(kernel, subject()), aspect);
      CHECK(check.passes() == (features == 0));
      CHECK(check.suffixes == (features == 0 ? 0 : kSuffixD));
    }
  }
}

TEST_CASE("a kernel that validates refuses every defect that a call can have",
          "[conformance][contract]") {
  wrong::PipelineKernel kernel(promising(ROPEPROOF_VALIDATES),
                               wrong::exact_pipeline());
  kernel.canned = {plugin::Outcome::kInvalid, "seen"};
  for (const auto& [defect, word] : cases::kDefectWords) {
    CAPTURE(defect);
    const bool is_of_ids = defect == cases::Defect::kIdOutOfRange ||
                           defect == cases::Defect::kNegativeId;
    CHECK(check_reject(kernel,
                       subject(is_of_ids ? ROPEPROOF_LOOKUP : ROPEPROOF_ROPE),
                       defect)
              .reason == "");
    CHECK(check_reject(kernel, subject(), defect).passes() == !is_of_ids);
  }
}

TEST_CASE("a defect of what a kernel offers is invalid, not unsupported",
          "[conformance][contract]") {
  for (const std::uint32_t feature : {0u, ROPEPROOF_ADJOINT + 0u}) {
    plugin::Description d = promising(ROPEPROOF_VALIDATES);
    d.features = (d.features & ~std::uint32_t{ROPEPROOF_ADJOINT}) | feature;
    wrong::PipelineKernel kernel(d, wrong::exact_pipeline());
    kernel.canned = {plugin::Outcome::kUnsupported, "no"};
    CHECK(check_reject(kernel, subject(), cases::Defect::kZeroDirection)
              .passes() == (feature == 0));
    CHECK_FALSE(check_reject(kernel, subject(), cases::Defect::kNegativeBatch)
                    .passes());
  }
}

TEST_CASE("calls in a row are judged one by one, and their bits compared",
          "[conformance][contract]") {
  // Keeps the amplitude of the first call of a process, or some of its bits.
  struct Keeper : wrong::PipelineKernel {
    using wrong::PipelineKernel::PipelineKernel;
    bool restart(int) override {
      first = 0;
      return true;
    }
    plugin::Answer run(const ropeproof_problem& problem) override {
      ropeproof_problem p = problem;
      if (first == 0) first = p.amplitude;
      if (keeps_all) p.amplitude = first;
      if (p.amplitude != first) p.amplitude += 0x1p-23;
      return wrong::PipelineKernel::run(p);
    }
    bool keeps_all = false;
    double first = 0;
  };
  const std::vector<Subject> calls{
      subject(), subject(ROPEPROOF_ROPE, "contract-003"), subject()};
  Keeper honest(promising(0), wrong::exact_pipeline());
  const auto reason = [&](Keeper& kernel) {
    ColdOutputs cold;
    return check_sequence(kernel, calls, cold).reason;
  };
  CHECK(reason(honest) == "");
  Keeper promises(promising(ROPEPROOF_DETERMINISTIC), wrong::exact_pipeline());
  CHECK_THAT(
      reason(promises),
      ContainsSubstring("call 2 (contract-003): other bits than in a process"));
  honest.keeps_all = true;
  CHECK_THAT(reason(honest), ContainsSubstring("call 2 (contract-003)") &&
                                 ContainsSubstring("elements wrong"));
}

}  // namespace ropeproof::conformance::check
