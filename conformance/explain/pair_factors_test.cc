// What an account says of answers that took learned factors for another thing.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "conformance/cases/families/family.h"
#include "conformance/cases/form_golden.h"
#include "conformance/explain/account.h"

namespace ropeproof::conformance::explain {
namespace {

using cases::Problem;
using Catch::Matchers::ContainsSubstring;
using Factors = std::vector<double>;

Problem problem_with(const Factors& factors) {
  Problem problem = cases::with_scaling(
      reference::Yarn{4, 4096},
      cases::make_problem(
          reference::Format::kF32,
          reference::leading(8, 8, reference::Pairing::kHalfSplit), 10000, 1, 4,
          1, 0, {1, 3, 17, 257}));
  problem.spec.frequencies.pair_factors = factors;
  for (int i = 0; i < 32; ++i) {
    problem.q.push_back(encode(problem.dtype, 1 + i % 7));
  }
  return problem;
}

// The account of a kernel that multiplies by `used` where `due` is asked.
std::string measured(const Factors& due, const Factors& used) {
  auto asked = std::make_shared<cases::Case>();
  asked->problem = problem_with(due);
  asked->golden = cases::form_golden(asked->problem, reference::best_oracle());
  const auto other =
      cases::form_golden(problem_with(used), reference::best_oracle());
  judge::Output output;
  for (const std::uint64_t bits : other.q) {
    output.q.push_back(encode(asked->problem.dtype, cases::value_of(bits)));
  }
  const auto account = account_of(answer_of(asked, ROPEPROOF_ROPE, {}, output));
  std::string text;
  for (const std::string& sentence : account.measured) text += sentence + "\n";
  return text;
}

TEST_CASE(
    "factors that were forgotten, inverted or taken for logarithms are "
    "named from the frequencies",
    "[conformance][explain][R16]") {
  const Factors due = {1.25, 0.7, 1.5, 2};
  const auto changed = [&](const auto& change) {
    Factors used;
    for (const double factor : due) used.push_back(change(factor));
    return used;
  };
  CHECK_THAT(measured(due, {}), ContainsSubstring("as without their factors"));
  CHECK_THAT(measured(due, changed([](double f) { return 1 / f; })),
             ContainsSubstring("as divided by their factors"));
  CHECK_THAT(measured(due, changed([](double f) { return f * f; })),
             ContainsSubstring("as times the square of their factors"));
  CHECK_THAT(measured({1.5, 1.25, 2, 3}, {std::log(1.5), std::log(1.25),
                                          std::log(2.0), std::log(3.0)}),
             ContainsSubstring("the exponential is forgotten"));
  CHECK_THAT(measured(due, {2, 0.7, 1.5, 1.25}), !ContainsSubstring("factors"));
}

}  // namespace
}  // namespace ropeproof::conformance::explain
