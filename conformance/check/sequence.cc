// Calls in a row: what is left of one problem when the next one comes.
#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/cases/smaller.h"
#include "conformance/check/attempt.h"
#include "conformance/check/choices.h"
#include "conformance/check/variations.h"

namespace ropeproof::conformance::check {

namespace {

// Says in a failing check what the same call gives by itself. Whether the calls
// before it made it wrong is not asked of a command, which may take seconds to
// start.
void ask_alone(plugin::Kernel& kernel, const Subject& subject, Check& check) {
  add_retry(check, made_again(kernel, kernel.shares_memory(), [&] {
              return attempt(kernel, subject, check.aspect).passes();
            }));
}

}  // namespace

Check check_sequence(plugin::Kernel& kernel, std::span<const Subject> calls,
                     ColdOutputs& cold) {
  constexpr Aspect kAspect = Aspect::kSequence;
  const bool repeats = offers(kernel, ROPEPROOF_DETERMINISTIC);
  const Suffixes more = repeats ? kSuffixD : 0;
  const auto name = [&](std::size_t i) {
    return "call " + std::to_string(i + 1) + " (" + calls[i].c.id + ")";
  };
  kernel.restart(0);
  std::vector<judge::Output> warm(calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const plugin::Answer answer = call_of(kernel, calls[i]).run(warm[i]);
    Check result =
        judged(kernel, calls[i], answer, warm[i], kAspect, name(i), more);
    if (!result.passes()) {
      ask_alone(kernel, calls[i], result);
      return result;
    }
  }
  // The first call had a process of its own.
  for (std::size_t i = 0; repeats && i < calls.size(); ++i) {
    auto own = cold.find(calls[i].c.id);
    if (own == cold.end()) {
      judge::Output alone = warm[i];
      if (i > 0) {
        if (!kernel.restart(0)) return passed(kAspect);  // of values alone
        alone = {};
        const plugin::Answer answer = call_of(kernel, calls[i]).run(alone);
        Check result = result_of(answer, kAspect, name(i), more);
        if (!result.passes()) return result;
      }
      own = cold.emplace(calls[i].c.id, std::move(alone)).first;
    }
    if (!judge::same_bits(own->second, warm[i])) {
      return failed(
          kAspect, name(i) + ": other bits than in a process of its own", more);
    }
  }
  return passed(kAspect, more);
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

// Looks for memory, threads and files that grow with every call. After a
// thousand calls of one problem a kernel has filled its caches, after a hundred
// it has made its threads and opened its files; growth beyond that is a leak.
class Growth {
 public:
  // One line after `done` calls; empty where nothing has grown too far.
  std::string of(const std::optional<plugin::Footprint>& now, int done) {
    if (!now) return "";
    for (Amount& amount : amounts_) {
      const std::size_t one = (*now).*amount.what;
      if (done < amount.settled) continue;
      if (!amount.first) amount.first = {one, done};
      if (one <= amount.first->first + amount.most) continue;
      return std::string("its ") + amount.name + " with every call: by " +
             std::to_string((one - amount.first->first) / amount.unit) +
             amount.unit_name + " from call " +
             std::to_string(amount.first->second) + " to " +
             std::to_string(done);
    }
    return "";
  }

 private:
  struct Amount {
    std::size_t plugin::Footprint::*what;
    const char* name;
    int settled;
    std::size_t most, unit;
    const char* unit_name;
    std::optional<std::pair<std::size_t, int>> first = std::nullopt;
  };
  static constexpr std::size_t kMiB = std::size_t{1} << 20;
  Amount amounts_[4] = {
      // 250 bytes a call are too many.
      {&plugin::Footprint::private_bytes, "memory grows", 1000, 16 * kMiB, kMiB,
       " MiB"},
      // Each thread may reserve 128 MiB for what it allocates.
      {&plugin::Footprint::address_bytes, "address space grows", 1000,
       8192 * kMiB, kMiB, " MiB"},
      {&plugin::Footprint::threads, "threads grow", 100, 64, 1, ""},
      {&plugin::Footprint::open_files, "open files grow", 100, 64, 1, ""}};
};

// A look at memory, threads and files of a process costs as much as 50 calls.
// It follows every round while a leak of a thread for each call is still cheap,
// then every twentieth.
constexpr int kOftenLooked = 2000, kRoundsPerLook = 20;

// Makes `count` calls or more, until `seconds` have passed: those beyond
// `count` with pauses between them.
Check check_calls(plugin::Kernel& kernel, const Subject& subject, Aspect aspect,
                  int count, int seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  // At once, within the limit of one call.
  const int rounds = kernel.is_concurrent() ? 100 : 1;
  const cases::Case one = smallest_taken(kernel, subject);
  judge::Output first;
  Growth growth;
  for (int done = 0; done < count || Clock::now() < end;) {
    if (done >= count) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    call::Call call = call_of(kernel, {one, subject.operation});
    const ropeproof_problem problem = call.begin();
    judge::Output output;
    const plugin::Answer answer =
        call.finish(kernel.run_together({&problem, 1}, rounds)[0], output);
    const std::string what = rounds == 1
                                 ? "call " + std::to_string(done + 1)
                                 : "one of calls " + std::to_string(done + 1) +
                                       " to " + std::to_string(done + rounds);
    if (done == 0) first = output;
    const bool is_same = answer.is_steady && judge::same_bits(output, first);
    if (!is_same || done == 0 || !output.stray.empty() ||
        answer.outcome != plugin::Outcome::kOk) {
      Check result = judged(kernel, {one, subject.operation}, answer, output,
                            aspect, what);
      if (!result.passes()) return result;
    }
    if (!is_same && offers(kernel, ROPEPROOF_DETERMINISTIC)) {
      return failed(aspect, what + ": other bits than the first", kSuffixD);
    }
    // A round of other bits is the last one, and not the first.
    done += answer.is_steady ? rounds : 2;
    if (done > kOftenLooked && done / rounds % kRoundsPerLook != 0) continue;
    const std::string grown = growth.of(kernel.footprint(), done);
    if (!grown.empty()) return failed(aspect, grown);
  }
  return attempt(kernel, subject, aspect, std::nullopt,
                 "another problem after them");
}

}  // namespace

Check check_many_calls(plugin::Kernel& kernel, const Subject& subject) {
  return kernel.shares_memory()
             ? check_calls(kernel, subject, Aspect::kManyCalls, kManyCalls, 0)
             : check_calls(kernel, subject, Aspect::kManyRequests,
                           kManyRequests, 0);
}

Check check_million_calls(plugin::Kernel& kernel, const Subject& subject) {
  constexpr Aspect kAspect = Aspect::kMillionCalls;
  if (!kernel.shares_memory()) {
    return not_checked(kAspect, "calls without a pipe");
  }
  kernel.restart(0);
  return check_calls(kernel, subject, kAspect, kMillionCalls, kMillionSeconds);
}

namespace {

// One problem, called now and then, and what it gave first.
class Repeated {
 public:
  Repeated(plugin::Kernel& kernel, std::uint32_t operation,
           const cases::Case& c)
      : kernel_(kernel), subject_{c, operation} {}

  Check call(const std::string& what) {
    judge::Output output;
    const plugin::Answer answer = call_of(kernel_, subject_).run(output);
    // What has the bits of a call that was right is right.
    if (first_ && answer.outcome == plugin::Outcome::kOk &&
        output.stray.empty() && judge::same_bits(output, *first_)) {
      return passed(kAspect);
    }
    Check result = judged(kernel_, subject_, answer, output, kAspect, what);
    if (!result.passes()) {
      ask_alone(kernel_, subject_, result);
      wrong_ = std::move(output);
      return result;
    }
    if (first_ && offers(kernel_, ROPEPROOF_DETERMINISTIC)) {
      return failed(kAspect, what + ": other bits than at first", kSuffixD);
    }
    first_ = std::move(output);
    return result;
  }

  // Whether the wrong answer is the right one of `other`.
  bool has_answer_of(const Repeated& other) const {
    return other.first_ && judge::same_bits(wrong_, *other.first_);
  }

 private:
  static constexpr Aspect kAspect = Aspect::kChanges;

  plugin::Kernel& kernel_;
  Subject subject_;
  std::optional<judge::Output> first_;
  judge::Output wrong_;
};

}  // namespace

Check check_changes(plugin::Kernel& kernel, std::uint32_t operation,
                    std::span<const Variation> variations) {
  if (variations.empty()) {
    return not_checked(Aspect::kChanges, "another value of any field");
  }
  if (kernel.shares_memory()) kernel.restart(0);
  for (const Variation& variation : variations) {
    Repeated base(kernel, operation, variation.base);
    Check result = base.call("the first problem");
    if (!result.passes()) return result;
    std::vector<std::pair<std::string, Repeated>> lengths;
    for (const Change& change : variation.changes) {
      Repeated other(kernel, operation, change.c);
      const std::string alone = " in " + change.field + " alone";
      result = other.call("a problem that differs from the one before" + alone);
      result.is_unmoved = !result.passes() && other.has_answer_of(base);
      if (result.passes()) {
        result = base.call("the first problem again, after one that differs" +
                           alone);
      }
      if (!result.passes()) {
        result.changed = change.field;
        return result;
      }
      if (change.of == ChangeOf::kLength) {
        lengths.emplace_back(change.field, std::move(other));
      }
    }
    // Lengths fall, without the first problem between them.
    std::string before = "the first problem";
    for (auto& [length, other] : lengths) {
      result = other.call(length + ", after " + before);
      if (!result.passes()) return result;
      before = length;
    }
  }
  return passed(Aspect::kChanges);
}

}  // namespace ropeproof::conformance::check
