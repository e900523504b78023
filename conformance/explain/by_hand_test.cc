#include <catch2/catch_test_macros.hpp>

#include "conformance/cases/families/family.h"
#include "conformance/cases/form_golden.h"
#include "conformance/explain/account.h"

namespace ropeproof::conformance {

TEST_CASE("an answer is judged without kernel, runner or file", "[judge]") {
  using reference::Format, reference::Pairing;
  const reference::Layout layout =
      reference::leading(4, 4, Pairing::kHalfSplit);
  cases::Problem problem =
      cases::make_problem(Format::kF32, layout, 10000, 1, 1, 1, 0, {257});
  problem.q = {0x3f800000, 0x40000000, 0x40400000, 0x40800000};  // 1, 2, 3, 4
  const auto golden = cases::form_golden(problem, reference::best_oracle());
  const judge::Claim claim;  // angles of class A1 in f32
  judge::Output output;
  output.q = problem.q;  // an answer that is not rotated
  const auto judged =
      judge::judge(problem, golden, ROPEPROOF_ROPE, claim, output);
  const auto account = explain::account_of(judged, problem, golden,
                                           ROPEPROOF_ROPE, claim, output);
  CHECK(judged.wrong == 4);
  CHECK(account.equation == 2);  // (R2), the angle
  CHECK(account.pattern ==
        "4 of 4 elements wrong; in every pair; pair lengths kept");
}

}  // namespace ropeproof::conformance
