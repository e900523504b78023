// words.h -- the words that files, flags, reports and the protocol use.
//
// One table per enumeration; the schema, the adapters' documentation and the
// ABI use the same words.
#ifndef ROPEPROOF_CONFORMANCE_CORPUS_WORDS_H_
#define ROPEPROOF_CONFORMANCE_CORPUS_WORDS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "conformance/corpus/case.h"
#include "conformance/ropeproof_kernel.h"
#include "reference/format.h"
#include "reference/spec.h"

namespace ropeproof::conformance {

template <class Value, std::size_t kSize>
using Words = std::array<std::pair<Value, std::string_view>, kSize>;

template <class Value, std::size_t kSize>
std::string word(const Words<Value, kSize>& words, Value value) {
  for (const auto& [known, text] : words) {
    if (known == value) return std::string(text);
  }
  return "?";
}

template <class Value, std::size_t kSize>
std::optional<Value> find_word(const Words<Value, kSize>& words,
                               std::string_view text) {
  for (const auto& [value, known] : words) {
    if (known == text) return value;
  }
  return std::nullopt;
}

// "a, b or c", for error messages.
template <class Value, std::size_t kSize>
std::string list_words(const Words<Value, kSize>& words) {
  std::string result;
  for (std::size_t i = 0; i < kSize; ++i) {
    if (i > 0) result += i + 1 < kSize ? ", " : " or ";
    result += words[i].second;
  }
  return result;
}

inline constexpr Words<reference::Format, 4> kFormatWords{
    {{reference::Format::kF64, "f64"},
     {reference::Format::kF32, "f32"},
     {reference::Format::kF16, "f16"},
     {reference::Format::kBF16, "bf16"}}};

inline constexpr Words<reference::Pairing, 4> kPairingWords{
    {{reference::Pairing::kInterleaved, "interleaved"},
     {reference::Pairing::kHalfSplit, "half_split"},
     {reference::Pairing::kInterleavedToHalf, "interleaved_to_half"},
     {reference::Pairing::kNestedHalfSplit, "nested_half_split"}}};

inline constexpr Words<reference::Direction, 2> kDirectionWords{
    {{reference::Direction::kForward, "forward"},
     {reference::Direction::kAdjoint, "adjoint"}}};

inline constexpr Words<Memory, 4> kMemoryWords{
    {{Memory::kDense, "dense"},
     {Memory::kInPlace, "in_place"},
     {Memory::kStrided, "strided"},
     {Memory::kStridedInPlace, "strided_in_place"}}};

inline constexpr Words<Defect, 12> kDefectWords{
    {{Defect::kOddRotaryDim, "odd_rotary_dim"},
     {Defect::kRotaryDimAboveHeadDim, "rotary_dim_above_head_dim"},
     {Defect::kZeroRotaryDim, "zero_rotary_dim"},
     {Defect::kWindowBeyondHead, "window_beyond_head"},
     {Defect::kNegativeBatch, "negative_batch"},
     {Defect::kZeroDirection, "zero_direction"},
     {Defect::kNonFiniteBase, "non_finite_base"},
     {Defect::kNullInput, "null_input"},
     {Defect::kNullOutput, "null_output"},
     {Defect::kNullPositions, "null_positions"},
     {Defect::kOverlappingTensors, "overlapping_tensors"},
     {Defect::kOverlappingRows, "overlapping_rows"}}};

inline constexpr Words<std::uint32_t, 5> kOperationWords{
    {{ROPEPROOF_FREQUENCIES, "frequencies"},
     {ROPEPROOF_TABLE, "table"},
     {ROPEPROOF_ROTATE, "rotate"},
     {ROPEPROOF_ROPE, "rope"},
     {ROPEPROOF_PERMUTE, "permute"}}};

inline constexpr Words<std::uint32_t, 4> kDtypeWords{
    {{ROPEPROOF_F64, "f64"},
     {ROPEPROOF_F32, "f32"},
     {ROPEPROOF_F16, "f16"},
     {ROPEPROOF_BF16, "bf16"}}};

inline constexpr Words<std::uint32_t, 4> kAngleClassWords{
    {{ROPEPROOF_A0, "A0"},
     {ROPEPROOF_A1, "A1"},
     {ROPEPROOF_A2, "A2"},
     {ROPEPROOF_A3, "A3"}}};

// The ABI's bit of a format, and back.
constexpr std::uint32_t abi_dtype(reference::Format format) {
  switch (format) {
    case reference::Format::kF64:
      return ROPEPROOF_F64;
    case reference::Format::kF32:
      return ROPEPROOF_F32;
    case reference::Format::kF16:
      return ROPEPROOF_F16;
    case reference::Format::kBF16:
      break;
  }
  return ROPEPROOF_BF16;
}

constexpr std::uint32_t abi_pairing(reference::Pairing pairing) {
  switch (pairing) {
    case reference::Pairing::kInterleaved:
      return ROPEPROOF_INTERLEAVED;
    case reference::Pairing::kHalfSplit:
      return ROPEPROOF_HALF_SPLIT;
    case reference::Pairing::kInterleavedToHalf:
      return ROPEPROOF_INTERLEAVED_TO_HALF;
    case reference::Pairing::kNestedHalfSplit:
      break;
  }
  return ROPEPROOF_NESTED_HALF_SPLIT;
}

constexpr reference::Format format_of(std::uint32_t dtype) {
  return dtype == ROPEPROOF_F64   ? reference::Format::kF64
         : dtype == ROPEPROOF_F32 ? reference::Format::kF32
         : dtype == ROPEPROOF_F16 ? reference::Format::kF16
                                  : reference::Format::kBF16;
}

constexpr std::size_t bytes_of(reference::Format format) {
  return static_cast<std::size_t>(reference::traits(format).total_bits) / 8;
}

}  // namespace ropeproof::conformance

#endif  // ROPEPROOF_CONFORMANCE_CORPUS_WORDS_H_
