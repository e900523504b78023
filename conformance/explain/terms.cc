#include "conformance/explain/terms.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "conformance/text/format.h"

namespace ropeproof::conformance::explain {
namespace {

using text::format;

// Values of one fact that are compared one by one; more are ranges.
constexpr std::size_t kMostValues = 24;

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

// The roundest number of a range of whole numbers, or of any positive ones: a
// multiple of the largest power of two, unless one of ten has fewer digits.
double roundest(double least, double most, bool are_whole) {
  const auto multiple = [&](double base) {
    for (double step =
             std::pow(base, std::floor(std::log2(most) / std::log2(base)));
         step >= (are_whole ? 1 : 0x1p-40); step /= base) {
      const double first = std::ceil(least / step) * step;
      if (first <= most) return std::pair(first, first / step);
    }
    return std::pair(least, 0x1p40);
  };
  if (!(least > 0) || !(least < most)) return least;
  const auto [binary, odd] = multiple(2);
  const auto [decimal, digits] = multiple(10);
  return odd > 7 && digits < 10 ? decimal : binary;
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
    add_relation("rotary_dim", " is not ", "head_dim", std::not_equal_to());
    add_relation("k_heads", " is not ", "q_heads", std::not_equal_to());
    add_relation("k_heads", " > ", "q_heads", std::greater());
    for (const std::string& name : names_) add_others(name);
    for (const std::string& name : names_) add_remainders(name);
    for (const Loop& loop : kLoops) add_tails(loop);
    const double bits = std::log2(static_cast<double>(all_.size()));
    for (Candidate& one : all_) one.terms.front().bits += bits;
  }

  std::vector<Candidate> all() && { return std::move(all_); }

 private:
  using Holds = std::function<bool(const Fact&)>;

  template <class List, class Is>
  static Bits bits_of(const List& list, const Is& is) {
    Bits bits((list.size() + 63) / 64);
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (is(list[i])) bits[i / 64] |= std::uint64_t{1} << i % 64;
    }
    return bits;
  }

  void add(Term term, Bits members, Bits others) {
    if (count(members) == 0) return;
    all_.push_back({{std::move(term)}, std::move(members), std::move(others)});
  }
  void add(Term term, const std::function<bool(const Facts&)>& holds) {
    term.holds = holds;
    add(std::move(term), bits_of(members_, holds), bits_of(others_, holds));
  }

  // A fact of each of some cases, null where one has none, and its values.
  struct Column {
    std::vector<const Fact*> facts;
    std::set<Fact> values;

    Column(const std::vector<Facts>& list, const std::string& name) {
      for (const Facts& all : list) {
        const auto found = all.find(name);
        facts.push_back(found == all.end() ? nullptr : &found->second);
        if (facts.back() != nullptr) values.insert(*facts.back());
      }
    }
  };
  struct Columns {
    Column members, others;
  };
  const Columns& columns(const std::string& name) {
    const auto found = columns_.find(name);
    if (found != columns_.end()) return found->second;
    return columns_.emplace(name, Columns{{members_, name}, {others_, name}})
        .first->second;
  }
  // Of a fact that is there.
  void add(const std::string& name, const std::string& words,
           const Holds& holds, const std::optional<Fact>& is = {},
           double bits = 0) {
    const auto is_held = [&](const Fact* fact) {
      return fact != nullptr && holds(*fact);
    };
    const auto& [own, rest] = columns(name);
    const Bits members = bits_of(own.facts, is_held);
    if (count(members) == 0) return;
    add({.words = name + " " + words,
         .facts = {kind_of(name)},
         .is = is,
         .holds =
             [name, holds](const Facts& facts) {
               const auto found = facts.find(name);
               return found != facts.end() && holds(found->second);
             },
         .bits = bits},
        members, bits_of(rest.facts, is_held));
  }

  void add_values(const std::string& name, bool are_words) {
    const std::set<Fact>& values = columns(name).members.values;
    // What counts no loop, a product, is compared by ranges.
    const auto [owner, subject] = kind_of(name);
    const bool is_loop =
        subject == Subject::kPairs || subject == Subject::kTokens ||
        subject == Subject::kBatchRows || subject == Subject::kHeads;
    const bool is_measure = owner != Owner::kProblem && !is_loop && !are_words;
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
    double largest = 0;
    const auto& [own, rest] = columns(name);
    for (const Column* column : {&own, &rest}) {
      for (const Fact& fact : column->values) {
        largest = std::max(largest, std::abs(number_of(fact).value_or(0)));
      }
    }
    for (const std::int64_t divisor : {2, 4, 8, 16, 32, 64, 128}) {
      // No number but 0 is a multiple of a divisor above all of them.
      if (static_cast<double>(divisor) > largest) {
        add(name, "> 0",
            [](const Fact& fact) { return number_of(fact).value_or(0) > 0; });
        break;
      }
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

  // What all members leave when they are divided.
  void add_remainders(const std::string& name) {
    const std::set<Fact>& values = columns(name).members.values;
    const auto rest = [](const Fact& fact, std::int64_t by) {
      const auto* number = std::get_if<std::int64_t>(&fact);
      return number == nullptr ? -1 : (*number % by + by) % by;
    };
    if (values.size() < 2) return;
    for (const std::int64_t by :
         {3,  4,  5,  6,   7,   8,   10,  12,   16,   24,   32,
          48, 64, 96, 100, 128, 256, 512, 1000, 1024, 4096, 65536}) {
      const std::int64_t left = rest(*values.begin(), by);
      if (left < 0 || !std::ranges::all_of(values, [&](const Fact& fact) {
            return rest(fact, by) == left;
          })) {
        continue;
      }
      add(
          name,
          left == 0
              ? "is a multiple of " + std::to_string(by)
              : "modulo " + std::to_string(by) + " is " + std::to_string(left),
          [rest, by, left](const Fact& fact) { return rest(fact, by) == left; },
          {}, left == 0 ? 0 : std::log2(static_cast<double>(by)));
    }
  }

  // A loop over `index`: as many as `count`, or `behind` more of them.
  struct Loop {
    const char *index, *behind, *count;
  };
  static constexpr Loop kLoops[] = {
      {"index of the batch row", "batch rows behind it", nullptr},
      {"index of the token", "tokens behind it", nullptr},
      {"index of the head", "heads behind it", nullptr},
      {"index of the pair", "pairs behind it", nullptr},
      {"rows before it", nullptr, "batch x seq"},
      {"rows x heads before it", nullptr, "batch x seq x heads"}};

  // What whole tiles of a loop leave.
  void add_tails(const Loop& loop) {
    const char* const other = loop.count != nullptr ? loop.count : loop.behind;
    const auto is_behind = [=](const Fact* at, const Fact* of,
                               std::int64_t tile) {
      const auto* index = at ? std::get_if<std::int64_t>(at) : nullptr;
      const auto* rest = of ? std::get_if<std::int64_t>(of) : nullptr;
      if (index == nullptr || rest == nullptr) return false;
      const std::int64_t count =
          loop.count != nullptr ? *rest : *index + 1 + *rest;
      return *index >= 0 && count > *index && *index >= count - count % tile;
    };
    const auto& [own_index, rest_index] = columns(loop.index);
    const auto& [own_other, rest_other] = columns(other);
    for (const std::int64_t tile :
         {2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256}) {
      const auto bits = [&](const Column& at, const Column& of) {
        std::vector<std::size_t> numbers(at.facts.size());
        std::iota(numbers.begin(), numbers.end(), std::size_t{0});
        return bits_of(numbers, [&](std::size_t i) {
          return is_behind(at.facts[i], of.facts[i], tile);
        });
      };
      add({.words = std::string(loop.index) + " is behind whole tiles of " +
                    std::to_string(tile),
           .facts = {kind_of(loop.index)},
           .holds =
               [=](const Facts& facts) {
                 const auto at = facts.find(loop.index), of = facts.find(other);
                 return at != facts.end() && of != facts.end() &&
                        is_behind(&at->second, &of->second, tile);
               }},
          bits(own_index, own_other), bits(rest_index, rest_other));
    }
  }

  // Beyond a value that another case has.
  void add_ranges(const std::string& name) {
    const auto numbers_of = [](const Column& column) {
      std::set<double> numbers;
      for (const Fact& fact : column.values) {
        if (const auto number = number_of(fact)) numbers.insert(*number);
      }
      return numbers;
    };
    const std::set<double> own = numbers_of(columns(name).members),
                           others = numbers_of(columns(name).others);
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
    const bool are_whole =
        std::ranges::all_of(own, [](double x) { return x == std::floor(x); });
    const auto beside = [&](double x, double towards) {
      return are_whole ? x + std::copysign(1.0, towards)
                       : std::nextafter(x, towards);
    };
    constexpr double kFar = std::numeric_limits<double>::infinity();
    constexpr double kSmall = 8;  // as round as any
    for (const double other : limits) {
      for (const bool is_above : {true, false}) {
        // Any number up to the next member parts as well.
        double limit = other;
        const auto next =
            is_above ? own.upper_bound(other) : own.lower_bound(other);
        if (are_whole && other <= kSmall) {
          limit = other;
        } else if (is_above && next != own.end()) {
          limit = roundest(other, beside(*next, -kFar), are_whole);
        } else if (!is_above && next != own.begin() && *std::prev(next) > 0) {
          limit = roundest(beside(*std::prev(next), kFar), other, are_whole);
        }
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
    const std::set<Fact>& values = columns(name).others.values;
    if (values.size() > kMostValues) return;
    for (const Fact& value : values) {
      if (std::holds_alternative<double>(value)) continue;  // no size or index
      add(
          name, "is not " + text_of(value),
          [value](const Fact& fact) { return fact != value; }, {},
          bits_of_number(value));
    }
  }

  template <class Is>
  void add_relation(const std::string& a, const char* words,
                    const std::string& b, Is is) {
    add({a + words + b, {kind_of(a), kind_of(b)}}, [=](const Facts& facts) {
      const auto x = facts.find(a), y = facts.find(b);
      return x != facts.end() && y != facts.end() && is(x->second, y->second);
    });
  }

  const std::vector<Facts>&members_, &others_;
  std::set<std::string> names_;
  std::map<std::string, Columns> columns_;
  std::vector<Candidate> all_;
};

}  // namespace

std::vector<Candidate> terms_of(const std::vector<Facts>& members,
                                const std::vector<Facts>& others) {
  return Candidates(members, others).all();
}

}  // namespace ropeproof::conformance::explain
