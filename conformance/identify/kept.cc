#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "conformance/check/variations.h"
#include "conformance/identify/readings.h"
#include "conformance/judge/judge.h"
#include "conformance/judge/tolerance.h"
#include "conformance/plugin/problem.h"
#include "conformance/text/word_tables.h"
#include "reference/golden.h"

namespace ropeproof::conformance::identify {
namespace {

// Bases that nobody else takes.
constexpr double kFreshBase = 10007;

// Calls one of two problems after the other.
class Sequences {
 public:
  Sequences(Prober& prober, std::uint32_t operation)
      : prober_(prober), operation_(operation) {}

  // Whether one of the problems, in A, B, A and B, A, is right once and wrong
  // another time.
  bool is_kept(cases::Case a, cases::Case b) {
    Answers of_a, of_b;
    call(a, b, of_a, of_b);
    renew(a, b);
    call(b, a, of_b, of_a);
    for (const auto& [answers, c] : {std::pair{&of_a, &a}, {&of_b, &b}}) {
      if (!answers->wrong) continue;
      if (answers->right) return true;
      // It may be right in a fresh process alone.
      if (prober_.kernel().restart(0) && is_right(*c).value_or(false))
        return true;
    }
    return false;
  }

 private:
  struct Answers {
    bool right = false, wrong = false;
    void add(std::optional<bool> is_right) {
      if (is_right) (*is_right ? right : wrong) = true;
    }
  };

  void call(const cases::Case& a, const cases::Case& b, Answers& of_a,
            Answers& of_b) {
    of_a.add(is_right(a));
    of_b.add(is_right(b));
    of_a.add(is_right(a));
  }

  // Gives both a base that no call had before, where they take one.
  void renew(cases::Case& a, cases::Case& b) {
    cases::Case new_a = a, new_b = b;
    const auto can_be_new = [&](cases::Case& c) {
      reference::Frequencies& frequencies = c.problem.spec.frequencies;
      const bool has_base =
          frequencies.base != 0 && plugin::follows_base(frequencies);
      frequencies.base = kFreshBase + bases_;
      return has_base && prober_.takes(operation_, c);
    };
    if (a.problem.spec.frequencies.base != b.problem.spec.frequencies.base ||
        !can_be_new(new_a) || !can_be_new(new_b)) {
      return;
    }
    form_again(new_a);
    form_again(new_b);
    a = std::move(new_a), b = std::move(new_b);
    ++bases_;
  }

  // Whether the answer is right; nothing where there is none.
  std::optional<bool> is_right(const cases::Case& c) {
    const auto output = prober_.ask_once(operation_, c);
    if (!output) return std::nullopt;
    const judge::Claim claim = judge::claim_of(prober_.kernel().description(),
                                               c.problem.dtype, operation_);
    return judge::judge(c.problem, c.golden, operation_, claim, *output).pass();
  }

  Prober& prober_;
  std::uint32_t operation_;
  int bases_ = 0;
};

}  // namespace

Finding read_kept(Prober& prober, std::uint32_t operation,
                  std::span<const check::Variation> variations) {
  Sequences sequences(prober, operation);
  int fields = 0;
  std::vector<std::string> kept;
  for (const check::Variation& variation : variations) {
    for (const check::Change& change : variation.changes) {
      if (prober.has_given_up()) break;
      ++fields;
      if (sequences.is_kept(variation.base, change.c)) {
        kept.push_back(change.field);
      }
    }
  }
  if (fields == 0) {
    return {Standing::kUnseen, "kept",
            "no field that the kernel takes in two values", ""};
  }
  const std::string all = std::to_string(fields) + " fields changed, ";
  if (kept.empty()) {
    return {Standing::kDeclared, "kept", "nothing",
            all + "called as A B A and B A B"};
  }
  constexpr std::size_t kMost = 4;
  std::string words = text::joined(std::views::take(kept, kMost), ", ");
  if (kept.size() > kMost) {
    words += " and " + std::to_string(kept.size() - kMost) + " more";
  }
  return {Standing::kDiffers, "kept",
          "a call uses what an earlier call formed for another " + words,
          std::to_string(kept.size()) + " of " + all +
              "right alone and wrong after the other"};
}

}  // namespace ropeproof::conformance::identify
