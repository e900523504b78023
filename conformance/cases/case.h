// case.h -- one test case: a problem, and what is true about it.
//
// Tensors are bit patterns. Inputs are in the case's dtype; goldens are
// binary64 rounded to odd (reference/golden.h), so one ordinary cast to f32,
// f16 or bf16 is correctly rounded. An f64 case needs more: its goldens are
// pairs, hi rounded to nearest and lo = y - hi rounded to nearest. Shapes are
// row-major and dense; how a tensor lies in memory during a call is `storage`.
#ifndef ROPEPROOF_CONFORMANCE_CASES_CASE_H_
#define ROPEPROOF_CONFORMANCE_CASES_CASE_H_

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "conformance/cases/storage.h"
#include "reference/format.h"
#include "reference/spec.h"

namespace ropeproof::conformance::cases {

using Bits = std::vector<std::uint64_t>;

// What stands in a golden, or its lower half.
inline double value_of(std::uint64_t golden) {
  return std::bit_cast<double>(golden);
}
// Goldens, each rounded once.
inline Bits rounded_to(reference::Format format, const Bits& goldens) {
  Bits bits;
  for (const std::uint64_t golden : goldens) {
    bits.push_back(encode(format, value_of(golden)));
  }
  return bits;
}

// A printed decimal whose last digit is not the exact value's.
struct Erratum {
  std::string tensor;               // "q", "k", "cos" or "sin"
  std::vector<std::int64_t> index;  // into that tensor
  std::string printed, correct;
};

// What an output element must be where no real number says it: patterns that
// stand in place of a golden, in cases with `is_special` alone.
inline constexpr std::uint64_t kMustBeNan = 0x7ff8000000000000;
inline constexpr std::uint64_t kMustNotBeFinite = 0x7ff8000000000001;
inline constexpr std::uint64_t kMustBePlusInfinity = 0x7ff0000000000000;
inline constexpr std::uint64_t kMustBeMinusInfinity = 0xfff0000000000000;

// Decimals that a document prints for a case, with the tolerance they hold to.
struct Printed {
  std::string source;
  std::string tolerance;  // absolute, a decimal
  std::vector<std::string> inv_freq, cos, sin, q, k;
  std::vector<Erratum> errata;
};

// A case of the operations frequencies, table, rotate, rope and lookup.
struct RopeCase {
  std::string id;  // permanent: never reused, never renumbered
  std::string comment;
  std::vector<std::string> targets;  // bug classes, keys of Group::targets
  reference::Format dtype = reference::Format::kF32;
  reference::Spec spec;
  std::int64_t batch = 0, seq = 0, q_heads = 0, k_heads = 0;
  Storage storage;
  bool is_special = false;        // NaN, infinite or subnormal elements
  std::vector<double> positions;  // [axes, batch, seq], each exact
  Bits q, k;                      // [batch, seq, heads, head_dim]

  // Goldens.
  int precision_bits = 0;         // widest working precision used
  double amplitude = 1;           // m: the specification's or its scaling's
  Bits pair_amplitude;            // xPos: m of every pair, shaped as cos
  Bits inv_freq_hi, inv_freq_lo;  // [rotary_dim/2], binary64 to nearest
  Bits cos, sin;                  // [batch, seq, rotary_dim/2], times m
  Bits q_out, k_out;              // as q and k
  Bits cos_lo, sin_lo, q_out_lo, k_out_lo;  // f64 cases; else empty
  std::optional<Printed> printed;

  std::int64_t pairs() const { return spec.layout.rotary_dim / 2; }
  std::int64_t tokens() const { return batch * seq; }
  std::int64_t elements() const {  // of q and k
    return tokens() * (q_heads + k_heads) * spec.layout.head_dim;
  }

  // The nearest of the storages that files have words for: its own, but for cases
  // that are formed at run time.
  Storage nearest_storage() const {
    const bool is_dense = storage.is_dense() && !storage.are_axes_inside;
    return storage.any_in_place(k_heads)
               ? (is_dense ? kInPlace : kStridedInPlace)
               : (is_dense ? kDense : kStrided);
  }

  // Whether some position is no integer.
  bool has_real_positions() const {
    return std::any_of(positions.begin(), positions.end(),
                       [](double p) { return p != std::floor(p); });
  }

  // The position of a token on axis `axis`.
  double position(std::int64_t axis, std::int64_t token) const {
    return positions[static_cast<std::size_t>(axis * tokens() + token)];
  }
  // m of pair j at a token.
  double amplitude_of(std::int64_t token, std::int64_t j) const {
    return pair_amplitude.empty()
               ? amplitude
               : value_of(reference::at(pair_amplitude, token * pairs() + j));
  }
};

// A golden of a rope case: what its file calls it, where it is and how large.
struct GoldenTensor {
  const char* key;
  Bits RopeCase::*bits;
  Bits RopeCase::*hi;      // of a lo, what it belongs to; else as `bits`
  std::int64_t rows, row;  // `rows` rows of `row` elements
  std::int64_t per_token;  // rows of each token; 0: they belong to none
  bool is_present = true;  // else it is empty, and not in the file
};

// All of them, in the order of a file.
inline std::vector<GoldenTensor> goldens_of(const RopeCase& c) {
  using R = RopeCase;
  const std::int64_t n = c.pairs(), d = c.spec.layout.head_dim, t = c.tokens(),
                     q = t * c.q_heads, k = t * c.k_heads;
  const bool is_f64 = c.dtype == reference::Format::kF64;
  return {{"inv_freq_hi", &R::inv_freq_hi, &R::inv_freq_hi, 1, n, 0},
          {"inv_freq_lo", &R::inv_freq_lo, &R::inv_freq_hi, 1, n, 0},
          {"cos", &R::cos, &R::cos, t, n, 1},
          {"sin", &R::sin, &R::sin, t, n, 1},
          {"q", &R::q_out, &R::q_out, q, d, c.q_heads},
          {"k", &R::k_out, &R::k_out, k, d, c.k_heads},
          {"cos_lo", &R::cos_lo, &R::cos, t, n, 1, is_f64},
          {"sin_lo", &R::sin_lo, &R::sin, t, n, 1, is_f64},
          {"q_lo", &R::q_out_lo, &R::q_out, q, d, c.q_heads, is_f64},
          {"k_lo", &R::k_out_lo, &R::k_out, k, d, c.k_heads, is_f64},
          {"pair_amplitude", &R::pair_amplitude, &R::pair_amplitude, t, n, 1,
           c.spec.frequencies.xpos.has_value()}};
}

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

// How a problem contradicts itself.
enum class Defect {
  kOddRotaryDim,
  kRotaryDimAboveHeadDim,
  kZeroRotaryDim,
  kWindowBeyondHead,  // rotary_offset + rotary_dim > head_dim
  kNegativeBatch,
  kZeroDirection,
  kNonFiniteBase,       // and inv_freq
  kNullInput,           // q.in
  kNullOutput,          // q.out
  kNullPositions,       // rope; cos for rotate
  kOverlappingTensors,  // q.out begins one element after q.in
  kOverlappingRows,     // out_token_stride smaller than a row
  kIdOutOfRange,        // lookup: an id is the number of rows
  kNegativeId,          // lookup: an id is -1
};

// A problem that a kernel with ROPEPROOF_VALIDATES answers with
// ROPEPROOF_INVALID, writing nothing: a valid case with one defect.
struct RejectCase {
  std::string id;
  std::string comment;
  std::vector<std::string> targets;
  std::string of;  // id of the valid case
  Defect defect = Defect::kOddRotaryDim;
};

// Calls in a row, in one process: caches that outlive the problem they were
// made for. Each call is judged as its case is; a deterministic kernel also
// gives the bits that it gives in a process of its own.
struct SequenceCase {
  std::string id;
  std::string comment;
  std::vector<std::string> targets;
  std::vector<std::string> calls;  // ids of rope cases, any group
};

// One file of vectors: cases of one type that belong together.
struct Group {
  std::string name;                            // also the file's name
  std::string tier;                            // "smoke", "core" or "full"
  std::string description;                     // one paragraph
  std::map<std::string, std::string> targets;  // bug class -> what goes wrong
  bool is_bulk = false;                        // tensors lie in a side file
  std::vector<RopeCase> rope_cases;
  std::vector<PermuteCase> permute_cases;
  std::vector<RejectCase> reject_cases;
  std::vector<SequenceCase> sequence_cases;
};

// Calls visit(type, cases) for the list of cases of every type, const or not.
template <class AnyGroup, class Visit>
void for_each_type(AnyGroup& group, const Visit& visit) {
  visit("rope", group.rope_cases);
  visit("permute", group.permute_cases);
  visit("reject", group.reject_cases);
  visit("sequence", group.sequence_cases);
}

// Calls visit(case) for every case of a group, in the order of its file.
template <class AnyGroup, class Visit>
void for_each_case(AnyGroup& group, const Visit& visit) {
  for_each_type(group, [&](const char* /*type*/, auto& cases) {
    for (auto& c : cases) visit(c);
  });
}

}  // namespace ropeproof::conformance::cases

#endif  // ROPEPROOF_CONFORMANCE_CASES_CASE_H_
