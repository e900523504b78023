// spec.h -- what a RoPE is, as data.
//
// Three independent choices make one RoPE: the frequencies (what a scaling
// decides), the axes (what a position is) and the layout (which channels pair
// up); and a direction. Positions are an argument. There is no code per model:
// a new model is new data, for which schemes.h has functions.
#ifndef ROPEPROOF_REFERENCE_SPEC_H_
#define ROPEPROOF_REFERENCE_SPEC_H_

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace ropeproof::reference {

// Element i of a span or vector. Indices are signed, as in every formula.
constexpr auto& at(auto&& items, std::int64_t i) { return items.begin()[i]; }

// Positions are exact in binary64, and so in every oracle, up to here.
inline constexpr std::int64_t kMaxPosition = std::int64_t{1} << 53;
// More channels per head, or axes, are a mistake.
inline constexpr std::int64_t kMaxHeadDim = 1 << 20;
inline constexpr std::int64_t kMaxAxes = 64;
// The largest count: the size of a tensor, at most 2^60, stays in range.
inline constexpr std::int64_t kMaxCount = std::int64_t{1} << 40;

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

// Frequencies -----------------------------------------------------------------

// The scalings: how a model stretches its context. scaling.h has the formula of
// each, and its source. A field that starts as 0 or empty must be given.
struct Default {};

struct Linear {
  double factor = 0;  // s >= 1 divides every frequency
};

struct Ntk {
  double alpha = 0;  // >= 1
};

struct DynamicNtk {
  double factor = 0;  // s >= 1
  std::int64_t max_position = 0;
  std::int64_t seq_len = 0;  // explicit: a kernel has no memory of lengths
};

struct Yarn {
  double factor = 0;                 // s >= 1
  std::int64_t original_length = 0;  // L
  double beta_fast = 32;             // >= beta_slow
  double beta_slow = 1;
  bool truncate = true;
  std::optional<double> attention_factor = {};  // the amplitude, where given
  std::optional<double> mscale = {};            // both or neither
  std::optional<double> mscale_all_dim = {};
};

struct LongRope {
  std::vector<double> short_factor, long_factor;  // one per pair, > 0
  std::int64_t original_length = 0;               // L
  std::int64_t seq_len = 0;  // highest position + 1; long where seq_len > L
  double factor = 0;         // s >= 1; not needed beside attention_factor
  std::optional<double> attention_factor = {};  // the amplitude, where given
};

struct Llama3 {
  double factor = 0;                 // s >= 1
  double low_freq_factor = 0;        // > 0
  double high_freq_factor = 0;       // >= low_freq_factor
  std::int64_t original_length = 0;  // L
};

struct FrequencyFactors {
  std::vector<double> factors;  // one per pair, > 0; divide the frequencies
};

using Scaling = std::variant<Default, Linear, Ntk, DynamicNtk, Yarn, LongRope,
                             Llama3, FrequencyFactors>;

// Whether the amplitude is the scaling's, not `Frequencies::amplitude`.
bool decides_amplitude(const Scaling& scaling);

// theta = base^(-numerator/denominator), an exact rational exponent. The
// denominator is the number of channels that the exponents count against, so
// numerator/2 is the index of the pair among them; 2j/rotary_dim by default.
struct Exponent {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;  // 0: the pair stands still, theta = 0
};

// xPos: an amplitude that depends on pair and position, for query and key its
// reciprocal.
struct XPos {
  double scale_base = 512;  // > 0
  double centre = 0;        // the position of amplitude 1
  bool is_key = false;
};

// How fast each pair rotates, and how much it stretches. Every double is taken
// as the exact real number that it is.
struct Frequencies {
  double base = 10000;                // theta_j = base^(-2j/rotary_dim), unless
  std::vector<double> inv_freq = {};  // given: theta_j = inv_freq[j], rad/pos
  double amplitude = 1;  // m: multiplies cos and sin; 1 where the scaling
                         // (Yarn, LongRope) decides it
  Scaling scaling = Default{};  // acts on the theta_j above
  // One per pair; or empty: 2j/rotary_dim, and `base` for all.
  std::vector<Exponent> exponents = {};
  std::vector<double> bases = {};
  std::optional<XPos> xpos = {};
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

#endif  // ROPEPROOF_REFERENCE_SPEC_H_
