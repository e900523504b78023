// terms.h -- all that can be said of cases by their facts.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "conformance/explain/in_common.h"

namespace ropeproof::conformance::explain {

// A set of cases, one bit each.
using Bits = std::vector<std::uint64_t>;

inline bool is_none(const Bits& a, const Bits& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if ((a[i] & b[i]) != 0) return false;
  }
  return true;
}

inline Bits both(const Bits& a, const Bits& b) {
  Bits result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) result[i] = a[i] & b[i];
  return result;
}

inline int count(const Bits& bits) {
  int sum = 0;
  for (const std::uint64_t word : bits) sum += std::popcount(word);
  return sum;
}

// Terms, and the cases that they hold for together.
struct Candidate {
  std::vector<Term> terms;
  Bits members, others;
};

// Each term that holds for some member, and knows its bits.
std::vector<Candidate> terms_of(const std::vector<Facts>& members,
                                const std::vector<Facts>& others);

}  // namespace ropeproof::conformance::explain
