#include "conformance/explain/in_common.h"

#include <cmath>
#include <cstdint>

#include "conformance/explain/terms.h"

namespace ropeproof::conformance::explain {
namespace {

std::vector<Term> joined(std::vector<Term> a, const std::vector<Term>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// What holds where all of these do, of `left`.
Candidate all_of(const std::vector<const Candidate*>& some, const Bits& left,
                 std::size_t others) {
  Candidate all{{}, left, Bits((others + 63) / 64, ~std::uint64_t{0})};
  for (const Candidate* one : some) {
    all.terms = joined(std::move(all.terms), one->terms);
    all.members = both(all.members, one->members);
    all.others = both(all.others, one->others);
  }
  return all;
}

// Without those, of the last first, that no other needs to be parted by.
Candidate minimal(std::vector<const Candidate*> some, const Bits& left,
                  std::size_t others) {
  for (std::size_t i = some.size(); i-- > 0;) {
    const Candidate* const one = some[i];
    const auto at = some.begin() + static_cast<std::ptrdiff_t>(i);
    some.erase(at);
    if (count(all_of(some, left, others).others) == 0) continue;
    some.insert(some.begin() + static_cast<std::ptrdiff_t>(i), one);
  }
  return all_of(some, left, others);
}

// Conditions that together hold for no other and for many of `left`, each the
// one that tells most: FOIL's gain, the members that it keeps times the bits by
// which a member among what it keeps is less of a surprise. No terms: too many
// are needed.
Candidate several(const std::vector<Candidate>& all, const Bits& left,
                  std::size_t others) {
  constexpr int kMostAtOnce = 6;
  Candidate found = all_of({}, left, others);
  double members = count(left), rest = static_cast<double>(others);
  std::vector<const Candidate*> chosen;
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
    chosen.push_back(next);
    found = all_of(chosen, left, others);
    members = count(found.members);
    rest = count(found.others);
    if (rest == 0) return minimal(std::move(chosen), left, others);
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
                                 const std::vector<Facts>& others,
                                 std::size_t most) {
  std::vector<Condition> conditions;
  if (members.empty()) return conditions;
  if (others.empty()) {
    Condition& all = conditions.emplace_back();
    all.terms = {
        {.words = "every case", .holds = [](const Facts&) { return true; }}};
    for (std::size_t i = 0; i < members.size(); ++i) all.members.push_back(i);
    return conditions;
  }
  const std::vector<Candidate> candidates = terms_of(members, others);
  Bits left((members.size() + 63) / 64);
  for (std::size_t i = 0; i < members.size(); ++i) {
    left[i / 64] |= std::uint64_t{1} << i % 64;
  }
  while (count(left) > 0 && conditions.size() < most) {
    Candidate chosen = best(candidates, left, others.size());
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

}  // namespace ropeproof::conformance::explain
