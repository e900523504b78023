#include "conformance/check/runner.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "conformance/cases/summary.h"
#include "conformance/check/choices.h"
#include "conformance/check/contract.h"
#include "conformance/check/contract_checks.h"
#include "conformance/check/features.h"
#include "conformance/plugin/words.h"
#include "conformance/text/sha256.h"
#include "conformance/text/wildcard.h"
#include "conformance/text/words.h"

namespace ropeproof::conformance::check {
namespace {

std::string reason_of(const plugin::Answer& answer) {
  switch (answer.outcome) {
    case plugin::Outcome::kUnsupported:
      return "refused what it declares (" + answer.detail + ")";
    case plugin::Outcome::kInvalid:
      return "refused a valid problem (" + answer.detail + ")";
    default:
      return answer.detail;
  }
}

template <class MakeCall, class MakeMeasurement>
void run_call(Check& check, const MakeCall& make_call,
              const MakeMeasurement& measure) {
  judge::Output output;
  const plugin::Answer answer = make_call(output);
  check.verdict = verdict_of(answer.outcome);
  check.reason = reason_of(answer);
  if (answer.outcome != plugin::Outcome::kOk) return;
  check.measurement = measure(output);
  check.reason = output.stray;
  if (!check.measurement->pass() || !output.stray.empty()) {
    check.verdict = Verdict::kFail;
  }
}

// The suffixes that a case's values count for.
std::string suffixes_of(std::uint32_t operation, const cases::RopeCase& c) {
  if (operation == ROPEPROOF_FREQUENCIES || operation == ROPEPROOF_TABLE) {
    return "";
  }
  std::string letters;
  if (c.is_special) letters += 'E';
  if (c.memory != cases::Memory::kDense) letters += 'M';
  if (c.spec.direction == reference::Direction::kAdjoint) letters += 'B';
  return letters;
}

Check run_check(plugin::Kernel& kernel, const cases::PermuteCase& c) {
  Check check;
  check.reason = missing_feature(kernel.description(), c);
  if (!check.reason.empty()) {
    check.verdict = Verdict::kUnsupported;
    return check;
  }
  run_call(
      check, [&](judge::Output& output) { return Call(kernel, c).run(output); },
      [&](const judge::Output& output) { return judge::judge(c, output); });
  return check;
}

// Which cases and operations a Selection names.
class Filter {
 public:
  Filter(const cases::Corpus& corpus, const Selection& selection)
      : tier_(selection.tier),
        ids_(selection.cases.begin(), selection.cases.end()),
        declined_(selection.declined) {
    if (tier_ != "smoke" && tier_ != "core" && tier_ != "full") {
      throw std::invalid_argument("unknown tier \"" + tier_ +
                                  "\"; expected smoke, core or full");
    }
    std::set<std::string> unknown = ids_;
    std::set<std::string> idle(declined_.begin(), declined_.end());
    for (const cases::Group& group : corpus.groups) {
      cases::for_each_case(group, [&](const auto& c) {
        unknown.erase(c.id);
        std::erase_if(idle, [&](const std::string& pattern) {
          return text::matches(pattern, c.id);
        });
      });
    }
    if (!unknown.empty()) {
      throw std::invalid_argument("no case \"" + *unknown.begin() +
                                  "\"; `ropeproof list` names them all");
    }
    if (!idle.empty()) {
      throw std::invalid_argument("--decline \"" + *idle.begin() +
                                  "\" matches no case; `ropeproof list` names "
                                  "them all");
    }
    for (const std::string& text : selection.operations) {
      const auto operation = text::find_word(plugin::kOperationWords, text);
      if (!operation) {
        throw std::invalid_argument("unknown operation \"" + text +
                                    "\"; expected " +
                                    text::list_words(plugin::kOperationWords));
      }
      operations_ |= *operation;
    }
    if (operations_ == 0) operations_ = ~0u;
  }

  bool takes(const cases::Group& group, const std::string& id) const {
    if (!ids_.empty()) return ids_.contains(id);
    if (group.tier == "full") return tier_ == "full";
    return tier_ != "smoke" || group.tier == "smoke";
  }
  bool declines(const std::string& id) const {
    return std::ranges::any_of(declined_, [&](const std::string& pattern) {
      return text::matches(pattern, id);
    });
  }
  bool takes(std::uint32_t operation) const {
    return (operations_ & operation) != 0;
  }
  // Of a shard, about.
  std::size_t count(const cases::Corpus& corpus, const Shard& shard) const {
    std::size_t count = 0;
    for (const cases::Group& group : corpus.groups) {
      cases::for_each_case(group, [&](const auto& c) {
        if (takes(group, c.id)) ++count;
      });
    }
    const auto shards = static_cast<std::size_t>(shard.count);
    return (count + shards - 1) / shards;
  }

  // "table, rope"; empty: all of them.
  std::string operations() const {
    std::string text;
    for (const auto& [operation, name] : plugin::kOperationWords) {
      if (operations_ == ~0u || !takes(operation)) continue;
      text += (text.empty() ? "" : ", ") + std::string(name);
    }
    return text;
  }

 private:
  std::string tier_;
  std::set<std::string> ids_;
  std::vector<std::string> declined_;
  std::uint32_t operations_ = 0;
};

// Picks the cases of one shard from the selected ones.
class ShardPicker {
 public:
  explicit ShardPicker(const Shard& shard) : shard_(shard) {}

  // Whether the next selected case is this shard's.
  bool takes(const std::string& id) {
    ids_ += id + "\n";
    if (!shard_.takes(count_++)) return false;
    dealt_.push_back(id);
    return true;
  }

  std::int64_t count() const { return count_; }
  std::size_t dealt() const { return dealt_.size(); }

  void finish(Run& run) {
    run.shard = shard_;
    run.dealt = std::move(dealt_);
    run.cases_sha256 = text::sha256(ids_);
  }

 private:
  Shard shard_;
  std::int64_t count_ = 0;
  std::string ids_;
  std::vector<std::string> dealt_;
};

}  // namespace

Check check_values(plugin::Kernel& kernel, std::uint32_t operation,
                   const cases::RopeCase& c, bool is_declined) {
  Check check;
  check.suffixes = suffixes_of(operation, c);
  check.reason = missing_feature(kernel.description(), operation, c,
                                 kernel.shares_memory());
  if (!check.reason.empty()) {
    check.verdict = Verdict::kUnsupported;
    return check;
  }
  if (is_declined) {
    check.verdict = Verdict::kDeclined;
    return check;
  }
  check.features = needed_features(operation, c, kernel.description(),
                                   kernel.shares_memory());
  const judge::Claim claim = subject_of(kernel, c, operation).claim;
  run_call(
      check,
      [&](judge::Output& output) {
        return Call(kernel, operation, c, claim.table).run(output);
      },
      [&](const judge::Output& output) {
        return judge::judge(c, operation, claim, output);
      });
  return check;
}

namespace {

// Says of a wrong result that it is right in a fresh process, where it is. Only of
// the first few of a run: a process may take seconds to start.
class FreshProcess {
 public:
  explicit FreshProcess(plugin::Kernel& kernel) : kernel_(kernel) {}

  void ask(std::uint32_t operation, const cases::RopeCase& c, Check& check) {
    const bool is_wrong = check.verdict == Verdict::kFail &&
                          check.measurement && !check.measurement->pass();
    if (!is_wrong || !kernel_.is_live() || left_ == 0) return;
    --left_;
    if (kernel_.restart(0) &&
        check_values(kernel_, operation, c).verdict == Verdict::kPass) {
      check.measurement->pattern +=
          "; right in a fresh process: something is carried over from the "
          "calls before";
    }
  }

 private:
  plugin::Kernel& kernel_;
  int left_ = 3;
};

}  // namespace

Run run_suite(plugin::Kernel& kernel, const cases::Corpus& corpus,
              const Selection& selection) {
  const Filter filter(corpus, selection);
  const ContractChecks contract(kernel, corpus);
  Choices choices(kernel);
  FreshProcess fresh(kernel);
  Run run;
  run.vectors_version = corpus.version;
  run.manifest_sha256 = corpus.manifest_sha256;
  run.kernel = kernel.description();
  run.shares_memory = kernel.shares_memory();
  run.profile = selection.profile;
  // A profile asks for results, however a kernel comes to them: rope, or rotate
  // with a given table where it does not form angles. A tier asks for everything.
  std::vector<std::uint32_t> operations(std::begin(kRopeOperations),
                                        std::end(kRopeOperations));
  if (!selection.profile.empty()) operations = {contract.main_operation()};
  ShardPicker picker(selection.shard);
  std::size_t all = 0;
  const std::size_t expected = filter.count(corpus, selection.shard);
  const auto add = [&](const cases::Group& group, const auto& c, Check check) {
    check.case_id = c.id;
    if constexpr (requires { facts_of(c); }) {
      if (check.verdict != Verdict::kUnsupported && !run.facts.contains(c.id)) {
        run.facts.emplace(c.id, facts_of(c));
      }
    }
    for (const std::string& key : c.targets) {
      check.targets.push_back(key + ": " + group.targets.at(key));
    }
    run.checks.push_back(std::move(check));
  };
  const auto add_values = [&](const cases::Group& group, const auto& c,
                              std::uint32_t operation, Check check) {
    check.operation = operation;
    check.dtype = plugin::abi_dtype(c.dtype);
    check.summary = c.comment + " (" + cases::summary(c) + ")";
    add(group, c, std::move(check));
  };
  const auto takes = [&](const cases::Group& group, const std::string& id) {
    ++all;
    if (!filter.takes(group, id) || !picker.takes(id)) return false;
    if (selection.progress) {
      selection.progress(picker.dealt() - 1, expected, id);
    }
    return true;
  };
  for (const cases::Group& group : corpus.groups) {
    for (const cases::RopeCase& c : group.rope_cases) {
      if (!takes(group, c.id)) continue;
      for (const std::uint32_t operation : operations) {
        if (!filter.takes(operation)) continue;
        const bool is_declined = filter.declines(c.id);
        Check values = check_values(kernel, operation, c, is_declined);
        fresh.ask(operation, c, values);
        const bool is_chosen = values.verdict == Verdict::kPass ||
                               values.verdict == Verdict::kDeclined;
        if (is_chosen && !is_declined) {
          const std::string changed = choices.check(
              operation, c,
              values.verdict == Verdict::kPass ? plugin::Outcome::kOk
                                               : plugin::Outcome::kDeclined);
          if (!changed.empty()) values.verdict = Verdict::kFail;
          values.reason += changed;
        }
        add_values(group, c, operation, std::move(values));
        if (selection.values_only || is_declined) continue;
        for (Check& check : contract.of(c, operation)) {
          add_values(group, c, operation, std::move(check));
        }
      }
    }
    for (const cases::PermuteCase& c : group.permute_cases) {
      if (!filter.takes(ROPEPROOF_PERMUTE)) {
        ++all;
      } else if (takes(group, c.id)) {
        add_values(group, c, ROPEPROOF_PERMUTE, run_check(kernel, c));
      }
    }
    if (selection.values_only || !filter.takes(contract.main_operation())) {
      continue;
    }
    for (const cases::RejectCase& c : group.reject_cases) {
      if (takes(group, c.id)) add(group, c, contract.of(c));
    }
    for (const cases::SequenceCase& c : group.sequence_cases) {
      if (takes(group, c.id)) add(group, c, contract.of(c));
    }
  }
  picker.finish(run);
  run.operations = filter.operations();
  // Vectors of one's own, as a search saves them, are no tier.
  const bool has_smoke = std::ranges::any_of(
      corpus.groups,
      [](const cases::Group& group) { return group.tier == "smoke"; });
  run.is_whole_tier = selection.cases.empty() && selection.operations.empty() &&
                      !selection.values_only &&
                      (has_smoke || !selection.profile.empty());
  run.selection = (selection.profile.empty() ? "tier " + selection.tier
                                             : "profile " + selection.profile) +
                  ", " + std::to_string(picker.count()) + " of " +
                  std::to_string(all) + " cases";
  return run;
}

}  // namespace ropeproof::conformance::check
