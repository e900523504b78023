#include "conformance/explain/in_common.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>

#include "conformance/text/format.h"

namespace ropeproof::conformance::explain {
namespace {

using text::format;

// Values of one fact that are compared one by one; more are ranges.
constexpr std::size_t kMostValues = 24;

using Bits = std::vector<std::uint64_t>;

// Terms, and the cases that they hold for together.
struct Candidate {
  std::vector<Term> terms;
  Bits members, others;
};

std::vector<Term> joined(std::vector<Term> a, const std::vector<Term>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::string text_of(const Fact& fact) {
  if (const auto* word = std::get_if<std::string>(&fact)) return *word;
  if (const auto* number = std::get_if<std::int64_t>(&fact)) {
    return std::to_string(*number);
  }
  return format("%.9g", std::get<double>(fact));
}

std::optional<double> number_of(const Fact& fact) {
  if (const auto* number = std::get_if<std::int64_t>(&fact)) {
    return static_cast<double>(*number);
  }
  if (const auto* number = std::get_if<double>(&fact)) return *number;
  return std::nullopt;
}

// Programmers compare with powers of two, their neighbours and small numbers;
// what else there is takes more to say.
double bits_of_number(const Fact& fact) {
  constexpr double kMore = 4;
  const auto number = number_of(fact);
  if (!number || std::abs(*number) <= 8) return 0;
  for (const double near : {*number - 1, *number, *number + 1}) {
    int exponent = 0;
    if (std::abs(std::frexp(near, &exponent)) == 0.5) return 0;
  }
  return kMore;
}

bool is_none(const Bits& a, const Bits& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if ((a[i] & b[i]) != 0) return false;
  }
  return true;
}

Bits both(const Bits& a, const Bits& b) {
  Bits result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) result[i] = a[i] & b[i];
  return result;
}

int count(const Bits& bits) {
  int sum = 0;
  for (const std::uint64_t word : bits) sum += std::popcount(word);
  return sum;
}

class Candidates {
 public:
  Candidates(const std::vector<Facts>& members,
             const std::vector<Facts>& others)
      : members_(members), others_(others) {
    for (const Facts& facts : members) {
      for (const auto& [name, fact] : facts) names_.insert(name);
    }
    // The simplest first.
    for (const bool are_words : {true, false}) {
      for (const std::string& name : names_) add_values(name, are_words);
    }
    for (const std::string& name : names_) {
      if (kind_of(name).owner == Owner::kProblem) {
        add(name, "is given", [](const Fact&) { return true; });
      }
    }
    for (const std::string& name : names_) add_divisors(name);
    for (const std::string& name : names_) add_ranges(name);
    for (const Facts& facts : others) {
      for (const auto& [name, fact] : facts) names_.insert(name);
    }
    for (const std::string& name : names_) {
      if (kind_of(name).owner != Owner::kProblem) continue;
      add({"no " + name + " is given", {kind_of(name)}},
          [name](const Facts& facts) { return !facts.contains(name); });
    }
    add_relation("rotary_dim", "head_dim");
    add_relation("k_heads", "q_heads");
    for (const std::string& name : names_) add_others(name);
    const double bits = std::log2(static_cast<double>(all_.size()));
    for (Candidate& one : all_) one.terms.front().bits += bits;
  }

  const std::vector<Candidate>& all() const { return all_; }

 private:
  using Holds = std::function<bool(const Fact&)>;

  static Bits bits_of(const std::vector<Facts>& list,
                      const std::function<bool(const Facts&)>& holds) {
    Bits bits((list.size() + 63) / 64);
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (holds(list[i])) bits[i / 64] |= std::uint64_t{1} << i % 64;
    }
    return bits;
  }

  void add(Term term, const std::function<bool(const Facts&)>& holds) {
    term.holds = holds;
    Candidate candidate{
        {term}, bits_of(members_, holds), bits_of(others_, holds)};
    if (count(candidate.members) > 0) all_.push_back(std::move(candidate));
  }
  // Of a fact that is there.
  void add(const std::string& name, const std::string& words,
           const Holds& holds, const std::optional<Fact>& is = {},
           double bits = 0) {
    add({.words = name + " " + words,
         .facts = {kind_of(name)},
         .is = is,
         .bits = bits},
        [name, holds](const Facts& facts) {
          const auto found = facts.find(name);
          return found != facts.end() && holds(found->second);
        });
  }

  static std::set<Fact> values_of(const std::vector<Facts>& list,
                                  const std::string& name) {
    std::set<Fact> values;
    for (const Facts& facts : list) {
      const auto found = facts.find(name);
      if (found != facts.end()) values.insert(found->second);
    }
    return values;
  }

  void add_values(const std::string& name, bool are_words) {
    const std::set<Fact> values = values_of(members_, name);
    // What counts no loop, a product, is compared by ranges.
    const auto [owner, subject] = kind_of(name);
    const bool is_measure =
        owner != Owner::kProblem && subject == Subject::kOther && !are_words;
    if (is_measure || values.size() > kMostValues) return;
    for (const Fact& value : values) {
      if (std::holds_alternative<std::string>(value) != are_words) continue;
      add(
          name, "is " + text_of(value),
          [value](const Fact& fact) { return fact == value; }, value,
          bits_of_number(value));
    }
  }

  void add_divisors(const std::string& name) {
    for (const std::int64_t divisor : {2, 4, 8, 16, 32, 64, 128}) {
      if (divisor == 2) {
        add(name, "is even", [](const Fact& fact) {
          const auto* number = std::get_if<std::int64_t>(&fact);
          return number != nullptr && *number % 2 == 0;
        });
      }
      add(name,
          divisor == 2 ? "is odd"
                       : "is no multiple of " + std::to_string(divisor),
          [divisor](const Fact& fact) {
            const auto* number = std::get_if<std::int64_t>(&fact);
            return number != nullptr && *number % divisor != 0;
          });
    }
  }

  // Beyond a value that another case has.
  void add_ranges(const std::string& name) {
    const auto numbers_of = [&](const std::vector<Facts>& list) {
      std::set<double> numbers;
      for (const Fact& fact : values_of(list, name)) {
        if (const auto number = number_of(fact)) numbers.insert(*number);
      }
      return numbers;
    };
    const std::set<double> own = numbers_of(members_),
                           others = numbers_of(others_);
    std::set<double> limits = others;
    if (limits.size() > kMostValues) {
      // Limits of programs are powers of two, or one less; or what is nearest
      // to the members.
      limits = {*others.begin(), *others.rbegin()};
      for (double power = 1; power <= 0x1p40; power *= 2) {
        for (const double limit : {power - 1, power}) {
          if (others.contains(limit)) limits.insert(limit);
        }
      }
      const auto least = others.lower_bound(own.empty() ? 0 : *own.begin());
      if (least != others.begin()) limits.insert(*std::prev(least));
      const auto most = others.upper_bound(own.empty() ? 0 : *own.rbegin());
      if (most != others.end()) limits.insert(*most);
    }
    for (const double limit : limits) {
      for (const bool is_above : {true, false}) {
        add(
            name, (is_above ? "> " : "< ") + format("%.9g", limit),
            [is_above, limit](const Fact& fact) {
              const auto number = number_of(fact);
              return number && (is_above ? *number > limit : *number < limit);
            },
            {}, bits_of_number(limit));
      }
    }
  }

  // Not as the others; absent counts, too.
  void add_others(const std::string& name) {
    const std::set<Fact> values = values_of(others_, name);
    if (values.size() > kMostValues) return;
    for (const Fact& value : values) {
      add(
          name, "is not " + text_of(value),
          [value](const Fact& fact) { return fact != value; }, {},
          bits_of_number(value));
    }
  }

  void add_relation(const std::string& a, const std::string& b) {
    add({a + " is not " + b, {kind_of(a), kind_of(b)}},
        [a, b](const Facts& facts) {
          const auto x = facts.find(a), y = facts.find(b);
          return x != facts.end() && y != facts.end() && x->second != y->second;
        });
  }

  const std::vector<Facts>&members_, &others_;
  std::set<std::string> names_;
  std::vector<Candidate> all_;
};

// Conditions that together hold for no other and for many of `left`, each the
// one that tells most: FOIL's gain, the members that it keeps times the bits by
// which a member among what it keeps is less of a surprise. No terms: too many
// are needed.
Candidate several(const std::vector<Candidate>& all, const Bits& left,
                  std::size_t others) {
  constexpr int kMostAtOnce = 6;
  Candidate found{{}, left, Bits((others + 63) / 64, ~std::uint64_t{0})};
  double members = count(left), rest = static_cast<double>(others);
  for (int i = 0; i < kMostAtOnce; ++i) {
    const Candidate* next = nullptr;
    double most = 0;
    for (const Candidate& one : all) {
      const double kept = count(both(one.members, found.members));
      const double wrong = count(both(one.others, found.others));
      const double gain = kept == 0
                              ? 0
                              : kept * (std::log2(kept / (kept + wrong)) -
                                        std::log2(members / (members + rest)));
      if (gain <= most) continue;
      most = gain;
      next = &one;
    }
    if (next == nullptr) break;
    found.terms = joined(std::move(found.terms), next->terms);
    found.members = both(found.members, next->members);
    found.others = both(found.others, next->others);
    members = count(found.members);
    rest = count(found.others);
    if (rest == 0) return found;
  }
  return {};
}

// The candidate that parts most of `left` from the others; no terms: none.
Candidate best(const std::vector<Candidate>& all, const Bits& left,
               std::size_t others) {
  Candidate found;
  int most = 0;
  const auto offer = [&](const Bits& members, const auto& terms) {
    const int explained = count(both(members, left));
    if (explained <= most) return;
    most = explained;
    found = {terms(), members, {}};
  };
  for (const Candidate& one : all) {
    if (count(one.others) == 0) {
      offer(one.members, [&] { return one.terms; });
    }
  }
  const int wanted = count(left);
  for (std::size_t i = 0; i < all.size() && most < wanted; ++i) {
    if (count(both(all[i].members, left)) <= most) continue;
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      if (!is_none(all[i].others, all[j].others)) continue;
      offer(both(all[i].members, all[j].members),
            [&] { return joined(all[i].terms, all[j].terms); });
    }
  }
  if (most == wanted) return found;
  const Candidate more = several(all, left, others);
  if (!more.terms.empty()) offer(more.members, [&] { return more.terms; });
  return found;
}

}  // namespace

std::vector<Condition> in_common(const std::vector<Facts>& members,
                                 const std::vector<Facts>& others) {
  std::vector<Condition> conditions;
  if (members.empty()) return conditions;
  if (others.empty()) {
    Condition& all = conditions.emplace_back();
    all.terms = {
        {.words = "every case", .holds = [](const Facts&) { return true; }}};
    for (std::size_t i = 0; i < members.size(); ++i) all.members.push_back(i);
    return conditions;
  }
  const Candidates candidates(members, others);
  Bits left((members.size() + 63) / 64);
  for (std::size_t i = 0; i < members.size(); ++i) {
    left[i / 64] |= std::uint64_t{1} << i % 64;
  }
  while (count(left) > 0) {
    Candidate chosen = best(candidates.all(), left, others.size());
    if (chosen.terms.empty()) chosen.members = left;
    Condition condition{std::move(chosen.terms), {}};
    for (std::size_t i = 0; i < members.size(); ++i) {
      const std::uint64_t bit = std::uint64_t{1} << i % 64;
      if ((left[i / 64] & chosen.members[i / 64] & bit) == 0) continue;
      condition.members.push_back(i);
      left[i / 64] &= ~bit;
    }
    conditions.push_back(std::move(condition));
  }
  return conditions;
}

std::string Condition::words() const {
  std::string text;
  for (const Term& term : terms) {
    text += (text.empty() ? "" : " and ") + term.words;
  }
  return text;
}

bool Condition::holds(const Facts& facts) const {
  return std::ranges::all_of(
      terms, [&](const Term& term) { return term.holds(facts); });
}

}  // namespace ropeproof::conformance::explain
