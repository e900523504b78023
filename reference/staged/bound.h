// bound.h -- how far a staged result may be from the exact one: a priori, for
// each pair.
//
// Notation: u the unit roundoff of a step's type; gamma(S) = S / (1 - S), which
// bounds the relative error of a product of factors (1 + d)^+-1 whose |d| sum
// up to S (Higham, "Accuracy and Stability of Numerical Algorithms", 2002,
// lemma 3.1). phi = p theta_j is the exact angle, a^ the engine's, R(a) the
// rotation by a; x = (x_u, x_v) is a pair and ||x|| its length, y exact and y^
// the engine's.
//
// Angle. Each rounding in the frequency and angle stages multiplies a^ by
// 1 + d, |d| <= u, as often as its weight says (pipeline.h). A rounding on an
// exponent e multiplies b^e by exp(e ln(b) d), which is a factor within
// gamma(|ln theta_j| u), since e^t <= 1/(1 - t). So
//
//     |a^ - phi| <= |phi| gamma(k u),     k u = sum of weight * count * u.
//
// Local. Let C, S be the cosine and sine of a^. The engine adds x_u C and
// x_v S, each times factors 1 + d: those of trig, storage, product, sum and
// cast. So
//
//     |y^ - R(a^)x| <= L (|x_u C| + |x_v S|) <= L ||x||  (Cauchy-Schwarz),
//     L = product of (1 + u)^count - 1.
//
// A fused form has fewer factors. Together, for each output and any form,
//
//     |y^ - y| <= |m| ||x|| (min(2, |phi| gamma(k u)) + L) + eta,
//
// because ||R(a^)x - R(phi)x|| = 2 |sin((a^ - phi)/2)| ||x|| is at most 2 ||x||
// and at most |a^ - phi| ||x||. L needs no factor for a rounded y^ that an
// angle error has moved: it is relative to R(a^)x, which is as long as x.
//
// eta. Below its normal range a rounding errs by up to half the smallest
// subnormal number instead: of an entry of the table, times |x_u| + |x_v|; of
// the two products; of the cast. A sum is exact there.
//
// The bound holds where nothing overflows (engine.h says when).
#ifndef ROPEPROOF_REFERENCE_STAGED_BOUND_H_
#define ROPEPROOF_REFERENCE_STAGED_BOUND_H_

#include <cstdint>

#include "reference/staged/engine.h"
#include "reference/staged/pipeline.h"

namespace ropeproof::reference::staged {

// How far an engine's functions are from the exact ones, in ulp; 0: correctly
// rounded. A correctly rounded function errs by at most u, one within n ulp by
// 2n u.
struct Libm {
  int frequency_ulp = 0;  // pow, exp, exp2, log, log2
  int trig_ulp = 0;       // cos, sin
};

struct Bound {
  double k = 0;          // in units of the u of the angle's type
  double angle = 0;      // min(2, |phi| gamma(k u)), radians
  double local = 0;      // L
  double amplitude = 1;  // |m|
  double table_underflow = 0, underflow = 0;

  // Of |y^ - y|, for y_u and for y_v.
  double output(double x_u, double x_v) const;
};

// `theta` is theta_j, as golden_frequencies gives it. Needs no MPFR; the same
// on every machine.
Bound bound(const Pipeline& pipeline, Format t, const Parameters& parameters,
            std::int64_t position, std::int64_t j, double theta,
            Libm libm = {});

}  // namespace ropeproof::reference::staged

#endif  // ROPEPROOF_REFERENCE_STAGED_BOUND_H_
