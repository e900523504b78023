// Many callers at once.
#include <algorithm>
#include <deque>
#include <memory>
#include <optional>

#include "conformance/cases/form_golden.h"
#include "conformance/cases/smaller.h"
#include "conformance/cases/summary.h"
#include "conformance/check/attempt.h"
#include "conformance/check/choices.h"
#include "conformance/check/offered.h"
#include "conformance/cover/values.h"

namespace ropeproof::conformance::check {
namespace {

// The tokens from number `by` on, around and around, `count` of them.
cases::Case tokens_from(const cases::Case& c, int by, std::int64_t batch,
                        std::int64_t seq) {
  std::vector<std::int64_t> tokens;
  for (std::int64_t t = 0; t < batch * seq; ++t) {
    tokens.push_back((t + by) % c.problem.tokens());
  }
  return pick_tokens(c, tokens, batch, seq);
}

std::optional<Check> not_asked(const plugin::Kernel& kernel, Aspect aspect) {
  if (const auto no = not_offered(kernel, aspect)) return no;
  if (!kernel.is_concurrent()) {
    return not_checked(aspect, "threads of this plug-in");
  }
  return std::nullopt;
}

// A problem for a thread, and where it lies.
struct Work {
  Subject subject;
  cases::Storage storage;
  std::string name;  // in reports
};

struct Works {
  std::deque<cases::Case> cases;
  std::vector<Work> all;

  // Adds a case of the subject's operation that the kernel does not decline.
  void add(plugin::Kernel& kernel, std::uint32_t operation, cases::Case c,
           const cases::Storage& storage = cases::kDense) {
    // Without KEYS, k would need calls of its own.
    if (!offers(kernel, ROPEPROOF_KEYS))
      c = first_heads(c, c.problem.q_heads, 0);
    if (declines(kernel, operation, c)) return;
    cases.push_back(std::move(c));
    all.push_back(
        {{cases.back(), operation},
         storage,
         " (" + cases.back().id + ": " + summary(cases.back()) + ")"});
  }
};

// Says in a failing check whether the problem of a thread fails without the
// others, too.
void try_alone(plugin::Kernel& kernel, const Work& work, Check& check) {
  if (check.answer.outcome == plugin::Outcome::kTimeout) return;
  if (attempt(kernel, work.subject, check.aspect, work.storage).passes()) {
    check.reason +=
        "; right when called alone: look for what calls share, as buffers and "
        "tables that are static or cached";
  } else {
    add_retry(check, Retry::kWrongAlone);
  }
}

Check solve(plugin::Kernel& kernel, Aspect aspect, const Works& works,
            int rounds) {
  if (works.all.size() < 2) return declined(aspect);
  std::vector<std::unique_ptr<call::Call>> calls;
  std::vector<ropeproof_problem> problems;
  for (const auto& [subject, storage, name] : works.all) {
    calls.emplace_back(new call::Call(call_of(kernel, subject, storage)));
    problems.push_back(calls.back()->begin());
  }
  const std::vector<plugin::Answer> answers =
      kernel.run_together(problems, rounds);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Work& work = works.all[i];
    judge::Output output;
    const plugin::Answer answer = calls[i]->finish(answers[i], output);
    const std::string what = "thread " + std::to_string(i + 1) + work.name;
    Check result = judged(kernel, work.subject, answer, output, aspect, what);
    if (result.passes() && !answer.is_steady &&
        offers(kernel, ROPEPROOF_DETERMINISTIC)) {
      result = failed(aspect, what + ": other bits than in its first round");
    }
    if (result.passes()) continue;
    try_alone(kernel, work, result);
    return result;
  }
  return passed(aspect);
}

// A permutation for each thread, as far as the kernel offers it.
Works permutations(const plugin::Kernel& kernel, const cases::Problem& like) {
  constexpr std::int64_t kHeads = 8;
  const reference::Layout layout = reference::leading(
      like.spec.layout.head_dim, like.spec.layout.rotary_dim,
      (kernel.description().pairings & ROPEPROOF_HALF_SPLIT) != 0
          ? reference::Pairing::kHalfSplit
          : reference::Pairing::kInterleaved);
  Works works;
  for (int i = 0; i < kThreads; ++i) {
    cases::Case& c = works.cases.emplace_back();
    c.problem =
        cover::random_permutation(like.dtype, layout, kHeads,
                                  kLargeElements / kHeads / layout.head_dim + i,
                                  static_cast<std::uint64_t>(i));
    const bool is_offered =
        missing_feature(kernel.description(), ROPEPROOF_PERMUTE, c.problem,
                        kernel.shares_memory())
            .empty();
    if (!is_offered) return {};
    c.golden = cases::form_golden(c.problem, reference::best_oracle());
    works.all.push_back(
        {{c, ROPEPROOF_PERMUTE}, cases::kDense, ", a permutation"});
  }
  return works;
}

}  // namespace

Check check_concurrency(plugin::Kernel& kernel, const Subject& subject,
                        std::span<const Subject> others) {
  const auto& [c, operation] = subject;
  if (const auto no = not_asked(kernel, Aspect::kTogether)) return *no;
  // Other work for each thread: state that they share shows.
  Works works;
  works.add(kernel, operation, c);
  for (const Subject& other : others) {
    if (&other.c != &c && works.all.size() < kThreads) {
      works.add(kernel, other.operation, other.c);
    }
  }
  for (int by = 1; by < kThreads && works.all.size() < kThreads; ++by) {
    works.add(kernel, operation,
              tokens_from(c, by, c.problem.batch, c.problem.seq));
  }
  return solve(kernel, Aspect::kTogether, works, kRounds);
}

Check check_large_concurrency(plugin::Kernel& kernel, const Subject& subject) {
  constexpr Aspect kAspect = Aspect::kLongTogether;
  if (const auto no = not_asked(kernel, kAspect)) return *no;
  const auto& [c, operation] = subject;
  const std::int64_t per_token = std::max<std::int64_t>(c.problem.q_heads, 1) *
                                 c.problem.spec.layout.head_dim;
  std::vector<cases::Storage> places = {cases::kDense};
  const bool strides = offers(kernel, ROPEPROOF_STRIDED);
  if (offers(kernel, ROPEPROOF_OUT_OF_PLACE)) {
    if (strides) places.push_back(cases::kStrided);
    if (offers(kernel, ROPEPROOF_IN_PLACE)) places.push_back(cases::kInPlace);
  }
  if (strides && offers(kernel, ROPEPROOF_IN_PLACE)) {
    places.push_back(cases::kStridedInPlace);
  }
  Works works;
  for (int i = 0; i < kThreads; ++i) {
    // Lengths differ, too.
    works.add(kernel, operation,
              tokens_from(c, i, 2, kLargeElements / per_token / 2 + 1 + i),
              places[static_cast<std::size_t>(i) % places.size()]);
  }
  const Check result = solve(kernel, kAspect, works, kLargeRounds);
  if (!result.passes()) return result;
  const Works permuted = permutations(kernel, c.problem);
  return permuted.all.empty() ? result
                              : solve(kernel, kAspect, permuted, kLargeRounds);
}

}  // namespace ropeproof::conformance::check
