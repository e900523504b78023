// rope.h -- Rotary Position Embedding: the specification, in code.
//
// Read this file from top to bottom, and scaling.h in the middle of it; they
// are all that "correct" means in this repository. README.md has the equations
// (R1)..(R16) on one page. Nothing here knows of number formats or of proofs.
//
// `Real` is any number type with + - * / and cos, sin, pow, log and sqrt, found
// by ADL: a floating-point type of Boost.Multiprecision, or an interval of it.
// Values of type double enter exactly.
#pragma once

#if defined(__FAST_MATH__)
#error "reference/ is wrong under -ffast-math"
#endif

#include <array>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "reference/scaling.h"
#include "reference/spec.h"

namespace ropeproof::reference {

// A specification, and what resolve.h decided about it.
struct Rope {
  Spec spec;
  Resolution resolution;
};

// The exponent of (R1) for pair j, and its base.
inline Exponent exponent_of(const Spec& spec, std::int64_t j) {
  const auto& exponents = spec.frequencies.exponents;
  return exponents.empty() ? Exponent{2 * j, spec.layout.rotary_dim}
                           : at(exponents, j);
}
inline double base_of(const Spec& spec, std::int64_t j) {
  const auto& bases = spec.frequencies.bases;
  return bases.empty() ? spec.frequencies.base : at(bases, j);
}

// (R1) Frequency of pair j, in radians per position:
//          theta_j = base^(-2j/r),   j = 0 .. r/2 - 1,   r = rotary_dim,
//      or base_j^(-n_j/d_j), or the given inv_freq[j]. [Su21] section 3.2.2
//      counts from i = 1 and writes 10000^(-2(i-1)/d); the values are the same.
template <class Real>
Real frequency(const Spec& spec, std::int64_t j) {
  const auto& inv_freq = spec.frequencies.inv_freq;
  if (!inv_freq.empty()) return Real(at(inv_freq, j));
  const Exponent e = exponent_of(spec, j);
  if (e.denominator == 0) return Real(0);
  return pow(Real(base_of(spec, j)), Real(-e.numerator) / Real(e.denominator));
}

// (R7)..(R14) of scaling.h: theta_j of (R1) with the scaling.
template <class Real>
Real scaled_frequency(const Rope& rope, std::int64_t j, const Real& theta) {
  const Scaling& scaling = rope.spec.frequencies.scaling;
  const Exponent e = exponent_of(rope.spec, j);
  if (const auto alpha = ntk_alpha<Real>(scaling)) return ntk(*alpha, e, theta);
  return scaled(scaling, rope.resolution, e, j, theta);
}

// (R16): the same, with the pair's factor.
template <class Real>
Real frequency(const Rope& rope, std::int64_t j, const Real& theta) {
  const auto& factors = rope.spec.frequencies.pair_factors;
  const Real scaled = scaled_frequency(rope, j, theta);
  return factors.empty() ? scaled : pair_factor(at(factors, j), scaled);
}
template <class Real>
Real frequency(const Rope& rope, std::int64_t j) {
  return frequency(rope, j, frequency<Real>(rope.spec, j));
}

// (R2) Angle at a position, in radians, not reduced. A position is a number on
//      each axis, whole or not; with one axis the sum is p.
//          phi_j = theta_j sum_k W[k,j] p_k
template <class Real>
Real coordinate(const Spec& spec, std::span<const double> position,
                std::int64_t j) {
  const Axes& axes = spec.axes;
  if (axes.weights.empty()) return Real(at(position, axis_of(axes, j)));
  const std::int64_t pairs = spec.layout.rotary_dim / 2;
  Real sum(0);
  for (std::int64_t k = 0; k < axes.count; ++k) {
    sum = sum + Real(weight(axes, pairs, k, j)) * Real(at(position, k));
  }
  return sum;
}

template <class Real>
Real angle(const Real& theta, const Real& coordinate) {
  return coordinate * theta;
}

// (R3) Pairing: the two channels that rotate together, going in and coming out.
//      The layouts are permutations of one another, never approximations of one
//      another: a kernel that confuses them is wrong by O(1), not by an ulp.
constexpr Pair half_split(const Layout& layout, std::int64_t j) {
  const std::int64_t r = layout.rotary_dim;
  const std::int64_t distance =
      layout.pair_distance != 0 ? layout.pair_distance : r / 2;
  return {layout.rotary_offset + j, layout.rotary_offset + j + distance};
}

constexpr Pair pair_of(const Layout& layout, std::int64_t j) {
  const std::int64_t o = layout.rotary_offset;
  switch (layout.pairing) {
    case Pairing::kInterleaved:
    case Pairing::kInterleavedToHalf:
      return {o + 2 * j, o + 2 * j + 1};
    case Pairing::kNestedHalfSplit: {
      const std::int64_t half = layout.rotary_dim / 2 / layout.blocks;
      const std::int64_t start = o + j / half * 2 * half;
      return {start + j % half, start + j % half + half};
    }
    case Pairing::kHalfSplit:
      break;
  }
  return half_split(layout, j);
}

constexpr Pair output_pair_of(const Layout& layout, std::int64_t j) {
  return layout.pairing == Pairing::kInterleavedToHalf ? half_split(layout, j)
                                                       : pair_of(layout, j);
}

// Where a rotation reads and writes pair j. The adjoint reads where the forward
// map writes.
constexpr Pair source_pair(const Spec& spec, std::int64_t j) {
  return spec.direction == Direction::kForward ? pair_of(spec.layout, j)
                                               : output_pair_of(spec.layout, j);
}
constexpr Pair target_pair(const Spec& spec, std::int64_t j) {
  return spec.direction == Direction::kForward ? output_pair_of(spec.layout, j)
                                               : pair_of(spec.layout, j);
}

// The amplitude m of pair j; with xPos, (R15), it depends on the position.
template <class Real>
Real amplitude(const Rope& rope, std::span<const double> position,
               std::int64_t j) {
  const Real m(rope.resolution.amplitude);
  const auto& x = rope.spec.frequencies.xpos;
  if (!x) return m;
  return m * xpos<Real>(*x, exponent_of(rope.spec, j), position[0]);
}

// A pair's cosine and sine, both times the amplitude m. Forward, always: the
// direction belongs to the rotation.
template <class Real>
struct CosSin {
  Real c, s;
};

template <class Real, class Angle>
CosSin<Real> cos_sin(const Real& m, const Angle& phi) {
  return {m * cos(phi), m * sin(phi)};
}

// (R4) Rotation, counter-clockwise for phi > 0 and D = +1:
//          y_u = m (  x_u cos(phi) - D x_v sin(phi))
//          y_v = m (D x_u sin(phi) +   x_v cos(phi))
//      [Su21] eq. (13). D = -1 is the adjoint m R^T: what a backward pass
//      applies; the inverse only where m = 1.
template <class Real>
std::array<Real, 2> rotate(const CosSin<Real>& m, Direction direction,
                           const Real& x_u, const Real& x_v) {
  const Real d_s = direction == Direction::kForward ? m.s : Real(-m.s);
  return {x_u * m.c - x_v * d_s, x_u * d_s + x_v * m.c};
}

// (R5) One head: rotate_pair(j, x_u, x_v) gives (y_u, y_v) of every pair; the
//      channels outside the window stay as they are, to the bit. In place, but
//      every channel is read before any is written.
template <class Number, class RotatePair>
void rotate_head(const Spec& spec, std::span<Number> head,
                 const RotatePair& rotate_pair) {
  const std::int64_t pairs = spec.layout.rotary_dim / 2;
  std::vector<std::array<Number, 2>> y;
  for (std::int64_t j = 0; j < pairs; ++j) {
    const Pair from = source_pair(spec, j);
    y.push_back(rotate_pair(j, at(head, from.u), at(head, from.v)));
  }
  for (std::int64_t j = 0; j < pairs; ++j) {
    const Pair to = target_pair(spec, j);
    at(head, to.u) = at(y, j)[0];
    at(head, to.v) = at(y, j)[1];
  }
}

// (R6) One tensor [batch, seq, heads, head_dim]: every head of token s of batch
//      row b rotates by positions[:, b, s]. q and k of a grouped-query layer
//      are two tensors with their own number of heads and the same positions.
//      Counting tokens t = b seq + s, head h of token t is number t heads + h.
constexpr std::int64_t token_of_head(std::int64_t head, std::int64_t heads) {
  return head / heads;
}

inline std::vector<double> position_of(std::span<const double> positions,
                                       std::int64_t axes, std::int64_t token) {
  const std::int64_t tokens = std::ssize(positions) / axes;
  std::vector<double> position;
  for (std::int64_t k = 0; k < axes; ++k) {
    position.push_back(at(positions, k * tokens + token));
  }
  return position;
}

}  // namespace ropeproof::reference
