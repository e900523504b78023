#include "conformance/identify/kept.h"

#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "conformance/check/contract.h"
#include "conformance/check/variations.h"
#include "conformance/judge/judge.h"
#include "conformance/plugin/problem.h"
#include "conformance/text/word_tables.h"
#include "reference/golden.h"

namespace ropeproof::conformance::identify {
namespace {

// Bases that nobody else takes.
constexpr double kFreshBase = 10007;

class Sequences {
 public:
  Sequences(Prober& prober, std::uint32_t operation)
      : prober_(prober), operation_(operation) {}

  void try_change(const cases::Case& a, const check::Change& change) {
    ++fields_;
    if (is_kept(a, change.c)) kept_.push_back(change.field);
  }

  Finding finding() const {
    const std::string subject = "kept";
    if (fields_ == 0) {
      return {Standing::kUnseen, subject,
              "no field that the kernel takes in two values", ""};
    }
    const std::string all = std::to_string(fields_) + " fields changed, ";
    if (kept_.empty()) {
      return {Standing::kDeclared, subject, "nothing",
              all + "called as A B A and B A B"};
    }
    constexpr std::size_t kMost = 4;
    std::string fields = text::joined(std::views::take(kept_, kMost), ", ");
    if (kept_.size() > kMost) {
      fields += " and " + std::to_string(kept_.size() - kMost) + " more";
    }
    return {Standing::kDiffers, subject,
            "what one call formed is used in the next one of another " + fields,
            std::to_string(kept_.size()) + " of " + all +
                "right alone and wrong after the other"};
  }

 private:
  // Of one of two problems, in all its calls.
  struct Answers {
    bool right = false, wrong = false;
    void add(std::optional<bool> is_right) {
      if (is_right) (*is_right ? right : wrong) = true;
    }
  };

  // Gives both a base that no call had before, where they take one.
  void renew(cases::Case& a, cases::Case& b) {
    if (a.problem.spec.frequencies.base != b.problem.spec.frequencies.base ||
        !can_be_new(a) || !can_be_new(b)) {
      return;
    }
    for (cases::Case* c : {&a, &b}) {
      c->problem.spec.frequencies.base = kFreshBase + bases_;
      form_again(*c);
    }
    ++bases_;
  }

  // A, B, A.
  void call(const cases::Case& a, const cases::Case& b, Answers& of_a,
            Answers& of_b) {
    of_a.add(is_right(a));
    of_b.add(is_right(b));
    of_a.add(is_right(a));
  }

  bool is_kept(cases::Case a, cases::Case b) {
    Answers of_a, of_b;
    call(a, b, of_a, of_b);
    renew(a, b);
    call(b, a, of_b, of_a);
    for (const auto& [answers, c] : {std::pair{&of_a, &a}, {&of_b, &b}}) {
      if (!answers->wrong) continue;
      if (answers->right) return true;
      // Or right in a fresh process alone.
      if (prober_.kernel().restart(0) && is_right(*c).value_or(false))
        return true;
    }
    return false;
  }

  bool can_be_new(const cases::Case& c) {
    if (c.problem.spec.frequencies.base == 0 ||
        !plugin::follows_base(c.problem.spec.frequencies)) {
      return false;
    }
    cases::Case other = c;
    other.problem.spec.frequencies.base = kFreshBase + bases_;
    return prober_.takes(operation_, other);
  }

  // Nothing where there is no answer.
  std::optional<bool> is_right(const cases::Case& c) {
    const auto output = prober_.ask_once(operation_, c);
    if (!output) return std::nullopt;
    const check::Subject subject =
        check::subject_of(prober_.kernel(), c, operation_);
    return judge::judge(c.problem, c.golden, operation_, subject.claim, *output)
        .pass();
  }

  Prober& prober_;
  std::uint32_t operation_;
  int bases_ = 0, fields_ = 0;
  std::vector<std::string> kept_;
};

}  // namespace

Finding read_kept(Prober& prober, std::uint32_t operation,
                  std::span<const check::Variation> variations) {
  Sequences sequences(prober, operation);
  for (const check::Variation& variation : variations) {
    for (const check::Change& change : variation.changes) {
      if (prober.has_given_up()) break;
      sequences.try_change(variation.base, change);
    }
  }
  return sequences.finding();
}

}  // namespace ropeproof::conformance::identify
