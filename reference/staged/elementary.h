// elementary.h -- the operations that engines are made of, each correctly
// rounded.
//
// An operation takes exact numbers, evaluates the real function and rounds once
// to nearest, ties to even. No host libm, compiler flag, rounding mode or
// contraction has a say.
#pragma once

#include "reference/format.h"

namespace ropeproof::reference::staged {

enum class Op {
  kCast,      // a
  kTruncate,  // a, its last bits cut off instead of rounded
  kNegate,    // -a, always exact
  kAdd,       // a + b
  kSubtract,  // a - b
  kMultiply,  // a b
  kDivide,    // a / b
  kFma,       // a b + c
  kPow,       // a^b
  kExp,       // e^a
  kExp2,      // 2^a
  kLog,       // ln a
  kLog2,      // log2 a
  kCos,
  kSin,
  // ((a b) b) ... b, c factors b, each product rounded; c is an integer >= 0.
  kIterate,
};

// Whether MPFR, which evaluates the operations, was built in.
bool available();

// The value of `op`, rounded to `format`; binary64 holds the numbers of every
// format exactly. Zeros, infinities and NaNs follow IEEE 754 and C annex F.
// Throws std::invalid_argument if MPFR was not built in.
//
// Proof. MPFR truncates the real value to 55 bits and tells whether it cut
// anything off (its ternary value, which MPFR documents as exact). This
// is what format.h calls Pieces: the leading bits and whether more follow. From
// there on rounding is integer arithmetic: once to nearest for f64, and for a
// narrower format once to odd and once to nearest, which is one rounding to
// nearest (format.h). Subnormal and overflowing results need no case of their
// own: MPFR's exponents reach 2^62, and format.h knows each format's range.
double apply(Op op, Format format, double a, double b = 0, double c = 0);

}  // namespace ropeproof::reference::staged
