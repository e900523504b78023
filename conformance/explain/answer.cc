#include "conformance/explain/answer.h"

#include <utility>

#include "reference/rope.h"

namespace ropeproof::conformance::explain {
namespace {

using cases::rounded_to;
using reference::at;

// The goldens of heads, rounded once; channels outside the window are copied.
cases::Bits rotated(const cases::Case& c, const cases::Bits& x,
                    const cases::Bits& goldens) {
  cases::Bits y = x;
  for (std::int64_t head = 0; head < std::ssize(y);
       head += c.problem.spec.layout.head_dim) {
    for (std::int64_t j = 0; j < c.problem.pairs(); ++j) {
      const reference::Pair to = reference::target_pair(c.problem.spec, j);
      for (const std::int64_t t : {head + to.u, head + to.v}) {
        at(y, t) = encode(c.problem.dtype, cases::value_of(at(goldens, t)));
      }
    }
  }
  return y;
}

}  // namespace

judge::OutputLayout Answer::layout() const {
  return {asked->problem, asked->golden, operation, claim, *output};
}

Answer answer_of(std::shared_ptr<const cases::Case> asked,
                 std::uint32_t operation, const judge::Claim& claim,
                 judge::Output output) {
  auto judged = std::make_shared<const judge::Judged>(judge::judge_each(
      asked->problem, asked->golden, operation, claim, output));
  return {.operation = operation,
          .asked = std::move(asked),
          .claim = claim,
          .output = std::make_shared<const judge::Output>(std::move(output)),
          .judged = std::move(judged)};
}

judge::Output exact_output(const cases::Case& c, std::uint32_t operation,
                           reference::Format table) {
  judge::Output output;
  if (operation == ROPEPROOF_PERMUTE) {
    output.q = c.golden.q;
  } else if (operation == ROPEPROOF_FREQUENCIES) {
    output.inv_freq = rounded_to(table, c.golden.inv_freq_hi);
  } else if (operation == ROPEPROOF_TABLE) {
    output.cos = rounded_to(table, c.golden.cos);
    output.sin = rounded_to(table, c.golden.sin);
  } else {
    output.q = rotated(c, c.problem.q, c.golden.q);
    output.k = rotated(c, c.problem.k, c.golden.k);
  }
  return output;
}

}  // namespace ropeproof::conformance::explain
