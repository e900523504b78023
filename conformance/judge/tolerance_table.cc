// The tolerance table. An entry is a number of roundings, each with the step
// that makes it; tolerance.cc turns a row into a bound. To change a bound,
// change its derivation here.
#include "conformance/judge/tolerance.h"

namespace ropeproof::conformance::judge {
namespace {

using reference::Format;

constexpr Format kF64 = Format::kF64, kF32 = Format::kF32, kF16 = Format::kF16,
                 kBF16 = Format::kBF16;
constexpr std::uint32_t kPow = ROPEPROOF_POW, kExp2 = ROPEPROOF_EXP2;
constexpr std::uint32_t kOnce = ROPEPROOF_ROUND_ONCE,
                        kEach = ROPEPROOF_ROUND_EACH;

// From base to theta_j.
//
//   by pow    2  pow(base, e), within 1 ulp <= 2u
//             1  its reciprocal
//             |ln theta|  unless e = 2j/r is exact:
//                d(base^-e) / base^-e = -ln(base) de,  |de| <= u e
//   by exp2   2  exp2 within 1 ulp
//             |ln theta| times 4, of the argument e log2(base): e rounded, the
//                logarithm within 1 ulp (2), the product rounded
//   A2        1  theta_0, where it is given and not 1
//             j times: 2  base^(-2/r), within 1 ulp; 1 product
//             |ln theta|  unless 2/r is exact: j roundings of ln(base) 2/r
//
// A0 forms frequencies in f64, or better. A1 is f32 as a rule; in f64 where the
// description says so. A3 is A1 in a 16-bit type.
constexpr AngleRow kAngleRows[] = {
    {ROPEPROOF_A0, kPow, kF64, 3, 0, 1, Quotient::k2jOverR},
    {ROPEPROOF_A0, kExp2, kF64, 2, 0, 4, Quotient::kNone},
    {ROPEPROOF_A1, kPow, kF64, 3, 0, 1, Quotient::k2jOverR},
    {ROPEPROOF_A1, kExp2, kF64, 2, 0, 4, Quotient::kNone},
    {ROPEPROOF_A1, kPow, kF32, 3, 0, 1, Quotient::k2jOverR},
    {ROPEPROOF_A1, kExp2, kF32, 2, 0, 4, Quotient::kNone},
    {ROPEPROOF_A2, kPow, kF32, 1, 3, 1, Quotient::k2OverR},
    {ROPEPROOF_A3, kPow, kF16, 3, 0, 1, Quotient::k2jOverR},
    {ROPEPROOF_A3, kExp2, kF16, 2, 0, 4, Quotient::kNone},
    {ROPEPROOF_A3, kPow, kBF16, 3, 0, 1, Quotient::k2jOverR},
    {ROPEPROOF_A3, kExp2, kBF16, 2, 0, 4, Quotient::kNone},
};

// From the stored cosine and sine to the output. The engine adds x_u c and
// x_v s, each times factors 1 + d, |d| <= u, for every rounding on its way; so
// the result is within ((product of (1 + u)) - 1) (|x_u c| + |x_v s|), and that
// sum is at most ||x|| (Cauchy-Schwarz). A fused multiply-add has one factor
// fewer on one side. Of the arithmetic W, f64 for f64 outputs and else f32:
//
//   cast     of an f64 entry to f32
//   product  in W; exact where the significands of x and c have together no more
//            bits than W's: 8 or 11 plus 8 or 11 of 24
//   sum      in W. The sum of two 16-bit numbers, rounded to f32 and then to
//            their type, is rounded once (24 >= 2 p + 2), so with every
//            operation rounded it has none
//
// Of the output type, where it is 16 bits: the result, or product and sum.
constexpr LocalRow kLocalRows[] = {
    {kF64, kOnce, kF64, 2, 0},    // product, sum
    {kF32, kOnce, kF64, 2, 0},    //
    {kF16, kOnce, kF64, 2, 0},    //
    {kBF16, kOnce, kF64, 2, 0},   //
    {kF64, kOnce, kF32, 3, 0},    // cast, product, sum
    {kF32, kOnce, kF32, 2, 0},    // product, sum
    {kF16, kOnce, kF32, 2, 0},    //
    {kBF16, kOnce, kF32, 2, 0},   //
    {kF64, kOnce, kF16, 3, 1},    // cast, product, sum | result
    {kF32, kOnce, kF16, 2, 1},    // product, sum | result
    {kF16, kOnce, kF16, 1, 1},    // sum | result
    {kBF16, kOnce, kF16, 1, 1},   //
    {kF64, kOnce, kBF16, 3, 1},   // cast, product, sum | result
    {kF32, kOnce, kBF16, 2, 1},   // product, sum | result
    {kF16, kOnce, kBF16, 1, 1},   // sum | result
    {kBF16, kOnce, kBF16, 1, 1},  //
    {kF64, kEach, kF16, 2, 2},    // cast, product | product, sum
    {kF32, kEach, kF16, 1, 2},    // product | product, sum
    {kF16, kEach, kF16, 0, 2},    // | product, sum
    {kBF16, kEach, kF16, 0, 2},   //
    {kF64, kEach, kBF16, 2, 2},   // cast, product | product, sum
    {kF32, kEach, kBF16, 1, 2},   // product | product, sum
    {kF16, kEach, kBF16, 0, 2},   // | product, sum
    {kBF16, kEach, kBF16, 0, 2},  //
};

}  // namespace

std::span<const AngleRow> angle_rows() { return kAngleRows; }

std::span<const LocalRow> local_rows() { return kLocalRows; }

}  // namespace ropeproof::conformance::judge
