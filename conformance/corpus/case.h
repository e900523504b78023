// case.h -- one test case: a problem, and what is true about it.
//
// Tensors are bit patterns. Inputs are in the case's dtype; goldens are
// binary64 rounded to odd (reference/golden.h), so one ordinary cast to f32,
// f16 or bf16 is correctly rounded. Shapes are row-major and dense; how a
// tensor lies in memory during a call is `memory`.
#ifndef ROPEPROOF_CONFORMANCE_CORPUS_CASE_H_
#define ROPEPROOF_CONFORMANCE_CORPUS_CASE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reference/format.h"
#include "reference/spec.h"

namespace ropeproof::conformance {

using Bits = std::vector<std::uint64_t>;

enum class Memory {
  kDense,           // out of place, or in place where a kernel has nothing else
  kInPlace,         // in place, dense
  kStrided,         // out of place, gaps between heads, tokens and batch rows
  kStridedInPlace,  // in place, with gaps
};

// A printed decimal whose last digit is not the exact value's.
struct Erratum {
  std::string tensor;               // "q", "k", "cos" or "sin"
  std::vector<std::int64_t> index;  // into that tensor
  std::string printed, correct;
};

// Decimals that a document prints for a case, with the tolerance they hold to.
struct Printed {
  std::string source;
  std::string tolerance;  // absolute, a decimal
  std::vector<std::string> inv_freq, cos, sin, q, k;
  std::vector<Erratum> errata;
};

// A case of the operations frequencies, table, rotate and rope.
struct RopeCase {
  std::string id;  // permanent: never reused, never renumbered
  std::string comment;
  std::vector<std::string> targets;  // bug classes, keys of Group::targets
  reference::Format dtype = reference::Format::kF32;
  reference::Spec spec;
  std::int64_t batch = 0, seq = 0, q_heads = 0, k_heads = 0;
  Memory memory = Memory::kDense;
  std::vector<double> positions;  // [axes, batch, seq], each exact
  Bits q, k;                      // [batch, seq, heads, head_dim]

  // Goldens.
  int precision_bits = 0;         // widest working precision used
  double amplitude = 1;           // m: the specification's or its scaling's
  Bits pair_amplitude;            // xPos: m of every pair, shaped as cos
  Bits inv_freq_hi, inv_freq_lo;  // [rotary_dim/2], binary64 to nearest
  Bits cos, sin;                  // [batch, seq, rotary_dim/2], times m
  Bits q_out, k_out;              // as q and k
  std::optional<Printed> printed;

  std::int64_t pairs() const { return spec.layout.rotary_dim / 2; }
  std::int64_t tokens() const { return batch * seq; }

  // Whether some position is no integer.
  bool has_real_positions() const {
    return std::any_of(positions.begin(), positions.end(),
                       [](double p) { return p != std::floor(p); });
  }

  // The position of a token on axis `axis`.
  double position(std::int64_t axis, std::int64_t token) const {
    return positions[static_cast<std::size_t>(axis * tokens() + token)];
  }
};

// A case of the operation permute: bits in, bits out.
struct PermuteCase {
  std::string id;
  std::string comment;
  std::vector<std::string> targets;
  reference::Format dtype = reference::Format::kF32;
  reference::Layout layout;  // `pairing` is the one of `in`
  std::int64_t heads = 0, columns = 0;
  Bits in, out;  // [heads * head_dim, columns]
};

// One file of vectors: cases of one type that belong together.
struct Group {
  std::string name;                            // also the file's name
  std::string tier;                            // "smoke" or "core"
  std::string description;                     // one paragraph
  std::map<std::string, std::string> targets;  // bug class -> what goes wrong
  std::vector<RopeCase> rope_cases;
  std::vector<PermuteCase> permute_cases;
};

}  // namespace ropeproof::conformance

#endif  // ROPEPROOF_CONFORMANCE_CORPUS_CASE_H_
