#include "conformance/check/runner.h"

#include <algorithm>
#include <utility>

#include "conformance/cases/summary.h"
#include "conformance/check/attempt.h"
#include "conformance/check/choices.h"
#include "conformance/check/contract.h"
#include "conformance/check/contract_checks.h"
#include "conformance/check/filter.h"
#include "conformance/check/formed.h"
#include "conformance/check/offered.h"
#include "conformance/plugin/abi_words.h"

namespace ropeproof::conformance::check {
namespace {

Suffixes suffixes_of(std::uint32_t operation, const cases::Problem& problem) {
  if (operation == ROPEPROOF_FREQUENCIES || operation == ROPEPROOF_TABLE) {
    return 0;
  }
  Suffixes suffixes = 0;
  if (problem.is_special) suffixes |= kSuffixE;
  if (problem.nearest_storage() != cases::kDense) suffixes |= kSuffixM;
  if (problem.spec.direction == reference::Direction::kAdjoint)
    suffixes |= kSuffixB;
  return suffixes;
}

// The check before the call: a pass, or why none is made.
Check before_call(const plugin::Kernel& kernel, std::uint32_t operation,
                  const cases::Problem& problem, bool is_declined) {
  const plugin::Description& offered = kernel.description();
  const bool shares = kernel.shares_memory();
  Check check;
  check.suffixes = suffixes_of(operation, problem);
  check.reason = missing_feature(offered, operation, problem, shares);
  if (!check.reason.empty()) {
    check.verdict = Verdict::kUnsupported;
  } else if (is_declined) {
    check.verdict = Verdict::kDeclined;
  } else {
    check.features = needed_features(operation, problem, offered, shares);
  }
  return check;
}

// Makes the call. A check that passes has an output.
void make_call(plugin::Kernel& kernel, const Subject& subject, int rounds,
               Check& check, judge::Output& output) {
  try {
    check.answer = call_of(kernel, subject).run(output, rounds);
    check.verdict = verdict_of(check.answer.outcome);
    say_end(check, check.answer);
  } catch (const plugin::NoAddressSpace& error) {
    check.verdict = Verdict::kUnsupported;
    check.reason = error.what();
  }
}

// Keeps a wrong answer, and the account of it that is wanted.
void keep_wrong(const cases::Case& c, std::uint32_t operation,
                const judge::Claim& claim, const Asking& asking, Check& check,
                judge::Output output) {
  if (asking.wanted == Wanted::kVerdict) return;
  const std::shared_ptr<const cases::Case> lent(std::shared_ptr<void>{}, &c);
  check.wrong = shared(explain::answer_of(asking.is_lent ? lent : shared(c),
                                          operation, claim, std::move(output)));
  if (asking.wanted == Wanted::kAnswer) return;
  check.account =
      explain::account_of(*check.wrong, asking.wanted == Wanted::kBrief);
}

}  // namespace

Check check_values(plugin::Kernel& kernel, std::uint32_t operation,
                   const cases::Case& c, const Asking& asking) {
  Check check = before_call(kernel, operation, c.problem, asking.is_declined);
  if (!check.passes()) return check;
  judge::Output output;
  make_call(kernel, {c, operation}, asking.rounds, check, output);
  if (!check.passes()) return check;
  check.reason = check.end = output.stray;
  const judge::Claim claim =
      judge::claim_of(kernel.description(), c.problem.dtype, operation);
  check.measurement =
      judge::judge(c.problem, c.golden, operation, claim, output,
                   asking.shown ? &asking.shown->spread : nullptr);
  const bool is_wrong = !check.measurement->pass();
  if (is_wrong || !output.stray.empty()) check.verdict = Verdict::kFail;
  if (asking.shown) {
    explain::keep_better(asking.shown->specimen, c, operation, output,
                         claim.table, is_wrong);
  }
  if (is_wrong) {
    keep_wrong(c, operation, claim, asking, check, std::move(output));
  }
  return check;
}

namespace {

// Elements of a wrong answer whose account is not brief.
constexpr std::int64_t kMostAccounted = 1 << 12;

// One run: the committed cases, then those that are formed for the kernel.
class Suite {
 public:
  Suite(plugin::Kernel& kernel, const cases::Corpus& corpus,
        const Selection& selection)
      : kernel_(kernel),
        corpus_(corpus),
        selection_(selection),
        contract_(kernel, corpus, selection.tier, !selection.profile.empty()),
        recipes_(recipes_of(kernel, corpus, selection)),
        filter_(names(), selection),
        choices_(kernel),
        picker_(selection.shard) {
    run_.formed_for = asked_description(kernel, selection);
    contract_.choose_formed(recipes_, run_.formed_for.max_position);
    run_.vectors_version = corpus.version;
    run_.manifest_sha256 = corpus.manifest_sha256;
    run_.kernel = kernel.description();
    run_.shares_memory = kernel.shares_memory();
    run_.profile = selection.profile;
    run_.seed = selection.seed;
    // A profile asks for results, however a kernel comes to them: rope, or
    // rotate or lookup where it does not form angles. A tier asks for
    // everything.
    operations_ = !selection.profile.empty() ? main_operation(run_.kernel)
                  : selection.offered_only   ? run_.kernel.operations
                                             : ~0u;
  }

  Run ask() {
    for (const cases::Group& group : corpus_.groups) ask(group);
    ask_formed();
    finish();
    return std::move(run_);
  }

 private:
  std::vector<Named> names() {
    std::vector<Named> all = all_cases(corpus_, recipes_);
    all_ = all.size();
    if (selection_.names) {
      std::vector<std::string> ids;
      for (const Named& c : all) ids.push_back(c.id);
      selection_.names(ids);
    }
    return all;
  }

  bool takes(cases::Tier tier, const std::string& id) {
    return !is_over() && filter_.takes(tier, id) && picker_.takes(id);
  }
  void show(const std::string& id) {
    const auto shards = static_cast<std::size_t>(selection_.shard.count);
    if (selection_.progress) {
      selection_.progress(asked_++, (all_ + shards - 1) / shards, id);
    }
  }

  template <class AnyCase>
  void add(const AnyCase& c, Check check) {
    check.case_id = c.id;
    if constexpr (requires { c.problem; }) {
      if (check.verdict != Verdict::kUnsupported &&
          !run_.facts.contains(c.id)) {
        run_.facts.emplace(c.id, facts_of(c.problem));
      }
    }
    has_failed_ |= is_failure(check.verdict);
    run_.checks.push_back(std::move(check));
  }
  bool is_over() const { return selection_.ends_at_failure && has_failed_; }

  void add_values(const cases::Case& c, std::uint32_t operation, Check check) {
    check.operation = operation;
    check.dtype = plugin::abi_dtype(c.problem.dtype);
    check.summary = c.comment + " (" + cases::summary(c) + ")";
    add(c, std::move(check));
  }

  void ask(const cases::Case& c, std::uint32_t operations = ~0u,
           int rounds = 1) {
    if (c.problem.task == cases::Task::kPermute) return ask_permutation(c);
    operations &= operations_;
    for (const std::uint32_t operation : kRopeOperations) {
      if (is_over()) return;
      if (!filter_.takes(operation) || (operation & operations) == 0) continue;
      const bool is_declined = filter_.declines(c.id);
      Check values =
          check_values(kernel_, operation, c,
                       {.is_declined = is_declined,
                        .rounds = rounds,
                        .wanted = wanted(c.problem.elements()),
                        .shown = selection_.shows ? &run_.shown : nullptr,
                        .is_lent = true});
      make_again(operation, c, values);
      const bool is_chosen = values.verdict == Verdict::kPass ||
                             values.verdict == Verdict::kDeclined;
      if (is_chosen && !is_declined) {
        const std::string changed = choices_.check(
            operation, c,
            values.verdict == Verdict::kPass ? plugin::Outcome::kOk
                                             : plugin::Outcome::kDeclined);
        if (!changed.empty()) values.verdict = Verdict::kFail;
        values.reason += changed, values.end += changed;
      }
      keep(values);
      const bool is_right = values.verdict == Verdict::kPass;
      if (values.verdict == Verdict::kCrash && lost_++ < kMostLost) {
        values.wrong = shared(explain::Answer{
            .operation = operation,
            .asked = shared(c),
            .claim = judge::claim_of(run_.kernel, c.problem.dtype, operation)});
      }
      add_values(c, operation, std::move(values));
      if (selection_.values_only || is_declined || is_over()) continue;
      for (Check& check : contract_.of(c, operation)) {
        keep(check, is_right);
        add_values(c, operation, std::move(check));
      }
    }
  }

  // Makes the call of a wrong result once more. Only for the first few of a
  // run: a process may take seconds to start.
  void make_again(std::uint32_t operation, const cases::Case& c, Check& check) {
    const bool is_wrong = check.verdict == Verdict::kFail &&
                          check.measurement && !check.measurement->pass();
    if (!is_wrong || !kernel_.is_live() || again_ == 0) return;
    --again_;
    const Retry retry = made_again(kernel_, true, [&] {
      return check_values(kernel_, operation, c, {.wanted = Wanted::kVerdict})
          .passes();
    });
    if (retry == Retry::kWrongInFreshProcess) return;
    add_retry(check, retry);
    if (retry == Retry::kRightInFreshProcess)
      check.account.pattern += " from the calls before";
  }

  void ask_permutation(const cases::Case& c) {
    Check values = check_values(kernel_, ROPEPROOF_PERMUTE, c,
                                {.wanted = selection_.wanted, .is_lent = true});
    keep(values);
    add_values(c, ROPEPROOF_PERMUTE, std::move(values));
  }

  Wanted wanted(std::int64_t elements) const {
    return elements > kMostAccounted
               ? std::min(selection_.wanted, Wanted::kBrief)
               : selection_.wanted;
  }

  // Drops a wrong answer that is not to be kept; of a promise is kept what the
  // call shows by itself, and the plain call does not.
  void keep(Check& check, bool is_right_else = false) {
    if (check.wrong == nullptr) return;
    const std::int64_t elements = check.wrong->judged->all.elements;
    const bool is_large = elements > kLargestKept;
    const bool is_kept =
        check.is_of_values()
            ? !is_large || large_++ < kMostLargeKept
            : !is_large && is_right_else && is_of_one_call(check.aspect);
    if (!is_kept || kept_ + elements > kMostKept) {
      check.wrong.reset();
      return;
    }
    kept_ += elements;
    if (check.is_of_values()) {
      explain::Answer own = *check.wrong;
      own.asked = shared(cases::Case(*own.asked));
      check.wrong = shared(std::move(own));
    }
  }

  void ask(const cases::Group& group) {
    const auto each = [&](const auto& list, const auto& ask_one) {
      for (const auto& c : list) {
        if (!takes(group.tier, c.id)) continue;
        show(c.id);
        ask_one(c);
      }
    };
    const auto values = [this](const cases::Case& c) { ask(c); };
    each(group.rope_cases, values);
    if (filter_.takes(ROPEPROOF_PERMUTE)) each(group.permute_cases, values);
    if (selection_.values_only || !filter_.takes(main_operation(run_.kernel))) {
      return;
    }
    const auto promise = [this](const auto& c) {
      Check check = contract_.of(c);
      keep(check);
      add(c, std::move(check));
    };
    each(group.reject_cases, promise);
    each(group.sequence_cases, promise);
  }

  // Kernels that tune or compile themselves for a shape do so in its first
  // calls. Small shapes of models are called often enough to see what comes
  // then.
  int rounds_of(const cover::Recipe& recipe, const cases::Problem& p) const {
    constexpr std::int64_t kLeast = 1 << 10, kMost = 1 << 13;
    constexpr int kRounds = 24;
    const bool is_often = recipe.source == cover::Source::kShapes &&
                          kernel_.is_concurrent() && p.elements() >= kLeast &&
                          p.elements() <= kMost;
    return is_often ? kRounds : 1;
  }

  // Cases are formed for what the kernel offers: no other operation is asked.
  void ask_formed() {
    plugin::Description asked = run_.formed_for;
    asked.operations = filter_.taken(asked.operations);
    std::vector<const cover::Recipe*> taken;
    for (const cover::Recipe& c : recipes_) {
      if (takes(c.tier, c.id)) taken.push_back(&c);
    }
    FormedCases formed(taken, asked, selection_.formed.get());
    for (const cover::Recipe* c : taken) {
      if (is_over()) break;
      show(c->id);
      const FormedList list = formed.next();
      for (const cases::Case& one : *list) {
        ask(one, asked.operations, rounds_of(*c, one.problem));
      }
    }
  }

  void finish() {
    run_.operations = filter_.operations();
    // Vectors of one's own, as a search saves them, are no tier.
    const bool has_smoke =
        std::ranges::find(corpus_.groups, cases::Tier::kSmoke,
                          &cases::Group::tier) != corpus_.groups.end();
    run_.is_whole_tier =
        selection_.cases.empty() && selection_.operations.empty() &&
        !selection_.values_only && (has_smoke || !selection_.profile.empty());
    if (selection_.profile.empty()) run_.tier = selection_.tier;
    run_.asked = asked_text(selection_);
    run_.selection =
        run_.asked +
        (selection_.seed == 0 ? ""
                              : ", fresh " + std::to_string(selection_.seed)) +
        ", " + std::to_string(picker_.count()) + " of " + std::to_string(all_) +
        " cases";
    picker_.finish(run_);
    run_.shown.round();
    run_.recipes = std::move(recipes_);
    run_.arrays = selection_.arrays;
  }

  plugin::Kernel& kernel_;
  const cases::Corpus& corpus_;
  const Selection& selection_;
  ContractChecks contract_;
  std::vector<cover::Recipe> recipes_;
  std::size_t all_ = 0, asked_ = 0, lost_ = 0;
  bool has_failed_ = false;
  int again_ = 3;                      // calls that may be made once more
  std::int64_t kept_ = 0, large_ = 0;  // of wrong answers
  Filter filter_;
  Choices choices_;
  ShardPicker picker_;
  std::uint32_t operations_ = 0;
  Run run_;
};

}  // namespace

std::string asked_text(const Selection& selection) {
  return selection.profile.empty()
             ? "tier " + text::word(cases::kTierWords, selection.tier)
             : "profile " + selection.profile;
}

Run run_suite(plugin::Kernel& kernel, const cases::Corpus& corpus,
              const Selection& selection) {
  return Suite(kernel, corpus, selection).ask();
}

}  // namespace ropeproof::conformance::check
