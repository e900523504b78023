// spec.h -- what a RoPE is, as data.
//
// Three independent choices make one RoPE: the frequencies (what a scaling
// decides), the axes (what a position is) and the layout (which channels pair
// up); and a direction. Positions are an argument. There is no code per model:
// a new model is new data, for which schemes.h has functions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reference/beyond_scaling.h"
#include "reference/limits.h"

namespace ropeproof::reference {

// Layout ----------------------------------------------------------------------

enum class Pairing {
  kInterleaved,        // (2j, 2j+1): RoFormer, GPT-J, Meta LLaMA
  kHalfSplit,          // (j, j + rotary_dim/2): GPT-NeoX, Hugging Face
  kInterleavedToHalf,  // in (2j, 2j+1), out (j, j + rotary_dim/2): HF DeepSeek
  kNestedHalfSplit,    // half-split inside each of `blocks` blocks: Gemma 4 ViT
};

enum class Direction : int { kForward = 1, kAdjoint = -1 };

// Which channels of a head rotate, and in which pairs.
struct Layout {
  std::int64_t head_dim = 0;
  std::int64_t rotary_dim = 0;     // even, 2 .. head_dim
  std::int64_t rotary_offset = 0;  // the window is [offset, offset+rotary_dim)
  Pairing pairing = Pairing::kInterleaved;
  std::int64_t blocks = 1;         // kNestedHalfSplit: equal blocks, 1 or more
  std::int64_t pair_distance = 0;  // kHalfSplit: v - u; 0: rotary_dim/2
};

// The two windows that models use; any other offset is as good.
constexpr Layout leading(std::int64_t head_dim, std::int64_t rotary_dim,
                         Pairing pairing) {
  return {head_dim, rotary_dim, 0, pairing};
}
constexpr Layout trailing(std::int64_t head_dim, std::int64_t rotary_dim,
                          Pairing pairing) {
  return {head_dim, rotary_dim, head_dim - rotary_dim, pairing};
}

// Frequencies: with the scalings of scaling.h -------------------------------

// How fast each pair rotates, and how much it stretches. Every double is taken
// as the exact real number that it is.
struct Frequencies {
  double base = 10000;                // theta_j = base^(-2j/rotary_dim), unless
  std::vector<double> inv_freq = {};  // given: theta_j = inv_freq[j], rad/pos
  double amplitude = 1;  // m: multiplies cos and sin; 1 where the scaling
                         // (Yarn, LongRope) decides it
  Scaling scaling = Default{};  // acts on the theta_j above
  // One per pair, > 0: multiply what the scaling makes of the theta_j. Or
  // empty: 1 for all.
  std::vector<double> pair_factors = {};
  // One per pair; or empty: 2j/rotary_dim, and `base` for all.
  std::vector<Exponent> exponents = {};
  std::vector<double> bases = {};
  std::optional<XPos> xpos = {};

  bool operator==(const Frequencies&) const = default;
};

// Axes ------------------------------------------------------------------------

// What a position is: a number on each of `count` axes. Pair j rotates by
//     phi_j = theta_j sum_k W[k,j] pos_k.
// By default W[k,j] is 1 where k is the axis of pair j, else 0. A dense W is
// given row by row; a learned one, in radians, goes with base = 1.
struct Axes {
  std::int64_t count = 1;
  std::vector<std::int64_t> axis_of_pair = {};  // one per pair; empty: axis 0
  std::vector<double> weights = {};             // W, [count, pairs]; or empty
};

// The axis of pair j, without weights.
inline std::int64_t axis_of(const Axes& axes, std::int64_t j) {
  return axes.axis_of_pair.empty() ? 0 : at(axes.axis_of_pair, j);
}
// W[k,j].
inline double weight(const Axes& axes, std::int64_t pairs, std::int64_t k,
                     std::int64_t j) {
  if (axes.weights.empty()) return k == axis_of(axes, j) ? 1 : 0;
  return at(axes.weights, k * pairs + j);
}

struct Spec {
  Layout layout;
  Frequencies frequencies;
  Direction direction = Direction::kForward;
  Axes axes = {};
};

// Tensors ---------------------------------------------------------------------

// One pair: channels u and v of a head rotate together.
struct Pair {
  std::int64_t u = 0, v = 0;
};

// [batch, seq, heads, head_dim] without the last, which the layout has.
struct Shape {
  std::int64_t batch = 0, seq = 0, heads = 0;
};

// Throws std::invalid_argument naming the field, its value and its range. What
// only an oracle can tell, whether a ramp of YaRN runs backwards, golden.h
// refuses in the same way.
void validate(const Spec& spec);
void validate_position(double position);
// xPos takes no position more than 2^20 scale_bases from its centre.
void validate_position(const Spec& spec, double position);

}  // namespace ropeproof::reference
