// tolerance.h -- what a kernel's description lets its results be off by: the
// bound of reference/bound/bound.h for what it claims, and what the judge adds.
#pragma once

#include <cstdint>
#include <string>

#include "conformance/plugin/kernel.h"
#include "reference/bound/bound.h"

namespace ropeproof::conformance::judge {

using reference::bound::Claim;

// What a claim says of one dtype under an operation: frequencies are asked for
// in f32, or in f64 where the tensors are f64, the types that kernels keep them
// in; all else in the table type. `features` are those of the kernel.
Claim claim_of(const ropeproof_claim& made, std::uint32_t features,
               reference::Format dtype,
               std::uint32_t operation = ROPEPROOF_ROPE);
// What a description claims of it.
Claim claim_of(const plugin::Description& description, reference::Format dtype,
               std::uint32_t operation = ROPEPROOF_ROPE);

// A claim with an angle of class ROPEPROOF_A0 .. A3; `arithmetic` is
// that of A1 and A3.
Claim with_angle(Claim claim, std::uint32_t angle_class,
                 reference::Format arithmetic);

// All rows of the bound, in numbers: `ropeproof list tolerances`.
std::string tolerance_text();

// The golden is rounded to odd, off by less than an ulp of binary64; that of an
// f64 problem is a pair, off by less than 2^-105 where it is certified, and by
// 2^-102 |m| (|x_u| + |x_v|) where it is formed fast
// (reference/sweep/fast_goldens.h), which is at most sqrt(2) times the pair's
// length.
inline constexpr double kGoldenError = 0x1p-52;
inline constexpr double kGoldenPairError = 0x1p-101;

// What the judge's own lengths of pairs are off by, relative to them: three
// roundings each, to binary64.
inline constexpr double kLengthError = 0x1p-50;

// L0: the structure is right. What arithmetic may cost in any type that kernels
// use, four roundings to bf16 or two truncations; beside it, the angle may be
// off as in class A1.
inline constexpr double kStructuralBound = 0x1p-6;

// rho = phase error / (4 |phi| 2^-24 + 2^-22), the largest of any pair. 4 u
// |phi| is k = 4 of A1 by pow with an exact exponent; 2^-22 rad is L of f32.
// Measured on bases 1e4 to 1e6, 64 to 256 channels, positions up to 2^20: f32
// direct 0.63, formed by exp2 3.1, iterated 14.2, and any part of the angle in
// f16 or bf16 at least 184.
inline constexpr double kPhaseSlope = 0x1p-22, kPhaseFloor = 0x1p-22;

}  // namespace ropeproof::conformance::judge
