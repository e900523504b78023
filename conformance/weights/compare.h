// compare.h -- two checkpoints of one model: which tensors of its attention are
// equal, which permuted for the other pairing, and which wrong, and how.
//
// A map of rows is found by digests; each tensor is read once. All q and k must
// be permuted alike, their biases, norms and rows of LoRA B with them; v and
// LoRA A never. What is alike is decided by `expected`, else by most of q and
// k; of as many on both sides, those that are permuted.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/text/word_tables.h"
#include "conformance/weights/attention.h"
#include "conformance/weights/checkpoint.h"
#include "conformance/weights/roles.h"
#include "conformance/weights/row_maps.h"

namespace ropeproof::conformance::weights {

enum class Verdict { kEqual, kPermuted, kWrong, kNotJudged };

struct Finding {
  std::int64_t layer = 0;          // -1: none
  std::string what;                // "k bias"
  std::string tensor_a, tensor_b;  // names; empty: it has none
  Verdict verdict = Verdict::kEqual;
  // How it is wrong or why it is not judged, and what to do. Else empty.
  std::string fault, advice;
  std::optional<std::uint64_t> first_row;  // of B, that differs
};

struct Comparison {
  Direction direction = Direction::kNone;  // from A to B
  std::string reason;                      // why this one
  std::string names;    // how tensors of unknown names were matched; or empty
  Attention attention;  // with what was inferred
  std::vector<Finding> findings;  // by layer

  std::size_t count(Verdict verdict) const;
  // 0: all equal or consistently permuted; 1: something is wrong; 2: nothing
  // is, and something, or all, was not judged.
  int exit_status() const;
};

// `progress`, if there is one, gets how many tensors of how many were read.
// Throws CheckpointError.
Comparison compare(
    const Checkpoint& a, const Checkpoint& b, const RoleTable& table,
    const Attention& attention, std::optional<Direction> expected = {},
    const std::string& reason = "",
    const std::function<void(std::size_t, std::size_t)>& progress = {});

inline constexpr text::Words<Verdict, 4> kVerdictWords{
    {{Verdict::kEqual, "equal"},
     {Verdict::kPermuted, "permuted"},
     {Verdict::kWrong, "wrong"},
     {Verdict::kNotJudged, "not_judged"}}};
inline constexpr text::Words<Direction, 3> kDirectionWords{
    {{Direction::kNone, "equal"},
     {Direction::kToInterleaved, "half_split -> interleaved"},
     {Direction::kToHalfSplit, "interleaved -> half_split"}}};

// Returns what a program says of it, in lines; and as JSON.
std::string text_of(const Comparison& comparison);
std::string json_of(const Comparison& comparison);

}  // namespace ropeproof::conformance::weights
