// Many callers at once.
#include <algorithm>
#include <memory>
#include <numeric>

#include "conformance/check/attempt.h"

namespace ropeproof::conformance::check {
namespace {

constexpr char kSuffix = 'D';

}  // namespace

ContractResult check_concurrency(plugin::Kernel& kernel,
                                 const Subject& subject) {
  const std::string check = std::to_string(kThreads) + " threads";
  if (!offers(kernel, ROPEPROOF_CONCURRENT)) {
    return not_checked(check, kSuffix, "concurrent");
  }
  if (!kernel.is_concurrent()) {
    return not_checked(check, kSuffix, "threads of this plug-in");
  }
  // Without KEYS, k would need calls of its own.
  const cases::RopeCase c = offers(kernel, ROPEPROOF_KEYS)
                                ? subject.c
                                : pick_heads(subject.c, subject.c.q_heads, 0);
  // Other work for each thread: state that they share shows.
  std::vector<std::int64_t> tokens(static_cast<std::size_t>(c.tokens()));
  std::iota(tokens.begin(), tokens.end(), 0);
  std::vector<cases::RopeCase> cases;
  for (int thread = 0; thread < kThreads; ++thread) {
    cases.push_back(pick_tokens(c, tokens, c.batch, c.seq));
    if (!tokens.empty()) {
      std::rotate(tokens.begin(), tokens.begin() + 1, tokens.end());
    }
  }
  std::vector<std::unique_ptr<Call>> calls;
  std::vector<ropeproof_problem> problems;
  for (const cases::RopeCase& one : cases) {
    calls.push_back(std::make_unique<Call>(kernel, subject.operation, one,
                                           subject.claim.table,
                                           Placement{cases::Memory::kDense}));
    problems.push_back(calls.back()->begin());
  }
  // A second round in place would rotate what the first one has rotated.
  const bool in_place =
      problems[0].q.in == problems[0].q.out && problems[0].q.heads > 0;
  const std::vector<plugin::Answer> answers =
      kernel.run_together(problems, in_place ? 1 : kRounds);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    judge::Output output;
    const plugin::Answer answer = calls[i]->finish(answers[i], output);
    const std::string what = "thread " + std::to_string(i + 1);
    ContractResult result =
        judged(subject, cases[i], answer, output, check, kSuffix, what);
    if (!result.pass) return result;
    if (!answer.is_steady && offers(kernel, ROPEPROOF_DETERMINISTIC)) {
      return failed(check, kSuffix,
                    what + ": other bits than in its first round");
    }
  }
  return passed(check, kSuffix);
}

}  // namespace ropeproof::conformance::check
