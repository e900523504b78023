// families.h -- which cases exist: their inputs, without their goldens.
//
// A family chooses inputs such that they catch a group of bugs. Common to all
// of them: shapes unequal on every axis; positions neither equal nor monotone
// nor the same in two batch rows, odd and next to powers of two, because round
// numbers hide errors (positions 300, 512, 4096 are exact in bf16; 257 is not);
// values random to the last bit. What a family adds is said in its group's
// description. Sizes are as small as the bugs allow: a case of the smoke and
// core tiers is data that everybody downloads.
#pragma once

#include <string>
#include <vector>

#include "conformance/cases/case.h"

namespace ropeproof::conformance::cases {

// The smoke tier: 64 cases in six groups.
std::vector<Group> smoke_families();

// Features in combinations, each with f32 and one or two cases of another
// dtype; their tensors lie in the JSON.
Group permute_family();
Group contract_family();
Group scaling_family();
Group position_family();
Group layout_family();

// The systematic families: each over the dtypes, pairings, windows and memory
// layouts that it concerns.
Group core_rich();        // windows, unequal sizes, irregular positions
Group core_zero();        // position 0, where the amplitude is alone
Group core_unit();        // unit vectors: the matrix, column by column
Group core_layouts();     // pair distances, blocks, odd offsets
Group core_dims();        // every awkward rotary_dim
Group core_decode();      // one token per batch row
Group core_memory();      // in place and strided
Group core_heads();       // numbers of heads of q and k
Group core_sizes();       // empty tensors, many rows, positions beyond 32 bits
Group core_wide();        // many heads, many pairs, many tokens
Group core_boundaries();  // both sides of every power of two that matters
Group core_far();         // the pairs of large models, far out
Group core_coverage();    // every pair index at every power of two
Group core_axes();        // M-RoPE, grids, packed and real positions
Group core_scalings();
Group core_lengths();  // scalings that a length decides
Group core_plain();    // the plain call in every combination
Group core_models();   // axes and positions of models of 2026
Group core_adjoint();
Group core_values();   // next to powers of two, cancelling, of unlike size
Group core_special();  // NaN, infinities, subnormals, signed zeros, overflow
Group core_permute();
Group core_reject();  // defects of core-rich
Group core_calls();   // calls of cases of these, one after the other

// The groups of every family above but smoke, in the order of the manifest.
std::vector<Group> core_families();

// Made of files in vectors/sources, given as text; part of the core tier too.
// Throw FileError naming `file`.
Group worked_example(const std::string& source_text, const std::string& file);
Group core_hard(const std::string& source_text, const std::string& file);

// The full tier, what is too much to commit: 2,586 cases beside those of the
// core tier. Every rotary_dim in every dtype and pairing, every power of two
// with its neighbours as a position, every core scaling in every pairing, 65537
// rows, and wider calls than core-wide has. Ids are permanent within a version
// of the generator; the bytes are the same everywhere, as core's are.
std::vector<Group> full_families();

}  // namespace ropeproof::conformance::cases
