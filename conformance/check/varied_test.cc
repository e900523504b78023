#include "conformance/check/varied.h"

#include <catch2/catch_test_macros.hpp>
#include <map>
#include <memory>

#include "conformance/cases/families/family.h"
#include "conformance/cases/form_golden.h"
#include "conformance/explain/test_answers.h"

namespace ropeproof::conformance::check {
namespace {

TEST_CASE("a threshold of a size is found between a right and a wrong answer",
          "[conformance][diagnosis]") {
  constexpr std::int64_t kMost = 5;
  explain::Base base = explain::base_of(wrong::exact_pipeline(), ROPEPROOF_A0,
                                        reference::Format::kF32);
  base.pipeline.leaves = [](const ropeproof_problem& p,
                            const wrong::HeadIndex&) {
    return p.q.heads > kMost;
  };
  wrong::PipelineKernel kernel(base.description, base.pipeline);
  auto asked = std::make_shared<cases::Case>();
  asked->problem = cases::make_problem(
      reference::Format::kF32,
      reference::leading(4, 4, reference::Pairing::kHalfSplit), 10000, 1, 2, 9,
      1, {3, 17});
  for (int i = 0; i < 2 * 10 * 4; ++i) {
    cases::Bits& x = i < 2 * 9 * 4 ? asked->problem.q : asked->problem.k;
    x.push_back(encode(asked->problem.dtype, 1 + i / 128.0));
  }
  asked->golden = cases::form_golden(asked->problem, reference::best_oracle());
  explain::Answer like;
  like.operation = ROPEPROOF_ROPE;
  like.asked = asked;
  like.claim = judge::claim_of(base.description, asked->problem.dtype);
  std::map<std::int64_t, bool> is_wrong;  // by heads of q
  bool is_beside = false;
  for (const explain::Answer& answer :
       answers_again(kernel, {}, like, explain::Again::kSizes, 0)) {
    const cases::Problem& p = answer.asked->problem;
    CHECK(answer.is_failure() == (p.q_heads > kMost));
    is_wrong[p.q_heads] = answer.is_failure();
    is_beside = is_beside || (p.q_heads == kMost && p.seq > 2);
  }
  REQUIRE(is_wrong.contains(kMost));
  REQUIRE(is_wrong.contains(kMost + 1));  // no size that is always asked
  CHECK(is_beside);                       // the threshold is no product's
}

}  // namespace
}  // namespace ropeproof::conformance::check
