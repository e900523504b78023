#include "conformance/check/contract.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <string>

#include "conformance/cases/case_words.h"
#include "conformance/cases/test_corpus.h"
#include "conformance/judge/tolerance.h"
#include "conformance/wrong/mutation.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::check {
namespace {

using Catch::Matchers::ContainsSubstring;
using reference::Format;

// q and k, two batch rows of three tokens, a partial head, f32.
const cases::Case& contract_case() {
  return cases::committed_case("contract-005");
}

Subject subject(std::uint32_t operation = ROPEPROOF_ROPE,
                const cases::Case& c = contract_case()) {
  judge::Claim claim =
      judge::claim_of(wrong::full_description(ROPEPROOF_A0), c.problem.dtype);
  claim.table = Format::kF32;
  return {c, operation, claim};
}

// A broken kernel writes beyond its buffers: there must be room.
class PromisingKernel : public wrong::PipelineKernel {
 public:
  using wrong::PipelineKernel::PipelineKernel;
  std::byte* allocate(std::size_t bytes) override {
    return wrong::PipelineKernel::allocate(bytes + 2 * kRoom) + kRoom;
  }

 private:
  static constexpr std::size_t kRoom = 4096;
};

plugin::Description promising(std::uint32_t features) {
  plugin::Description d = wrong::full_description(ROPEPROOF_A0);
  d.features |= features;
  return d;
}

std::string failures(const std::vector<Check>& results) {
  std::string text;
  for (const Check& result : results) {
    if (!result.passes()) text += result.aspect + ": " + result.reason + "\n";
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
    CHECK(results.size() == (operation == ROPEPROOF_TABLE ? 5u : 13u));
    std::erase_if(results, [](const Check& result) {
      return result.reason == "validates";  // not promised
    });
    CHECK(results.size() == (operation == ROPEPROOF_TABLE ? 5u : 11u));
    CHECK(failures(results) == "");
  }
}

TEST_CASE("each broken promise about memory is found",
          "[conformance][contract]") {
  wrong::Pipeline pipeline = wrong::exact_pipeline();
  std::string broken;
  SECTION("strides ignored") {
    wrong::known("strides ignored: read and written densely").change(pipeline);
    broken = "strided";
  }
  SECTION("heads taken to lie back to back") {
    pipeline.misread = [](ropeproof_problem& p) {
      for (ropeproof_tensor* t : {&p.q, &p.k}) {
        t->in_head_stride = t->out_head_stride = p.head_dim;
      }
    };
    broken = "strided";
  }
  SECTION("tokens taken to lie back to back") {
    pipeline.misread = [](ropeproof_problem& p) {
      for (ropeproof_tensor* t : {&p.q, &p.k}) {
        t->in_token_stride = t->heads * t->in_head_stride;
        t->out_token_stride = t->heads * t->out_head_stride;
      }
    };
    broken = "strided";
  }
  SECTION("batch rows taken to lie back to back") {
    pipeline.misread = [](ropeproof_problem& p) {
      for (ropeproof_tensor* t : {&p.q, &p.k}) {
        t->in_batch_stride = p.seq * t->in_token_stride;
        t->out_batch_stride = p.seq * t->out_token_stride;
      }
    };
    broken = "strided";
  }
  SECTION("output strides ignored") {
    pipeline.misread = [](ropeproof_problem& p) {
      for (ropeproof_tensor* t : {&p.q, &p.k}) {
        t->out_batch_stride = t->in_batch_stride;
        t->out_token_stride = t->in_token_stride;
        t->out_head_stride = t->in_head_stride;
      }
    };
    broken = "strided";
  }
  SECTION("strides ignored where it is in place") {
    pipeline.misread = [](ropeproof_problem& p) {
      if (p.q.in != p.q.out) return;
      p.q.in_head_stride = p.q.out_head_stride = p.head_dim;
    };
    broken = "strided in place";
  }
  SECTION("in place, what is outside the window lost") {
    wrong::known("channels outside the window zeroed in place")
        .change(pipeline);
    broken = "in place";
  }
  SECTION("writes past the end") {
    pipeline.bytes_past_the_end = 4;
    broken = "guard page at the end";
  }
  SECTION("rotates v as well as q and k") {
    pipeline.rotates_a_pair_too_many = true;
    broken = "fused q, k, v in place";
  }
  PromisingKernel kernel(promising(0), pipeline);
  const auto results = check_memory(kernel, subject());
  const auto found =
      std::find_if(results.begin(), results.end(),
                   [&](const auto& result) { return result.aspect == broken; });
  REQUIRE(found != results.end());
  CHECK_FALSE(found->passes());
  CHECK(found->verdict == Verdict::kFail);
  CHECK_FALSE(found->reason.empty());
  CHECK(found->suffixes == "M");
}

TEST_CASE("what a kernel does not offer is unsupported and no pass",
          "[conformance][contract]") {
  plugin::Description d = promising(0);
  d.features &= ~std::uint32_t{ROPEPROOF_STRIDED | ROPEPROOF_IN_PLACE};
  wrong::PipelineKernel kernel(d, wrong::exact_pipeline());
  for (const Check& result : check_contract(kernel, subject())) {
    CAPTURE(result.aspect);
    const bool is_plain =
        result.aspect.starts_with("guard page") ||
        result.aspect == "unaligned" || result.aspect.ends_with(" 0") ||
        result.aspect == "20 calls" || result.aspect == "rows alone" ||
        result.aspect == "other neighbours";
    CHECK(result.passes() == is_plain);
    if (!is_plain) CHECK(result.verdict == Verdict::kUnsupported);
    if (!is_plain) CHECK_FALSE(result.reason.empty());
  }
  CHECK(
      check_reject(kernel, subject(), cases::Defect::kNegativeBatch).verdict ==
      Verdict::kUnsupported);
}

TEST_CASE("the last of 20 calls is judged", "[conformance][contract]") {
  wrong::Pipeline pipeline = wrong::exact_pipeline();
  int calls = 0;
  pipeline.misread = [&](ropeproof_problem& p) {
    if (++calls == 20) p.amplitude += 1;
  };
  wrong::PipelineKernel kernel(promising(0), pipeline);
  const auto results = check_determinism(kernel, subject());
  const auto found = std::ranges::find(results, "20 calls", &Check::aspect);
  REQUIRE(found != results.end());
  CHECK_THAT(found->reason, Catch::Matchers::StartsWith("call 20: "));
}

TEST_CASE(
    "a row with other neighbours is right, and of the same bits where that is "
    "promised",
    "[conformance][contract]") {
  // Of one check, where cosines are what `adjusted` makes of them.
  const auto result_of = [](std::uint32_t features, const std::string& check,
                            const auto& adjusted) {
    wrong::Pipeline pipeline = wrong::exact_pipeline();
    pipeline.adjust_directed = [&](const wrong::PairIndex& at, auto& r) {
      r.c = adjusted(at.p, at, r.c);
    };
    wrong::PipelineKernel kernel(promising(features), pipeline);
    const auto results = check_determinism(kernel, subject());
    const auto found = std::ranges::find(results, check, &Check::aspect);
    REQUIRE(found != results.end());
    return *found;
  };
  const auto next_to = [](double c) {
    return double{std::nextafter(static_cast<float>(c), 2.0f)};
  };
  const Check bits = result_of(ROPEPROOF_DETERMINISTIC, "other neighbours",
                               [&](const auto&, const auto& at, double c) {
                                 return at.batch > 2 ? next_to(c) : c;
                               });
  CHECK_FALSE(bits.passes());
  CHECK_THAT(bits.reason, ContainsSubstring("other bits in"));
  CHECK(bits.suffixes == "D");
  const Check wrong = result_of(0, "other neighbours",
                                [](const auto& p, const auto&, double c) {
                                  return p.batch == 6 ? c + 1 : c;
                                });
  CHECK_FALSE(wrong.passes());
  CHECK_THAT(wrong.reason, ContainsSubstring("as a batch of 6"));
  CHECK(wrong.suffixes == "");
  // Other bits alone, which nobody promised not to give.
  for (const char* check : {"20 calls", "rows alone", "other neighbours"}) {
    int calls = 0;
    const Check result =
        result_of(0, check, [&](const auto&, const auto&, double c) {
          return ++calls % 70 == 0 ? next_to(c) : c;
        });
    CHECK(result.reason == "");
    CHECK(result.passes());
    CHECK(result.suffixes == "");
  }
}

TEST_CASE(
    "a kernel that accepts a contradiction, or writes before refusing it, "
    "does not validate",
    "[conformance][contract]") {
  wrong::PipelineKernel kernel(promising(ROPEPROOF_VALIDATES),
                               wrong::exact_pipeline());
  SECTION("refuses") {
    kernel.canned = {plugin::Outcome::kInvalid, "seen"};
    for (const auto& [defect, word] : cases::kDefectWords) {
      if (defect == cases::Defect::kIdOutOfRange ||
          defect == cases::Defect::kNegativeId) {
        continue;  // below: these are of calls by ids
      }
      CAPTURE(word);
      const Check result = check_reject(kernel, subject(), defect);
      CHECK(result.reason == "");
      CHECK(result.passes());
    }
  }
  SECTION("refuses an id that is no row") {
    const Subject lookup = subject(ROPEPROOF_LOOKUP);
    for (const cases::Defect defect :
         {cases::Defect::kIdOutOfRange, cases::Defect::kNegativeId}) {
      kernel.canned = {plugin::Outcome::kInvalid, "seen"};
      CHECK(check_reject(kernel, lookup, defect).reason == "");
      CHECK(check_reject(kernel, subject(), defect).reason ==
            "the case cannot have this defect");
      wrong::Pipeline pipeline = wrong::exact_pipeline();
      pipeline.misread = [](ropeproof_problem& p) {
        for (std::int64_t i = 0; i < p.batch * p.seq; ++i) {
          auto& id = const_cast<std::int64_t&>(p.ids[i]);
          id = std::clamp<std::int64_t>(id, 0, p.cache_rows - 1);
        }
      };
      wrong::PipelineKernel clamps(promising(ROPEPROOF_VALIDATES), pipeline);
      CHECK_THAT(check_reject(clamps, lookup, defect).reason,
                 ContainsSubstring("accepted it"));
    }
  }
  SECTION("accepts") {
    const Check result =
        check_reject(kernel, subject(), cases::Defect::kNegativeBatch);
    CHECK_FALSE(result.passes());
    CHECK_THAT(result.reason, ContainsSubstring("accepted it"));
  }
  SECTION("calls it unsupported, though it offers all that it needs") {
    kernel.canned = {plugin::Outcome::kUnsupported, "no"};
    for (const cases::Defect defect :
         {cases::Defect::kZeroDirection, cases::Defect::kNegativeBatch}) {
      CHECK_FALSE(check_reject(kernel, subject(), defect).passes());
    }
    plugin::Description d = kernel.description();
    d.features &= ~std::uint32_t{ROPEPROOF_ADJOINT};
    wrong::PipelineKernel forward_only(d, wrong::exact_pipeline());
    forward_only.canned = kernel.canned;
    CHECK(check_reject(forward_only, subject(), cases::Defect::kZeroDirection)
              .passes());
  }
}

TEST_CASE("a sequence of calls is judged call by call",
          "[conformance][contract]") {
  const std::vector<Subject> calls{
      subject(), subject(ROPEPROOF_ROPE, cases::committed_case("contract-003")),
      subject()};
  wrong::PipelineKernel honest(promising(0), wrong::exact_pipeline());
  CHECK(check_sequence(honest, calls).reason == "");
  wrong::Pipeline pipeline = wrong::exact_pipeline();
  // A table that is kept from the first call on.
  double first = -1;
  pipeline.amplitude = [&](double m) {
    if (first < 0) first = m;
    return first;
  };
  wrong::PipelineKernel stale(promising(0), pipeline);
  const Check result = check_sequence(stale, calls);
  CHECK_FALSE(result.passes());
  CHECK_THAT(result.reason, ContainsSubstring("call 2 (contract-003)"));
}

TEST_CASE("bits that depend on the calls before are not the same bits",
          "[conformance][contract]") {
  struct Warming : wrong::PipelineKernel {
    using wrong::PipelineKernel::PipelineKernel;
    bool restart(int) override {
      calls = 0;
      return true;
    }
    plugin::Answer run(const ropeproof_problem& problem) override {
      ++calls;
      return wrong::PipelineKernel::run(problem);
    }
    int calls = 0;
  };
  int* calls = nullptr;
  wrong::Pipeline pipeline = wrong::exact_pipeline();
  pipeline.amplitude = [&](double m) { return *calls > 1 ? m + 0x1p-23 : m; };
  const std::vector<Subject> sequence{
      subject(),
      subject(ROPEPROOF_ROPE, cases::committed_case("contract-003"))};
  Warming promises(promising(ROPEPROOF_DETERMINISTIC), pipeline);
  calls = &promises.calls;
  const Check broken = check_sequence(promises, sequence);
  CHECK(broken.verdict == Verdict::kFail);
  CHECK_THAT(broken.reason, ContainsSubstring("call 2 (contract-003)") &&
                                ContainsSubstring("other bits"));
  Warming promises_nothing(promising(0), pipeline);
  calls = &promises_nothing.calls;
  CHECK(check_sequence(promises_nothing, sequence).passes());
}

}  // namespace ropeproof::conformance::check
