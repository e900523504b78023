// rope.h -- Rotary Position Embedding: the specification, in code.
//
// Read this file from top to bottom, and scaling.h in the middle of it; they
// are all that "correct" means in this repository. The equation numbers
// (R1)..(R15) are used by the README, the kernel ABI and every failure report.
// Nothing here is fast, and nothing here knows of number formats, SIMD, files
// or JSON.
//
// `Real` is any number type with + - * / and cos, sin, pow, log, sqrt and ldexp,
// found by ADL: a floating-point type of Boost.Multiprecision, or an interval of
// it. Values of type double enter exactly.
//
// [Su21]  Su et al., "RoFormer: Enhanced Transformer with Rotary Position
//         Embedding", arXiv:2104.09864v5.
#ifndef ROPEPROOF_REFERENCE_ROPE_H_
#define ROPEPROOF_REFERENCE_ROPE_H_

#if defined(__FAST_MATH__)
#error "reference/ is wrong under -ffast-math"
#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include "reference/exact.h"
#include "reference/scaling.h"
#include "reference/spec.h"

namespace ropeproof::reference {

// A specification, and what resolve.h decided about it.
struct Rope {
  Spec spec;
  Resolution resolution;
};

// The exponent of (R1) for pair j, and its base.
inline Exponent exponent_of(const Frequencies& frequencies,
                            std::int64_t rotary_dim, std::int64_t j) {
  if (frequencies.exponents.empty()) return {2 * j, rotary_dim};
  return frequencies.exponents[static_cast<std::size_t>(j)];
}
inline double base_of(const Frequencies& frequencies, std::int64_t j) {
  if (frequencies.bases.empty()) return frequencies.base;
  return frequencies.bases[static_cast<std::size_t>(j)];
}

// (R1) Frequency of pair j, in radians per position:
//          theta_j = base^(-2j/r),   j = 0 .. r/2 - 1,   r = rotary_dim,
//      or base_j^(-n_j/d_j), or the given inv_freq[j]. [Su21] section 3.2.2
//      counts from i = 1 and writes 10000^(-2(i-1)/d); the values are the same.
template <class Real>
Real frequency(const Frequencies& frequencies, std::int64_t rotary_dim,
               std::int64_t j) {
  if (!frequencies.inv_freq.empty()) {
    return Real(frequencies.inv_freq[static_cast<std::size_t>(j)]);
  }
  const Exponent e = exponent_of(frequencies, rotary_dim, j);
  if (e.denominator == 0) return Real(0);
  const double base = base_of(frequencies, j);
  if (const auto k = exact_frequency_exponent(base, e)) {
    return ldexp(Real(1), *k);
  }
  return pow(Real(base), Real(-e.numerator) / Real(e.denominator));
}

// A pair that never rotates. It has no use for a scaling.
inline bool is_still(const Frequencies& frequencies, std::int64_t j) {
  const auto at = static_cast<std::size_t>(j);
  if (!frequencies.inv_freq.empty()) return frequencies.inv_freq[at] == 0;
  return !frequencies.exponents.empty() &&
         frequencies.exponents[at].denominator == 0;
}

// (R7)..(R14) of scaling.h: the same, with the scaling.
template <class Real>
Real frequency(const Rope& rope, std::int64_t j) {
  const Frequencies& frequencies = rope.spec.frequencies;
  const Resolution& resolution = rope.resolution;
  const auto at = static_cast<std::size_t>(j);
  if (!resolution.exact.empty() && resolution.exact[at]) {
    return Real(*resolution.exact[at]);
  }
  const std::int64_t r = rope.spec.layout.rotary_dim;
  const Exponent e = exponent_of(frequencies, r, j);
  const Real theta = frequency<Real>(frequencies, r, j);
  if (is_still(frequencies, j)) return theta;
  if (resolution.alpha) return ntk(Real(*resolution.alpha), e, theta);
  if (const auto* s = std::get_if<DynamicNtk>(&frequencies.scaling)) {
    return ntk(dynamic_alpha<Real>(*s), e, theta);
  }
  return scaled(frequencies.scaling, resolution, e, j, theta);
}

// (R2) Angle at a position, in radians, not reduced. A position is a number on
//      each axis, whole or not; with one axis the sum is p.
//          phi_j = theta_j sum_k W[k,j] p_k
template <class Real>
Real coordinate(const Spec& spec, std::span<const double> position,
                std::int64_t j) {
  const Axes& axes = spec.axes;
  const auto at = static_cast<std::size_t>(j);
  if (axes.weights.empty()) {
    const std::int64_t k =
        axes.axis_of_pair.empty() ? 0 : axes.axis_of_pair[at];
    return Real(position[static_cast<std::size_t>(k)]);
  }
  const auto pairs = static_cast<std::size_t>(spec.layout.rotary_dim / 2);
  Real sum(0);
  for (std::size_t k = 0; k < position.size(); ++k) {
    sum = sum + Real(axes.weights[k * pairs + at]) * Real(position[k]);
  }
  return sum;
}

template <class Real>
Real angle(const Real& theta, const std::type_identity_t<Real>& coordinate) {
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

// A pair's cosine and sine, both times the amplitude m. Forward, always: the
// direction belongs to the rotation. With xPos, m is a fraction (R15), and
// `divisor` its denominator.
template <class Real>
struct CosSin {
  Real c, s;
  std::optional<Real> divisor = std::nullopt;
};

// At the origin, and with frequency 0, the angle is exactly zero: cos 0 = 1,
// sin 0 = 0. These are the only exact ones (Lindemann: for an algebraic phi !=
// 0 both are transcendental).
template <class Real>
CosSin<Real> cos_sin_at(const Rope& rope, const Real& theta,
                        std::span<const double> position, std::int64_t j) {
  const Frequencies& frequencies = rope.spec.frequencies;
  const Real m = Real(rope.resolution.amplitude);
  CosSin<Real> cos_sin{m, Real(0)};
  if (!is_at_origin(rope.spec, position, j) && !is_still(frequencies, j)) {
    const Real phi = angle(theta, coordinate<Real>(rope.spec, position, j));
    cos_sin = {m * cos(phi), m * sin(phi)};
  }
  if (frequencies.xpos) {
    const Exponent e = exponent_of(frequencies, rope.spec.layout.rotary_dim, j);
    const Fraction<Real> stretch =
        xpos<Real>(*frequencies.xpos, e, position[0],
                   whole_exponent(*frequencies.xpos, position[0]));
    cos_sin = {stretch.numerator * cos_sin.c, stretch.numerator * cos_sin.s,
               stretch.denominator};
  }
  return cos_sin;
}

template <class Real>
CosSin<Real> cos_sin_at(const Rope& rope, std::span<const double> position,
                        std::int64_t j) {
  return cos_sin_at(rope, frequency<Real>(rope, j), position, j);
}

// (R4) Rotation, counter-clockwise for phi > 0 and D = +1:
//          y_u = m (  x_u cos(phi) - D x_v sin(phi))
//          y_v = m (D x_u sin(phi) +   x_v cos(phi))
//      [Su21] eq. (13). D = -1 is the adjoint m R^T: what a backward pass
//      applies; the inverse only where m = 1.
template <class Real>
std::array<Real, 2> rotate(const CosSin<Real>& cos_sin, Direction direction,
                           const Real& x_u, const Real& x_v) {
  const Real d_s =
      direction == Direction::kForward ? cos_sin.s : Real(-cos_sin.s);
  const std::array<Real, 2> y = {x_u * cos_sin.c - x_v * d_s,
                                 x_u * d_s + x_v * cos_sin.c};
  if (!cos_sin.divisor) return y;
  return {y[0] / *cos_sin.divisor, y[1] / *cos_sin.divisor};
}

// (R5) One head: rotate every pair; channels outside the window pass through
//      unchanged, to the bit. `x` and `y` hold head_dim channels and may be the
//      same span: every channel is read before any is written.
template <class Real>
void rotate_head(const Rope& rope, std::span<const double> position,
                 std::span<const Real> x, std::span<Real> y) {
  const std::int64_t pairs = rope.spec.layout.rotary_dim / 2;
  std::vector<std::array<Real, 2>> rotated;
  for (std::int64_t j = 0; j < pairs; ++j) {
    const Pair from = source_pair(rope.spec, j);
    const Real x_u = x[static_cast<std::size_t>(from.u)];
    const Real x_v = x[static_cast<std::size_t>(from.v)];
    rotated.push_back(rotate(cos_sin_at<Real>(rope, position, j),
                             rope.spec.direction, x_u, x_v));
  }
  if (x.data() != y.data()) {
    for (std::size_t t = 0; t < x.size(); ++t) y[t] = x[t];
  }
  for (std::int64_t j = 0; j < pairs; ++j) {
    const Pair to = target_pair(rope.spec, j);
    const auto& out = rotated[static_cast<std::size_t>(j)];
    y[static_cast<std::size_t>(to.u)] = out[0];
    y[static_cast<std::size_t>(to.v)] = out[1];
  }
}

// The position of one token: positions are [axes, tokens].
inline std::vector<double> position_of(std::span<const double> positions,
                                       std::int64_t axes, std::int64_t token) {
  const std::size_t count = static_cast<std::size_t>(axes);
  const std::size_t tokens = positions.size() / count;
  std::vector<double> position(count);
  for (std::size_t k = 0; k < count; ++k) {
    position[k] = positions[k * tokens + static_cast<std::size_t>(token)];
  }
  return position;
}

// (R6) One tensor [batch, seq, heads, head_dim]: every head of token s of batch
//      row b rotates by positions[:, b, s]. q and k of a grouped-query layer are
//      two calls with their own number of heads and the same positions.
//      Elements between the heads are left alone.
template <class Real>
void rotate_tensor(const Rope& rope, const Shape& shape,
                   std::span<const double> positions, const Real* x,
                   const Strides& x_strides, Real* y,
                   const Strides& y_strides) {
  const auto d = static_cast<std::size_t>(rope.spec.layout.head_dim);
  for (std::int64_t b = 0; b < shape.batch; ++b) {
    for (std::int64_t s = 0; s < shape.seq; ++s) {
      const std::vector<double> position =
          position_of(positions, rope.spec.axes.count, b * shape.seq + s);
      for (std::int64_t h = 0; h < shape.heads; ++h) {
        const auto at = [&](const Strides& strides) {
          return b * strides.batch + s * strides.token + h * strides.head;
        };
        rotate_head<Real>(rope, position, {x + at(x_strides), d},
                          {y + at(y_strides), d});
      }
    }
  }
}

}  // namespace ropeproof::reference

#endif  // ROPEPROOF_REFERENCE_ROPE_H_
