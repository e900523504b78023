#include <catch2/catch_test_macros.hpp>

#include "conformance/cases/families/family.h"
#include "conformance/cases/form_golden.h"
#include "conformance/report/failure_text.h"

namespace ropeproof::conformance {

TEST_CASE("an answer is judged without kernel, runner or file", "[judge]") {
  using reference::Format, reference::Pairing;
  const reference::Layout layout =
      reference::leading(4, 4, Pairing::kHalfSplit);
  auto asked = std::make_shared<cases::Case>();
  cases::Problem& problem = asked->problem =
      cases::make_problem(Format::kF32, layout, 10000, 1, 1, 1, 0, {257});
  problem.q = {0x3f800000, 0x40000000, 0x40400000, 0x40800000};  // 1, 2, 3, 4
  asked->golden = cases::form_golden(problem, reference::best_oracle());
  const judge::Claim claim;  // angles of class A1 in f32
  judge::Output output;
  output.q = problem.q;  // an answer that is not rotated
  const auto answer = explain::answer_of(asked, ROPEPROOF_ROPE, claim, output);
  const auto account = explain::account_of(answer);
  CHECK(answer.judged->all.wrong == 4);
  CHECK(answer.judged->marks[0].is_wrong);
  CHECK(account.equation == 2);  // (R2), the angle
  CHECK(account.pattern ==
        "4 of 4 elements wrong; in every pair; pair lengths kept");
  CHECK(report::wrong_text(answer.judged->all, account, false)
            .starts_with("  first    q[0,0,0,0] pair 0 position 257, off by "));
}

}  // namespace ropeproof::conformance
