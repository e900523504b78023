// abi_words.h -- the numbers of ropeproof_kernel.h in words, and as what
// reference/ has for them; features.h has those of the features, scalings.h
// those of the scalings.
#pragma once

#include <ropeproof_kernel.h>

#include <cstddef>
#include <cstdint>

#include "conformance/text/word_tables.h"
#include "reference/format.h"
#include "reference/spec.h"

namespace ropeproof::conformance::plugin {

inline constexpr text::Words<std::uint32_t, 4> kAxisMapWords{
    {{ROPEPROOF_AXES_SECTIONS, "sections"},
     {ROPEPROOF_AXES_INTERLEAVED, "interleaved"},
     {ROPEPROOF_AXES_GRID, "grid"},
     {ROPEPROOF_AXES_ANY, "any"}}};

inline constexpr text::Words<std::uint32_t, 3> kCacheWords{
    {{ROPEPROOF_CACHE_SPLIT, "split"},
     {ROPEPROOF_CACHE_SIDE_BY_SIDE, "side_by_side"},
     {ROPEPROOF_CACHE_DOUBLED, "doubled"}}};

inline constexpr text::Words<std::uint32_t, 2> kPowerWords{
    {{ROPEPROOF_POW, "pow"}, {ROPEPROOF_EXP2, "exp2"}}};

inline constexpr text::Words<std::uint32_t, 3> kRoundingWords{
    {{ROPEPROOF_ROUND_ONCE, "once"},
     {ROPEPROOF_ROUND_EACH, "each"},
     {ROPEPROOF_TRUNCATE, "truncate"}}};

inline constexpr text::Words<std::uint32_t, 6> kOperationWords{
    {{ROPEPROOF_FREQUENCIES, "frequencies"},
     {ROPEPROOF_TABLE, "table"},
     {ROPEPROOF_ROTATE, "rotate"},
     {ROPEPROOF_ROPE, "rope"},
     {ROPEPROOF_PERMUTE, "permute"},
     {ROPEPROOF_LOOKUP, "lookup"}}};

// Operations on q and k; those of them that are given cosines and sines; and
// operations that form angles.
inline constexpr std::uint32_t kTensors =
    ROPEPROOF_ROTATE | ROPEPROOF_ROPE | ROPEPROOF_LOOKUP;
inline constexpr std::uint32_t kGivenTable =
    ROPEPROOF_ROTATE | ROPEPROOF_LOOKUP;
inline constexpr std::uint32_t kAngles = ROPEPROOF_TABLE | ROPEPROOF_ROPE;

inline constexpr std::uint32_t k16BitDtypes = ROPEPROOF_F16 | ROPEPROOF_BF16;

inline constexpr text::Words<std::uint32_t, 4> kAngleClassWords{
    {{ROPEPROOF_A0, "A0"},
     {ROPEPROOF_A1, "A1"},
     {ROPEPROOF_A2, "A2"},
     {ROPEPROOF_A3, "A3"}}};

// The ABI's bit of a format; format_of() is its inverse.
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

inline constexpr auto kDtypeWords =
    text::words_for(text::kFormatWords, abi_dtype);
inline constexpr auto kAbiPairingWords =
    text::words_for(text::kPairingWords, abi_pairing);

constexpr reference::Format format_of(std::uint32_t dtype) {
  return dtype == ROPEPROOF_F64   ? reference::Format::kF64
         : dtype == ROPEPROOF_F32 ? reference::Format::kF32
         : dtype == ROPEPROOF_F16 ? reference::Format::kF16
                                  : reference::Format::kBF16;
}

constexpr std::size_t bytes_of(reference::Format format) {
  return static_cast<std::size_t>(reference::traits(format).total_bits) / 8;
}

// Calls f(T()) for the unsigned type of an element of so many bytes, since
// copies of a variable number of bytes are slow.
template <class F>
auto with_element(std::size_t bytes, const F& f) {
  switch (bytes) {
    case 2:
      return f(std::uint16_t{});
    case 4:
      return f(std::uint32_t{});
    default:
      return f(std::uint64_t{});
  }
}

}  // namespace ropeproof::conformance::plugin
