// screening.h -- whether a result is within its bound beyond doubt: the quick
// question, whose usual answer spares goldens of 106 bits.
//
// Golden and bound of an f32 or 16-bit element lie some 2^25 ulp of binary64
// apart, so binary64 decides all but a few: y = x_u c - x_v s with c and s
// within kNear |m|, three roundings, and the pair's length within kLengthError
// leave
//     |y - golden| <= |m| ||x|| (sqrt(2) kNear + 3 2^-53)
//                  <  |m| ||x|| kDoubt / 2
// and an element whose error is smaller than its bound by |m| ||x|| kDoubt is
// within it. Whatever is nearer to the bound, or wrong, is left to the judge.
#pragma once

#include <cstdint>

#include "conformance/assertion/given_table.h"
#include "conformance/cases/golden.h"
#include "conformance/cases/problem.h"
#include "conformance/judge/output.h"
#include "conformance/judge/tolerance.h"

namespace ropeproof::conformance::assertion {

// cos and sin of near_cos_sin, and what a verdict may not depend on.
inline constexpr double kNear = 0x1p-50, kDoubt = 0x1p-47;

struct NearCosSin {
  double cos = 1, sin = 0;
};

// cos and sin of (theta + theta_lo) * position, each within kNear, where the
// angle is below 2^20: Cody and Waite's reduction by pi/2 in parts, whose
// products are exact, and Taylor's polynomials. No libm.
NearCosSin near_cos_sin(double theta, double theta_lo, double position);

// True: every element is within its bound. False: the judge has to look.
// `given`: the table of a rotation by given cos and sin; null: `golden` has the
// frequencies and the amplitude of the problem.
bool is_surely_within(const cases::Problem& problem,
                      const cases::Golden& golden, std::uint32_t operation,
                      const judge::Claim& claim, const judge::Output& output,
                      const GivenTable* given);

}  // namespace ropeproof::conformance::assertion
