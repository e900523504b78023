// core_families.h -- the core tier, systematically: every family over the
// dtypes, pairings, windows and memory layouts that it concerns.
//
// What is the same everywhere: shapes unequal on every axis, positions neither
// equal nor monotone nor the same in two batch rows, values random to the last
// bit. What a family adds is said in its group's description. Sizes are as
// small as the bugs allow: a case is data that everybody downloads.
#ifndef ROPEPROOF_CONFORMANCE_CASES_CORE_CORE_FAMILIES_H_
#define ROPEPROOF_CONFORMANCE_CASES_CORE_CORE_FAMILIES_H_

#include <string>
#include <vector>

#include "conformance/cases/case.h"

namespace ropeproof::conformance::cases {

// Layout: where the pairs are.
Group core_rich();     // windows, unequal sizes, irregular positions, two bases
Group core_zero();     // position 0, where the amplitude is alone
Group core_unit();     // unit vectors: the matrix, column by column
Group core_layouts();  // pair distances, blocks, odd offsets
Group core_dims();     // every awkward rotary_dim

// Memory and shapes.
Group core_decode();  // one token per batch row
Group core_memory();  // in place and strided
Group core_heads();   // numbers of heads of q and k
Group core_sizes();   // empty tensors, many rows, positions beyond 32 bits
Group core_wide();    // many heads, many pairs, many tokens

// Positions.
Group core_boundaries();  // both sides of every power of two that matters
Group core_far();         // the pairs of large models, far out
Group core_coverage();    // every pair index at every power of two
Group core_axes();        // M-RoPE, grids, packed and real positions

// Frequencies and directions.
Group core_scalings();
Group core_adjoint();

// Values.
Group core_values();   // next to powers of two, cancelling, of unlike size
Group core_special();  // NaN, infinities, subnormals, signed zeros, overflow

// The findings of vectors/sources/hard_to_round.json, given as its text. Throws
// VectorError naming `file`.
Group core_hard(const std::string& source_text, const std::string& file);

// Cases of the other types.
Group core_permute();
Group core_reject();
Group core_calls();

// All of them but core_hard, in the order of this list.
std::vector<Group> core_families();

}  // namespace ropeproof::conformance::cases

#endif  // ROPEPROOF_CONFORMANCE_CASES_CORE_CORE_FAMILIES_H_
