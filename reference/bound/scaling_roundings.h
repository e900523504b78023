// scaling_roundings.h -- what a scaling adds to the roundings in theta, if a
// kernel computes it by itself.
#pragma once

#include <vector>

#include "reference/bound/bound.h"
#include "reference/spec.h"

namespace ropeproof::reference::bound {

// One number per pair, in units of u of the claim's angle arithmetic, relative
// to the scaled theta'. g is the part of a ramp that has been divided: theta' =
// theta D with D = (1 - g) + g/s, so an error dg moves theta' by
//
//     d theta'/theta' = (1 - 1/s) dg / D,
//
// which is why a ramp costs most where it is almost complete (D near 1/s) and
// nothing outside it.
//
//   linear, LongRoPE, frequency factors   1: one division
//   YaRN      outside the ramp 1. On it g = (j - low)/(high - low), off by 3 g;
//             without truncate low is off by (2 + 4 v) low + 3 d/(2 ln b) with
//             v = power_ulp: L/(2 pi n) 3, logarithms 2 v, products 1 each;
//             high likewise. 1 - g rounds twice, for keeping and for dividing;
//             each of the two parts has a product, one a division; a sum
//   llama3    1 - g = (t - low)/(high - low), t = L theta / 2 pi off by theta's
//             own k and 3; the quotient by 3; then as YaRN. The edges of the
//             bands belong to the blend, of which they are the ends
//   NTK       b' = b alpha^e, e = d/(d - 2); alpha = s N/M - (s - 1) is off by
//             (2 s N/M + s - 1)/alpha + 1, a given one by 1; then e times that,
//             e |ln alpha| for the rounded exponent, 2 v for the power and 1
//             for the product. theta' = b'^(-2j/r): 2j/r times all of it
//   pair factors  2 more: the factor itself, a binary64, and the product. The
//             power's error grows with |ln theta'|, at most |ln F| more than
//             the |ln theta''| that angle_row counts
//
// Cost: microseconds once kept_frequencies has the specification, which says
// what branches the exact scaling takes; else a millisecond.
std::vector<double> scaling_roundings(const Claim& claim, const Spec& spec);

}  // namespace ropeproof::reference::bound
