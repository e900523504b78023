// values.h -- the numbers of a formed case: ordinary ones, ones that show how a
// kernel rounds, and ones that only a copy of their bits keeps.
//
// Everything here is a function of its arguments alone, the same on every
// machine.
#pragma once

#include <cstdint>

#include "conformance/cases/golden.h"
#include "conformance/cases/problem.h"
#include "reference/format.h"
#include "reference/spec.h"

namespace ropeproof::conformance::cover {

enum class Values {
  kRandom,  // of like size (cases/counter_generator.h)
  // Searched, so that kernels that round wrongly leave the bound of one that
  // rounds once, at the end, whatever else that kernel claims:
  //   16 bits  three roundings, truncation, a table in f16 or bf16
  //   f32      a table in f16 or bf16
  //   f64      arithmetic or a table in f32
  // In most pairs one output cancels. Where the angle is zero and m is 1.5 or
  // the like, results are ties: rounding half away from zero errs by as much as
  // half to even, so no bound tells them apart, but level L3 does. Elsewhere y
  // is transcendental, and never a tie.
  kCancelling,
  // 2^-8 to 2^8 times like size; powers of two; zeros. One head in four has a
  // size of its own, as far as every kernel that is right can carry it: up to
  // where (|c| + |s|) (|u| + |v|) and |u| + |v| are half of the largest number
  // (products and sums in any order are finite), and down to where products are
  // not subnormal: 2^-90 in f32 and bf16. In f16, whose products are, 2^-11; in
  // f64 2^-600 to 2^600, whose squares leave it.
  kUnlike,
  // Problem::is_special: pairs with NaNs and infinities beside pairs of
  // subnormal numbers, of the least normal ones, whose products and sums are
  // subnormal, of zeros of either sign, and of ordinary ones.
  kSpecial,
};

// Fills q and k of a problem that has all else, batch rows alike where they are
// broadcast, and sets `is_special`. All but kRandom read cos and sin of
// `tables`.
// Cost: kCancelling 0.3 us an element, the others 15 ns.
void fill_values(cases::Problem& p, const cases::Golden& tables, Values values,
                 std::uint64_t seed);

// Puts numbers that only a copy of their bits keeps into half of the channels
// of no pair: signalling NaNs and NaN payloads, subnormal numbers, infinities,
// -0. A kernel that widens to f32 and rounds back changes them. Every kernel
// has to copy them: they are no special values, since nothing is computed from
// them. Their goldens are their own bits in q and k; what a golden holds there
// is not read. Batch rows that were alike remain so.
void mark_copies(cases::Problem& p, std::uint64_t seed);

// Random weights to permute, one number in eight such as mark_copies() puts.
// Cost: 20 ns an element.
cases::Problem random_permutation(reference::Format dtype,
                                  const reference::Layout& layout,
                                  std::int64_t heads, std::int64_t columns,
                                  std::uint64_t seed);

}  // namespace ropeproof::conformance::cover
