// rope.h -- Rotary Position Embedding: the specification, in code.
//
// Read this file from top to bottom; it is all that "correct" means in this
// repository. The equation numbers (R1)..(R6) are used by the README, the
// kernel ABI and every failure report. Nothing here is fast, and nothing here
// knows of number formats, SIMD, files or JSON.
//
// `Real` is any number type with + - * / and pow, cos, sin found by ADL: a
// floating-point type of Boost.Multiprecision, or an interval of it. Values of
// type double enter exactly.
//
// [Su21]  Su et al., "RoFormer: Enhanced Transformer with Rotary Position
//         Embedding", arXiv:2104.09864v5.
// [YaRN]  Peng et al., "YaRN: Efficient Context Window Extension of Large
//         Language Models", arXiv:2309.00071 (the amplitude m).
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

#include "reference/spec.h"

namespace ropeproof::reference {

// Only powers of two can be exact: let base = B/2^e and suppose theta_j is a
// dyadic rational a/2^q, a odd. Then a^r divides a power of two, so a = 1, and
// base = 2^k with r | 2jk. In this case the exponent of theta_j is -2jk/r;
// otherwise theta_j (j > 0) is no binary number of any length, and rounding it
// can be decided.
std::optional<int> exact_frequency_exponent(double base,
                                            std::int64_t rotary_dim,
                                            std::int64_t j);

// (R1) Frequency of pair j, in radians per position:
//          theta_j = base^(-2j/r),   j = 0 .. r/2 - 1,   r = rotary_dim,
//      or the given inv_freq[j]. [Su21] section 3.2.2 counts from i = 1 and
//      writes 10000^(-2(i-1)/d); the values are the same.
template <class Real>
Real frequency(const Frequencies& frequencies, std::int64_t rotary_dim,
               std::int64_t j) {
  if (!frequencies.inv_freq.empty()) {
    return Real(frequencies.inv_freq[static_cast<std::size_t>(j)]);
  }
  if (const auto k =
          exact_frequency_exponent(frequencies.base, rotary_dim, j)) {
    return ldexp(Real(1), *k);
  }
  return pow(Real(frequencies.base), Real(-2 * j) / Real(rotary_dim));
}

// (R2) Angle at an integer position p, in radians, not reduced:
//          phi = p * theta_j.
template <class Real>
Real angle(const Real& theta, std::int64_t position) {
  return Real(position) * theta;
}

// (R3) Pairing: the two channels that turn together. The two layouts are
//      permutations of one another, never approximations of one another: a
//      kernel that confuses them is wrong by O(1), not by an ulp.
constexpr Pair pair_of(const Layout& layout, std::int64_t j) {
  const std::int64_t o = layout.rotary_offset;
  return layout.pairing == Pairing::kInterleaved
             ? Pair{o + 2 * j, o + 2 * j + 1}
             : Pair{o + j, o + j + layout.rotary_dim / 2};
}

// A pair's cosine and sine, both times the amplitude m [YaRN]. Forward, always:
// the direction belongs to the rotation.
template <class Real>
struct Turn {
  Real c, s;
};

// `position` 0 and frequency 0 are exact: cos 0 = 1, sin 0 = 0. They are the
// only exact ones (Lindemann: for an algebraic phi != 0 both are
// transcendental).
template <class Real>
Turn<Real> turn(const Frequencies& frequencies, const Real& theta,
                bool is_zero_angle, std::int64_t position) {
  const Real m(frequencies.amplitude);
  if (is_zero_angle) return {m, Real(0)};
  const Real phi = angle(theta, position);
  return {m * cos(phi), m * sin(phi)};
}

// (R4) Rotation, counter-clockwise for phi > 0 and D = +1:
//          y_u = m (  x_u cos(phi) - D x_v sin(phi))
//          y_v = m (D x_u sin(phi) +   x_v cos(phi))
//      [Su21] eq. (13). D = -1 is the adjoint m R^T: what a backward pass
//      applies; the inverse only where m = 1.
template <class Real>
std::array<Real, 2> rotate(const Turn<Real>& turn, Direction direction,
                           const Real& x_u, const Real& x_v) {
  const Real d_s = direction == Direction::kForward ? turn.s : Real(-turn.s);
  return {x_u * turn.c - x_v * d_s, x_u * d_s + x_v * turn.c};
}

// (R1), (R2) and the cosine and sine, for one pair at one position.
template <class Real>
Turn<Real> turn_at(const Spec& spec, std::int64_t position, std::int64_t j) {
  const Real theta =
      frequency<Real>(spec.frequencies, spec.layout.rotary_dim, j);
  const bool frequency_is_zero =
      !spec.frequencies.inv_freq.empty() &&
      spec.frequencies.inv_freq[static_cast<std::size_t>(j)] == 0;
  return turn(spec.frequencies, theta, position == 0 || frequency_is_zero,
              position);
}

// (R5) One head: turn every pair; channels outside the window pass through
//      unchanged, to the bit. `x` and `y` hold head_dim channels and may be the
//      same span.
template <class Real>
void rotate_head(const Spec& spec, std::int64_t position,
                 std::span<const Real> x, std::span<Real> y) {
  if (x.data() != y.data()) {
    for (std::size_t t = 0; t < x.size(); ++t) y[t] = x[t];
  }
  for (std::int64_t j = 0; j < spec.layout.rotary_dim / 2; ++j) {
    const Pair pair = pair_of(spec.layout, j);
    const auto u = static_cast<std::size_t>(pair.u);
    const auto v = static_cast<std::size_t>(pair.v);
    const auto out = rotate(turn_at<Real>(spec, position, j), spec.direction,
                            Real(x[u]), Real(x[v]));
    y[u] = out[0];
    y[v] = out[1];
  }
}

// (R6) One tensor [batch, seq, heads, head_dim]: every head of token s of batch
//      row b turns by positions[b * seq + s]. q and k of a grouped-query layer
//      are two calls with their own number of heads and the same positions.
//      Elements between the heads are left alone.
template <class Real>
void rotate_tensor(const Spec& spec, const Shape& shape,
                   std::span<const std::int64_t> positions, const Real* x,
                   const Strides& x_strides, Real* y,
                   const Strides& y_strides) {
  const auto d = static_cast<std::size_t>(spec.layout.head_dim);
  for (std::int64_t b = 0; b < shape.batch; ++b) {
    for (std::int64_t s = 0; s < shape.seq; ++s) {
      const auto p = positions[static_cast<std::size_t>(b * shape.seq + s)];
      for (std::int64_t h = 0; h < shape.heads; ++h) {
        const auto at = [&](const Strides& strides) {
          return b * strides.batch + s * strides.token + h * strides.head;
        };
        rotate_head<Real>(spec, p, {x + at(x_strides), d},
                          {y + at(y_strides), d});
      }
    }
  }
}

}  // namespace ropeproof::reference

#endif  // ROPEPROOF_REFERENCE_ROPE_H_
