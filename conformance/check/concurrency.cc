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
#include "conformance/judge/judge.h"

namespace ropeproof::conformance::check {
namespace {

constexpr const char* kSuffix = "D";

// The tokens from number `by` on, around and around, `count` of them.
cases::Case tokens_from(const cases::Case& c, int by, std::int64_t batch,
                        std::int64_t seq) {
  std::vector<std::int64_t> tokens;
  for (std::int64_t t = 0; t < batch * seq; ++t) {
    tokens.push_back((t + by) % c.problem.tokens());
  }
  return pick_tokens(c, tokens, batch, seq);
}

// Why calls at once are not checked, if they are not.
std::optional<Check> not_asked(const plugin::Kernel& kernel,
                               const std::string& check) {
  if (!offers(kernel, ROPEPROOF_CONCURRENT)) {
    return not_checked(check, kSuffix, "concurrent");
  }
  if (!kernel.is_concurrent()) {
    return not_checked(check, kSuffix, "threads of this plug-in");
  }
  return std::nullopt;
}

// Problems for threads, and where each lies.
struct Work {
  std::deque<cases::Case> cases;
  std::vector<Subject> subjects;
  std::vector<cases::Storage> storages;

  // Not what the kernel declines.
  void add(plugin::Kernel& kernel, const Subject& one, cases::Case c,
           const cases::Storage& storage = cases::kDense) {
    // Without KEYS, k would need calls of its own.
    if (!offers(kernel, ROPEPROOF_KEYS))
      c = first_heads(c, c.problem.q_heads, 0);
    if (declines(kernel, one.operation, c)) return;
    cases.push_back(std::move(c));
    subjects.push_back({cases.back(), one.operation, one.claim});
    storages.push_back(storage);
  }
};

std::vector<plugin::Answer> run_together(
    plugin::Kernel& kernel, std::span<const std::unique_ptr<call::Call>> calls,
    int rounds) {
  std::vector<ropeproof_problem> problems;
  for (const auto& call : calls) problems.push_back(call->begin());
  return kernel.run_together(problems, rounds);
}

// Whether the problem of a thread fails without the others.
std::string alone(plugin::Kernel& kernel, const Subject& one,
                  const cases::Storage& storage) {
  return attempt(kernel, one, one.c, storage, "", kSuffix).passes()
             ? "; right when called alone: look for what calls share, as "
               "buffers and tables that are static or cached"
             : "; wrong when called alone, too";
}

Check solve(plugin::Kernel& kernel, const std::string& check, const Work& work,
            int rounds) {
  if (work.subjects.size() < 2) {
    return declined(check, kSuffix);
  }
  std::vector<std::unique_ptr<call::Call>> calls;
  for (std::size_t i = 0; i < work.subjects.size(); ++i) {
    const Subject& one = work.subjects[i];
    calls.push_back(std::make_unique<call::Call>(
        kernel, one.operation, one.c, one.claim.table, work.storages[i]));
  }
  const std::vector<plugin::Answer> answers =
      run_together(kernel, calls, rounds);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    judge::Output output;
    const plugin::Answer answer = calls[i]->finish(answers[i], output);
    const Subject& one = work.subjects[i];
    const std::string what = "thread " + std::to_string(i + 1) + " (" +
                             one.c.id + ": " + cases::summary(one.c) + ")";
    Check result = judged(one, one.c, answer, output, check, kSuffix, what);
    if (result.passes() && !answer.is_steady &&
        offers(kernel, ROPEPROOF_DETERMINISTIC)) {
      result =
          failed(check, kSuffix, what + ": other bits than in its first round");
    }
    if (result.passes()) continue;
    if (answer.outcome != plugin::Outcome::kTimeout) {
      result.reason += alone(kernel, one, work.storages[i]);
    }
    return result;
  }
  return passed(check, kSuffix);
}

Check solve_permutations(plugin::Kernel& kernel, const std::string& check,
                         const cases::Problem& like) {
  constexpr std::int64_t kHeads = 8;
  const reference::Layout layout = reference::leading(
      like.spec.layout.head_dim, like.spec.layout.rotary_dim,
      (kernel.description().pairings & ROPEPROOF_HALF_SPLIT) != 0
          ? reference::Pairing::kHalfSplit
          : reference::Pairing::kInterleaved);
  std::vector<cases::Case> permutations;
  std::vector<std::unique_ptr<call::Call>> calls;
  for (int i = 0; i < kThreads; ++i) {
    cases::Case& c = permutations.emplace_back();
    c.problem =
        cover::random_permutation(like.dtype, layout, kHeads,
                                  kLargeElements / kHeads / layout.head_dim + i,
                                  static_cast<std::uint64_t>(i));
    c.golden = cases::form_golden(c.problem, reference::best_oracle());
  }
  if (!missing_feature(kernel.description(), ROPEPROOF_PERMUTE,
                       permutations[0].problem, kernel.shares_memory())
           .empty()) {
    return passed(check, kSuffix);
  }
  for (const cases::Case& c : permutations) {
    calls.push_back(std::make_unique<call::Call>(kernel, ROPEPROOF_PERMUTE, c,
                                                 reference::Format::kF32));
  }
  const std::vector<plugin::Answer> answers =
      run_together(kernel, calls, kLargeRounds);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    judge::Output output;
    const plugin::Answer answer = calls[i]->finish(answers[i], output);
    const std::string what =
        "thread " + std::to_string(i + 1) + ", a permutation";
    const Subject subject =
        subject_of(kernel, permutations[i], ROPEPROOF_PERMUTE);
    const Check result =
        judged(subject, permutations[i], answer, output, check, kSuffix, what);
    if (!result.passes()) return result;
  }
  return passed(check, kSuffix);
}

}  // namespace

Check check_concurrency(plugin::Kernel& kernel, const Subject& subject,
                        std::span<const Subject> others) {
  const std::string check = std::to_string(kThreads) + " threads";
  if (const auto no = not_asked(kernel, check)) return *no;
  // Other work for each thread: state that they share shows.
  Work work;
  work.add(kernel, subject, subject.c);
  for (const Subject& other : others) {
    if (&other.c != &subject.c && work.subjects.size() < kThreads) {
      work.add(kernel, other, other.c);
    }
  }
  for (int by = 1; by < kThreads && work.subjects.size() < kThreads; ++by) {
    work.add(kernel, subject,
             tokens_from(subject.c, by, subject.c.problem.batch,
                         subject.c.problem.seq));
  }
  return solve(kernel, check, work, kRounds);
}

Check check_large_concurrency(plugin::Kernel& kernel, const Subject& subject) {
  const std::string check =
      "long calls on " + std::to_string(kThreads) + " threads";
  if (const auto no = not_asked(kernel, check)) return *no;
  const cases::Case& c = subject.c;
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
  Work work;
  for (int i = 0; i < kThreads; ++i) {
    // Of other lengths, too.
    work.add(kernel, subject,
             tokens_from(c, i, 2, kLargeElements / per_token / 2 + 1 + i),
             places[static_cast<std::size_t>(i) % places.size()]);
  }
  Check result = solve(kernel, check, work, kLargeRounds);
  return result.passes() ? solve_permutations(kernel, check, c.problem)
                         : result;
}

}  // namespace ropeproof::conformance::check
