#include "conformance/explain/rule.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace ropeproof::conformance::explain {
namespace {

std::vector<Facts> facts_of(const std::vector<Sighting>& list) {
  std::vector<Facts> facts;
  for (const Sighting& one : list) facts.push_back(one.facts);
  return facts;
}

Rule formed(const std::vector<Sighting>& members,
            const std::vector<Sighting>& others) {
  constexpr std::size_t kMostConditions = 2;
  Rule rule{{}, in_common(facts_of(members), facts_of(others))};
  for (const Condition& condition : rule.conditions) {
    if (condition.terms.empty() || rule.conditions.size() > kMostConditions) {
      return {{Place::Kind::kNoSimpleRule, ""}, {}};
    }
    rule.place.kind = Place::Kind::kRule;
    rule.place.rule +=
        (rule.place.rule.empty() ? "" : "; or where ") + condition.words();
  }
  return rule;
}

// How much each answer counts: one that has both kinds, for a few of its own.
class Weights {
 public:
  Weights(const std::vector<Sighting>& members,
          const std::vector<Sighting>& others) {
    for (const Sighting& one : members) ++counts_[one.answer].first;
    for (const Sighting& one : others) ++counts_[one.answer].second;
  }
  double of(const std::set<std::size_t>& answers, bool are_members) const {
    constexpr int kMost = 4;
    double sum = 0;
    for (const std::size_t answer : answers) {
      const auto& [own, other] = counts_.at(answer);
      const int count = are_members ? own : other;
      sum += own > 0 && other > 0 ? std::min(count, kMost) : 1;
    }
    return sum;
  }

 private:
  std::map<std::size_t, std::pair<int, int>> counts_;
};

std::set<std::size_t> answers_of(const std::vector<Sighting>& list) {
  std::set<std::size_t> answers;
  for (const Sighting& one : list) answers.insert(one.answer);
  return answers;
}

// Bits that say which of `count` and `rest` together are the former: log2 of
// the ways to choose them.
double bits_of_list(double count, double rest) {
  constexpr double kBitsOfNat = 1.4426950408889634;  // 1 / ln 2
  return kBitsOfNat * (std::lgamma(count + rest + 1) - std::lgamma(count + 1) -
                       std::lgamma(rest + 1));
}

// Whether the bits that each condition takes are fewer than those that it
// saves.
bool is_supported(const Rule& rule, const std::vector<Sighting>& members,
                  const std::vector<Sighting>& others) {
  const Weights weights(members, others);
  const double rest = weights.of(answers_of(others), false);
  return std::ranges::all_of(rule.conditions, [&](const Condition& one) {
    std::set<std::size_t> own;
    for (const std::size_t i : one.members) own.insert(members[i].answer);
    const double count = weights.of(own, true);
    double bits = 0;
    for (const Term& term : one.terms) bits += term.bits;
    return bits_of_list(count, rest) >= bits;
  });
}

// Whether what is formed of each half of the answers holds for the other.
bool is_confirmed(const std::vector<Sighting>& members,
                  const std::vector<Sighting>& others) {
  constexpr std::size_t kFewest = 6, kFewestOthers = 2 * kFewest;
  // Chosen, not derived: a right threshold lies elsewhere between the values of
  // each half, and so misses or spoils some of the other half's answers. A rule
  // by chance has no reason to hold there.
  constexpr double kMostMissed = 0.25, kMostSpoilt = 0.1;
  const std::set<std::size_t> with_members = answers_of(members);
  if (with_members.size() < kFewest ||
      answers_of(others).size() < kFewestOthers) {
    return true;  // a half says nothing
  }
  std::map<std::size_t, bool> is_second;
  for (const auto& answers : {with_members, answers_of(others)}) {
    bool next = false;
    for (const std::size_t answer : answers) {
      if (is_second.emplace(answer, next).second) next = !next;
    }
  }
  const auto half = [&](const std::vector<Sighting>& list, bool second) {
    std::vector<Sighting> some;
    std::ranges::copy_if(
        list, std::back_inserter(some),
        [&](const Sighting& one) { return is_second[one.answer] == second; });
    return some;
  };
  double missed = 0, spoilt = 0;
  for (const bool second : {false, true}) {
    const Rule rule = formed(half(members, second), half(others, second));
    const auto holds = [&](const Sighting& one) {
      return std::ranges::any_of(rule.conditions, [&](const Condition& c) {
        return c.holds(one.facts);
      });
    };
    for (const Sighting& one : half(members, !second))
      missed += holds(one) ? 0 : 1;
    for (const Sighting& one : half(others, !second))
      spoilt += holds(one) ? 1 : 0;
  }
  return missed <= kMostMissed * static_cast<double>(members.size()) &&
         spoilt <= kMostSpoilt * static_cast<double>(others.size());
}

}  // namespace

bool Rule::holds(const Facts& facts) const {
  return place.kind == Place::Kind::kEverywhere ||
         std::ranges::any_of(
             conditions, [&](const Condition& c) { return c.holds(facts); });
}

Rule rule_of(const std::vector<Sighting>& members,
             const std::vector<Sighting>& others) {
  if (others.empty()) return {};
  Rule rule = formed(members, others);
  if (rule.place.kind != Place::Kind::kRule ||
      (is_supported(rule, members, others) && is_confirmed(members, others))) {
    return rule;
  }
  return {{Place::Kind::kNoSimpleRule, ""}, std::move(rule.conditions)};
}

Rule confirmed_rule(Seen seen, bool is_shown,
                    const std::function<Seen(int round, const Rule&)>& fresh) {
  Rule rule = rule_of(seen.struck, seen.spared);
  for (int round = 0; round < kRounds; ++round) {
    const Place::Kind kind = rule.place.kind;
    if (kind == Place::Kind::kNoSimpleRule) return rule;
    Seen asked = fresh(round, rule);
    if (asked.struck.empty() && asked.spared.empty()) return rule;
    const auto holds = [&](const Sighting& one) {
      return rule.holds(one.facts);
    };
    is_shown = is_shown || asked.has_both();
    if (std::ranges::all_of(asked.struck, holds) &&
        std::ranges::none_of(asked.spared, holds) &&
        (is_shown || kind == Place::Kind::kEverywhere)) {
      return rule;
    }
    // Answers of different rounds are different ones.
    const auto add = [&](std::vector<Sighting>& to,
                         std::vector<Sighting>& some) {
      for (Sighting& one : some) {
        one.answer += static_cast<std::size_t>(round + 1) << 32;
        to.push_back(std::move(one));
      }
    };
    add(seen.struck, asked.struck), add(seen.spared, asked.spared);
    rule = rule_of(seen.struck, seen.spared);
  }
  return {{Place::Kind::kNoSimpleRule, ""}, std::move(rule.conditions)};
}

}  // namespace ropeproof::conformance::explain
