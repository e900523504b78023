// spec.h -- what a RoPE is, as data.
//
// Three independent choices make one RoPE: the frequencies (what a scaling
// decides), the layout (which channels pair up) and the direction. Positions
// are an argument, not part of the specification. There is no code per model.
#ifndef ROPEPROOF_REFERENCE_SPEC_H_
#define ROPEPROOF_REFERENCE_SPEC_H_

#include <cstdint>
#include <vector>

namespace ropeproof::reference {

// Positions are exact in binary64, and so in every oracle, up to here.
inline constexpr std::int64_t kMaxPosition = std::int64_t{1} << 53;

enum class Pairing {
  kInterleaved,  // (2j, 2j+1): RoFormer, GPT-J, Meta LLaMA
  kHalfSplit,    // (j, j + rotary_dim/2): GPT-NeoX, Hugging Face
};

enum class Direction : int { kForward = 1, kAdjoint = -1 };

// Which channels of a head turn, and in which pairs.
struct Layout {
  std::int64_t head_dim = 0;
  std::int64_t rotary_dim = 0;     // even, 2 .. head_dim
  std::int64_t rotary_offset = 0;  // the window is [offset, offset+rotary_dim)
  Pairing pairing = Pairing::kInterleaved;
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

// How fast each pair turns, and how much it stretches. Every double is taken
// as the exact real number that it is.
struct Frequencies {
  double base = 10000;           // theta_j = base^(-2j/rotary_dim), unless ...
  std::vector<double> inv_freq;  // ... given: theta_j = inv_freq[j], rad/pos
  double amplitude = 1;          // m: multiplies cos and sin
};

struct Spec {
  Layout layout;
  Frequencies frequencies;
  Direction direction = Direction::kForward;
};

// One pair: channels u and v of a head turn together.
struct Pair {
  std::int64_t u = 0, v = 0;
};

// [batch, seq, heads, head_dim] without the last: the layout has that.
struct Shape {
  std::int64_t batch = 0, seq = 0, heads = 0;
};

// Distances in elements; channels lie back to back.
struct Strides {
  std::int64_t batch = 0, token = 0, head = 0;
};

// The strides of a tensor without gaps.
constexpr Strides dense(const Shape& shape, std::int64_t head_dim) {
  const std::int64_t token = shape.heads * head_dim;
  return {shape.seq * token, token, head_dim};
}

// Throws std::invalid_argument naming the field, its value and its range.
void validate(const Spec& spec);
void validate(const Shape& shape);
void validate_position(std::int64_t position);

}  // namespace ropeproof::reference

#endif  // ROPEPROOF_REFERENCE_SPEC_H_
