// Calls in a row: what is left of one problem when the next one comes.
#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/cases/smaller.h"
#include "conformance/check/attempt.h"
#include "conformance/check/choices.h"
#include "conformance/check/variations.h"

namespace ropeproof::conformance::check {
Check check_sequence(plugin::Kernel& kernel, std::span<const Subject> calls) {
  const std::string check = "calls in a row";
  const bool repeats = offers(kernel, ROPEPROOF_DETERMINISTIC);
  const char* const suffix = repeats ? "D" : "";
  const auto name = [&](std::size_t i) {
    return "call " + std::to_string(i + 1) + " (" + calls[i].c.id + ")";
  };
  const auto run = [&](const Subject& subject, judge::Output& output) {
    return call::Call(kernel, subject.operation, subject.c, subject.claim.table)
        .run(output);
  };
  kernel.restart(0);
  std::vector<judge::Output> warm(calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const plugin::Answer answer = run(calls[i], warm[i]);
    Check result =
        judged(calls[i], calls[i].c, answer, warm[i], check, suffix, name(i));
    if (!result.passes()) return result;
  }
  // What each problem gives in a process of its own. The first call had one.
  std::map<std::string, judge::Output> cold;
  for (std::size_t i = 0; repeats && i < calls.size(); ++i) {
    const auto [own, is_new] = cold.try_emplace(calls[i].c.id);
    if (i == 0) {
      own->second = warm[0];
    } else if (is_new) {
      if (!kernel.restart(0)) return passed(check, "");  // of values alone
      const plugin::Answer answer = run(calls[i], own->second);
      Check result = result_of(answer, check, suffix, name(i));
      if (!result.passes()) return result;
    }
    if (!judge::same_bits(own->second, warm[i])) {
      return failed(check, suffix,
                    name(i) + ": other bits than in a process of its own");
    }
  }
  return passed(check, suffix);
}

namespace {

// The smallest part of the problem that the kernel takes in one call: of one
// token, or of two, one head, that and a key, all heads; or else the problem.
cases::Case smallest_taken(plugin::Kernel& kernel, const Subject& subject) {
  const cases::Case all =
      offers(kernel, ROPEPROOF_KEYS)
          ? subject.c
          : first_heads(subject.c, subject.c.problem.q_heads, 0);
  const std::int64_t a_key = std::min<std::int64_t>(all.problem.k_heads, 1);
  for (const std::int64_t count : {1, 2}) {
    std::vector<std::int64_t> tokens(static_cast<std::size_t>(count));
    std::iota(tokens.begin(), tokens.end(), 0);
    const cases::Case row = pick_tokens(all, tokens, 1, count);
    for (const cases::Case& c :
         {first_heads(row, 1, 0), first_heads(row, 1, a_key), row}) {
      if (!declines(kernel, subject.operation, c)) return c;
    }
  }
  return all;
}

}  // namespace

Check check_many_calls(plugin::Kernel& kernel, const Subject& subject) {
  // What a kernel keeps of one problem it has after so many calls; then 250
  // bytes a call are too many.
  constexpr int kSettled = 1000;
  constexpr std::size_t kMostGrowth = std::size_t{16} << 20;
  const bool is_cheap = kernel.shares_memory();
  const int count = is_cheap ? kManyCalls : kManyRequests;
  const std::string check = is_cheap ? "70,000 calls" : "1,100 calls";
  // At once, within the limit of one call.
  const int rounds = kernel.is_concurrent() ? 100 : 1;
  const cases::Case one = smallest_taken(kernel, subject);
  judge::Output first;
  std::optional<std::size_t> memory;  // after the first kSettled
  for (int done = 0; done < count;) {
    call::Call call(kernel, subject.operation, one, subject.claim.table);
    const ropeproof_problem problem = call.begin();
    judge::Output output;
    const plugin::Answer answer =
        call.finish(kernel.run_together({&problem, 1}, rounds)[0], output);
    const std::string what = rounds == 1
                                 ? "call " + std::to_string(done + 1)
                                 : "a call of " + std::to_string(done + 1) +
                                       " to " + std::to_string(done + rounds);
    if (done == 0) first = output;
    const bool is_same = answer.is_steady && judge::same_bits(output, first);
    if (!is_same || done == 0 || !output.stray.empty() ||
        answer.outcome != plugin::Outcome::kOk) {
      Check result = judged(subject, one, answer, output, check, "", what);
      if (!result.passes()) return result;
    }
    if (!is_same && offers(kernel, ROPEPROOF_DETERMINISTIC)) {
      return failed(check, "D", what + ": other bits than the first");
    }
    // A round of other bits is the last one, and not the first.
    done += answer.is_steady ? rounds : 2;
    if (done < kSettled) continue;
    const std::optional<std::size_t> now = kernel.private_bytes();
    if (!memory) memory = now;
    if (now && *now > *memory + kMostGrowth) {
      return failed(check, "",
                    "its memory grows with every call: by " +
                        std::to_string((*now - *memory) >> 20) +
                        " MiB from call " + std::to_string(kSettled) + " to " +
                        std::to_string(done));
    }
  }
  return attempt(kernel, subject, subject.c, std::nullopt, check, "",
                 "another problem after them");
}

namespace {

// One problem, called now and then, and what it gave first.
class Repeated {
 public:
  Repeated(plugin::Kernel& kernel, std::uint32_t operation,
           const cases::Case& c)
      : kernel_(kernel), subject_(subject_of(kernel, c, operation)) {}

  Check call(const std::string& check, const std::string& what) {
    judge::Output output;
    const plugin::Answer answer = call::Call(kernel_, subject_.operation,
                                             subject_.c, subject_.claim.table)
                                      .run(output);
    // What has the bits of a call that was right is right.
    if (first_ && answer.outcome == plugin::Outcome::kOk &&
        output.stray.empty() && judge::same_bits(output, *first_)) {
      return passed(check, "");
    }
    Check result =
        judged(subject_, subject_.c, answer, output, check, "", what);
    if (!result.passes()) {
      if (is_right()) {
        result.reason += "; right when asked again";
      } else if (is_right_alone()) {
        result.reason +=
            "; right in a fresh process: something is carried over";
      }
      return result;
    }
    if (first_ && offers(kernel_, ROPEPROOF_DETERMINISTIC)) {
      return failed(check, "D", what + ": other bits than at first");
    }
    first_ = std::move(output);
    return result;
  }

 private:
  // A command may take seconds to start.
  bool is_right_alone() {
    return kernel_.shares_memory() && kernel_.restart(0) && is_right();
  }
  bool is_right() {
    return attempt(kernel_, subject_, subject_.c, std::nullopt, "", "")
        .passes();
  }

  plugin::Kernel& kernel_;
  Subject subject_;
  std::optional<judge::Output> first_;
};

}  // namespace

Check check_changes(plugin::Kernel& kernel, std::uint32_t operation,
                    std::span<const Variation> variations) {
  const std::string check = "changes of one field";
  if (variations.empty()) {
    return not_checked(check, "", "another value of any field");
  }
  if (kernel.shares_memory()) kernel.restart(0);
  for (const Variation& variation : variations) {
    Repeated base(kernel, operation, variation.base);
    Check result = base.call(check, "the first problem");
    if (!result.passes()) return result;
    std::vector<std::pair<std::string, Repeated>> lengths;
    for (const Change& change : variation.changes) {
      Repeated other(kernel, operation, change.c);
      const std::string alone = " in " + change.field + " alone";
      result = other.call(check,
                          "a problem that differs from the one before" + alone);
      if (!result.passes()) return result;
      result = base.call(check, "the problem before one that differs" + alone +
                                    ", again after that");
      if (!result.passes()) return result;
      if (change.is_length()) {
        lengths.emplace_back(change.field, std::move(other));
      }
    }
    // They fall, without the first problem between them.
    std::string before = "the first problem";
    for (auto& [length, other] : lengths) {
      result = other.call(check, length + ", after " + before);
      if (!result.passes()) return result;
      before = length;
    }
  }
  return passed(check, "");
}

}  // namespace ropeproof::conformance::check
