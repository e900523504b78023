// Many callers at once.
#include <algorithm>
#include <deque>
#include <memory>
#include <numeric>

#include "conformance/check/attempt.h"

namespace ropeproof::conformance::check {
namespace {

constexpr char kSuffix = 'D';

// The tokens in another order: work that is other in its numbers alone.
cases::RopeCase rotated(const cases::RopeCase& c, int by) {
  std::vector<std::int64_t> tokens(static_cast<std::size_t>(c.tokens()));
  std::iota(tokens.begin(), tokens.end(), 0);
  if (!tokens.empty()) {
    std::rotate(tokens.begin(),
                tokens.begin() + by % static_cast<int>(tokens.size()),
                tokens.end());
  }
  return pick_tokens(c, tokens, c.batch, c.seq);
}

}  // namespace

ContractResult check_concurrency(plugin::Kernel& kernel, const Subject& subject,
                                 std::span<const Subject> others) {
  const std::string check = std::to_string(kThreads) + " threads";
  if (!offers(kernel, ROPEPROOF_CONCURRENT)) {
    return not_checked(check, kSuffix, "concurrent");
  }
  if (!kernel.is_concurrent()) {
    return not_checked(check, kSuffix, "threads of this plug-in");
  }
  // Other work for each thread: state that they share shows.
  std::deque<cases::RopeCase> cases;
  std::vector<Subject> subjects;
  const auto add = [&](const Subject& one, cases::RopeCase c) {
    // Without KEYS, k would need calls of its own.
    const bool takes_both = offers(kernel, ROPEPROOF_KEYS);
    cases.push_back(takes_both ? std::move(c) : pick_heads(c, c.q_heads, 0));
    subjects.push_back({cases.back(), one.operation, one.claim});
  };
  add(subject, subject.c);
  for (const Subject& other : others) {
    if (&other.c != &subject.c && subjects.size() < kThreads) {
      add(other, other.c);
    }
  }
  for (int by = 1; subjects.size() < kThreads; ++by) {
    add(subject, rotated(subject.c, by));
  }
  std::vector<std::unique_ptr<Call>> calls;
  std::vector<ropeproof_problem> problems;
  for (const Subject& one : subjects) {
    calls.push_back(std::make_unique<Call>(kernel, one.operation, one.c,
                                           one.claim.table,
                                           Placement{cases::Memory::kDense}));
    problems.push_back(calls.back()->begin());
  }
  const std::vector<plugin::Answer> answers =
      kernel.run_together(problems, kRounds);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    judge::Output output;
    const plugin::Answer answer = calls[i]->finish(answers[i], output);
    const std::string what =
        "thread " + std::to_string(i + 1) +
        (subjects[i].c.id == subject.c.id ? "" : " (" + subjects[i].c.id + ")");
    ContractResult result = judged(subjects[i], subjects[i].c, answer, output,
                                   check, kSuffix, what);
    if (!result.pass) return result;
    if (!answer.is_steady && offers(kernel, ROPEPROOF_DETERMINISTIC)) {
      return failed(check, kSuffix,
                    what + ": other bits than in its first round");
    }
  }
  return passed(check, kSuffix);
}

}  // namespace ropeproof::conformance::check
