#include "conformance/explain/rule.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "conformance/explain/terms.h"

namespace ropeproof::conformance::explain {
namespace {

std::vector<Facts> facts_of(const std::vector<Sighting>& list) {
  std::vector<Facts> facts;
  for (const Sighting& one : list) facts.push_back(one.facts);
  return facts;
}

Rule rule_by(Place::Kind kind, const Condition& one) {
  Rule rule{{kind, one.words()}, one.terms};
  for (const Term& term : one.terms) {
    std::ranges::copy(term.facts, std::back_inserter(rule.place.facts));
  }
  return rule;
}

Rule formed(const std::vector<Sighting>& members,
            const std::vector<Sighting>& others) {
  const auto found = in_common(facts_of(members), facts_of(others), 1);
  if (found.empty()) return {};
  const bool is_of_all = found[0].members.size() == members.size();
  return is_of_all && !found[0].terms.empty()
             ? rule_by(Place::Kind::kRule, found[0])
             : Rule{{Place::Kind::kNoSimpleRule}, {}};
}

Rule none(Rule rule) {
  return {{Place::Kind::kNoSimpleRule}, std::move(rule.terms)};
}

bool hold(const std::vector<Term>& terms, const Facts& facts) {
  return !terms.empty() && std::ranges::all_of(terms, [&](const Term& term) {
    return term.holds(facts);
  });
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

// Whether the terms take fewer bits than they save.
bool is_supported(const Rule& rule, const std::vector<Sighting>& members,
                  const std::vector<Sighting>& others) {
  const Weights weights(members, others);
  double bits = 0;
  for (const Term& term : rule.terms) bits += term.bits;
  return bits_of_list(weights.of(answers_of(members), true),
                      weights.of(answers_of(others), false)) >= bits;
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
    for (const Sighting& one : half(members, !second))
      missed += hold(rule.terms, one.facts) ? 0 : 1;
    for (const Sighting& one : half(others, !second))
      spoilt += hold(rule.terms, one.facts) ? 1 : 0;
  }
  return missed <= kMostMissed * static_cast<double>(members.size()) &&
         spoilt <= kMostSpoilt * static_cast<double>(others.size());
}

// The one of two terms by which what is struck is least of a surprise, if it is
// far less of one: the terms that hold for all of it, though they may hold for
// what is spared, too.
class Within {
 public:
  Within(const std::vector<Sighting>& members,
         const std::vector<Sighting>& others) {
    std::map<std::size_t, std::size_t> numbers;
    for (const auto* list : {&members, &others}) {
      for (const Sighting& one : *list) {
        const std::size_t number =
            numbers.emplace(one.answer, numbers.size()).first->second;
        if (list == &others) answers_.push_back(number);
        is_struck_.resize(numbers.size());
        if (list == &members) is_struck_[number] = true;
      }
    }
    count_ = numbers.size();
    std::vector<Candidate> all = terms_of(facts_of(members), facts_of(others));
    std::set<std::pair<Bits, Bits>> unlike;
    for (const Candidate& one : all) unlike.emplace(one.members, one.others);
    // Terms that say the same here are one for chance to choose.
    const double alike = std::log2(static_cast<double>(all.size())) -
                         std::log2(static_cast<double>(unlike.size()));
    for (Candidate& one : all) {
      if (static_cast<std::size_t>(count(one.members)) != members.size()) {
        continue;
      }
      one.terms.front().bits -= alike;
      all_.push_back(std::move(one));
    }
  }

  Rule rule() const {
    constexpr int kMostTerms = 2;
    Condition found;
    std::vector<bool> is_in(answers_.size(), true);
    for (int i = 0; i < kMostTerms; ++i) {
      const Candidate* const next = best(is_in);
      if (next == nullptr) break;
      bool says_all = true;  // "> 0" says nothing beside "> 6"
      for (std::size_t k = 0; k < is_in.size(); ++k) {
        says_all = says_all && (is_in[k] || !holds(*next, k));
        is_in[k] = is_in[k] && holds(*next, k);
      }
      if (says_all) found.terms.clear();
      found.terms.push_back(next->terms.front());
    }
    return rule_by(
        found.terms.empty() ? Place::Kind::kNoSimpleRule : Place::Kind::kWithin,
        found);
  }

 private:
  static bool holds(const Candidate& one, std::size_t other) {
    return (one.others[other / 64] >> other % 64 & 1) != 0;
  }

  const Candidate* best(const std::vector<bool>& is_in) const {
    constexpr double kSpare = 5;  // a chance of 1 in 32, before it is confirmed
    const Candidate* found = nullptr;
    double most = kSpare;
    for (const Candidate& one : all_) {
      const double bits = saved(one, is_in) - one.terms.front().bits;
      const auto size = one.terms.front().words.size();
      const bool is_simpler = found != nullptr && bits == most &&
                              size < found->terms.front().words.size();
      if (bits <= most && !is_simpler) continue;
      most = bits;
      found = &one;
    }
    return found;
  }

  // The bits that it saves in a list of what is struck. An answer counts once
  // where the term holds and once where it does not.
  double saved(const Candidate& one, const std::vector<bool>& is_in) const {
    std::vector<bool> inside(count_), outside(count_);
    for (std::size_t k = 0; k < answers_.size(); ++k) {
      if (is_in[k]) (holds(one, k) ? inside : outside)[answers_[k]] = true;
    }
    double struck = 0, spared = 0, elsewhere = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      struck += is_struck_[i] ? 1 : 0;
      spared += inside[i] && !is_struck_[i] ? 1 : 0;
      elsewhere += outside[i] ? 1 : 0;
    }
    // What excludes little says little.
    if (3 * elsewhere < spared) return 0;
    return bits_of_list(struck, spared + elsewhere) -
           bits_of_list(struck, spared);
  }

  std::size_t count_ = 0;             // answers
  std::vector<bool> is_struck_;       // of each
  std::vector<std::size_t> answers_;  // by number, of each that is spared
  std::vector<Candidate> all_;
};

}  // namespace

bool Rule::holds(const Facts& facts) const {
  return place.kind == Place::Kind::kEverywhere || hold(terms, facts);
}

Rule rule_of(const std::vector<Sighting>& members,
             const std::vector<Sighting>& others) {
  if (members.empty() || others.empty()) return {};
  Rule rule = formed(members, others);
  if (rule.place.kind == Place::Kind::kRule &&
      is_supported(rule, members, others) && is_confirmed(members, others)) {
    return rule;
  }
  Rule within = Within(members, others).rule();
  if (within.place.kind == Place::Kind::kWithin) return within;
  return none(std::move(rule));
}

Rule confirmed_rule(Seen seen, bool is_shown,
                    const std::function<Seen(int round, const Rule&)>& fresh) {
  Rule rule = rule_of(seen.struck, seen.spared);
  for (int round = 0; round < kRounds; ++round) {
    const Place::Kind kind = rule.place.kind;
    const bool is_within = kind == Place::Kind::kWithin;
    // More answers may show one; but not more and more.
    const bool has_none = kind == Place::Kind::kNoSimpleRule;
    if (has_none && round > 0) return rule;
    Seen asked = fresh(round, rule);
    if (asked.struck.empty() && asked.spared.empty()) {
      return is_within ? none(std::move(rule)) : rule;
    }
    const auto holds = [&](const Sighting& one) {
      return rule.holds(one.facts);
    };
    is_shown = is_shown || asked.has_both();
    const bool are_sides_shown =
        is_within
            ? !asked.struck.empty() && !std::ranges::all_of(asked.spared, holds)
            : (is_shown || kind == Place::Kind::kEverywhere) &&
                  std::ranges::none_of(asked.spared, holds);
    if (!has_none && are_sides_shown &&
        std::ranges::all_of(asked.struck, holds)) {
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
  return none(std::move(rule));
}

}  // namespace ropeproof::conformance::explain
