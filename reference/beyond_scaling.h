// beyond_scaling.h -- what the pairs of a model have beside a scaling.
#pragma once

#include "reference/scaling.h"

namespace ropeproof::reference {

// xPos: an amplitude that depends on pair and position, for query and key its
// reciprocal.
struct XPos {
  double scale_base = 512;  // > 0
  double centre = 0;        // the position of amplitude 1
  bool is_key = false;
  bool operator==(const XPos&) const = default;
};

// (R15) xPos [xPos]: position p also stretches pair j, queries by
//           m_j(p) = zeta_j^((p - centre) / scale_base),
//           zeta_j = (2j + 0.4 d) / (1.4 d),
//       keys by its reciprocal, so that a score decays with the distance.
template <class Real>
Real xpos(const XPos& xpos, const Exponent& e, double position) {
  const Real zeta =
      Real(5 * e.numerator + 2 * e.denominator) / Real(7 * e.denominator);
  const Real stretch =
      pow(zeta, (Real(position) - Real(xpos.centre)) / Real(xpos.scale_base));
  return xpos.is_key ? Real(Real(1) / stretch) : stretch;
}

// (R16) Pair factors, as learned by LeRoPE (mistral_large4 of Hugging Face
//       transformers 5.23): each pair has a number of its own, whatever the
//       scaling has made of its frequency; scalings compose.
//           theta''_j = F_j theta'_j,   F_j = exp(alpha_j)
//       A model learns alpha_j; F_j is a binary64, exp(alpha_j) rounded once:
//       the exponential itself would be transcendental, and so theta''_j.
template <class Real>
Real pair_factor(double factor, const Real& theta) {
  return Real(factor) * theta;
}

}  // namespace ropeproof::reference
