// special_rules.h -- what comes out where no real number says it.
//
// (R4) asks for real numbers; a NaN or an infinity is none. What an honest
// kernel gives for one follows from IEEE 754 arithmetic alone:
//
//     y_u = x_u c - x_v s        y_v = x_u s + x_v c        (s times D)
//
// in any precision, in any order, with or without FMA, by real or by complex
// multiplication, in any angle class. The rules, for the pair (x_u, x_v):
//
//   NaN, the other finite   both outputs are NaN: each has a term with the NaN
//   NaN and infinity        neither output is finite. Real arithmetic gives
//                           two NaNs; C's complex multiplication recovers
//                           infinities from two NaNs (C11 annex G)
//   infinities              each output has an infinite term, or inf * 0 = NaN:
//                           never finite. If the signs of the factors of all
//                           infinite terms are sure (below), it is the sum of
//                           infinities: the one of their sign, or NaN if they
//                           differ. Of two outputs at most one is such a NaN,
//                           so annex G changes nothing
//   finite, but the result  the infinity, if the result is surely (below)
//   beyond the format       beyond the largest finite number
//
// and everything else has a golden as always. A channel outside the window is a
// copy, whatever its bits.
//
// The sign of a factor is sure if it is at least kSureFactor and larger than
// the error that the coarsest claim allows it: angles in f16 or bf16 (A3),
// whose rows of the bound (reference/bound/) count the roundings of the pair.
// At position 0 the sine is an exact 0, whose product with an infinity is NaN;
// a kernel with a sine that is merely tiny gives the infinity.
//
// A result is surely beyond the format, or within it, if it is so by
// kOverflowMargin and what that error makes of it. A kernel that truncates has
// no bits for such a number either, and gives the infinity.
#pragma once

#include <cstdint>

#include "conformance/cases/golden.h"
#include "conformance/cases/problem.h"

namespace ropeproof::conformance::cases {

// Larger than what an entry of any type may be off by, beside its angle.
inline constexpr double kSureFactor = 0.125;

// Relative to the largest finite number: four roundings to bf16, 2^-6, of an
// output as long as the pair, at most sqrt(2) times the largest number.
inline constexpr double kOverflowMargin = 0x1p-5;

// q or k of `heads` heads as an oracle takes it: zeros in place of pairs with a
// NaN or an infinity, and of such channels outside the window.
Bits provable_part(const Problem& p, const Bits& x, std::int64_t heads);

// Replaces what the rules decide in golden.q and golden.k, which hold the
// goldens of the provable part, by kMustBeNan, kMustNotBeFinite and infinities
// (golden.h); the low parts of those are zeros. Needs inv_freq_hi, cos and sin.
// Throws std::logic_error for a problem that no rule is sure of: a finite
// result within kOverflowMargin of the largest number, or an f64 result beyond
// it.
void apply_special_rules(const Problem& p, Golden& golden);

}  // namespace ropeproof::conformance::cases
