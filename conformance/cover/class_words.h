// class_words.h -- the classes of each dimension, by meaning and in words.
#pragma once

#include <cstddef>
#include <string_view>

#include "conformance/cases/case_words.h"
#include "conformance/cover/values.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::cover {

// The classes of a dimension: values, and their words in a model.
template <class Value, std::size_t kSize>
struct Classes {
  std::string_view dimension;
  text::Words<Value, kSize> words;
};
template <class Value, std::size_t kSize>
Classes(std::string_view, text::Words<Value, kSize>) -> Classes<Value, kSize>;

// The words of enumerators, in their order.
template <class Enum, class... Word>
constexpr text::Words<Enum, sizeof...(Word)> named(Word... word) {
  int next = 0;
  return {{{static_cast<Enum>(next++), word}...}};
}

inline constexpr Classes kDtype{
    "dtype",
    text::Words<reference::Format, 4>{{{reference::Format::kF32, "f32"},
                                       {reference::Format::kBF16, "bf16"},
                                       {reference::Format::kF16, "f16"},
                                       {reference::Format::kF64, "f64"}}}};
inline constexpr Classes kDirection{"direction", text::kDirectionWords};

// Pairings, with what distinguishes two kernels of one pairing.
struct PairingClass {
  reference::Pairing pairing;
  bool has_blocks = false;  // two or more
  bool is_apart = false;    // a pair_distance of its own
  bool operator==(const PairingClass&) const = default;
};
inline constexpr Classes kPairing{
    "pairing",
    text::Words<PairingClass, 6>{
        {{{reference::Pairing::kHalfSplit}, "half_split"},
         {{reference::Pairing::kInterleaved}, "interleaved"},
         {{reference::Pairing::kInterleavedToHalf}, "interleaved_to_half"},
         {{reference::Pairing::kNestedHalfSplit}, "nested"},
         {{reference::Pairing::kNestedHalfSplit, true}, "nested_blocks"},
         {{reference::Pairing::kHalfSplit, false, true}, "half_split_apart"}}}};

enum class AmplitudeClass {
  kOne,
  kOfScaling,
  kLarge,  // above 1
  kSmall,  // between 0 and 1
  kZero,
  kNegative,
  kPerPair
};
inline constexpr Classes kAmplitude{
    "amplitude", named<AmplitudeClass>("one", "of_scaling", "large", "small",
                                       "zero", "negative", "per_pair")};

enum class BaseClass {
  k10000,
  kOther,
  kFractional,  // no f32 number
  kSmall        // up to 256
};
inline constexpr Classes kBase{
    "base", named<BaseClass>("10000", "other", "fractional", "small")};

enum class AxesClass {
  kOne,
  kSections2,
  kSections3,
  kSections4,
  kSectionsMany,    // five to ROPEPROOF_MAX_SECTIONS
  kSectionsInside,  // three; the axes lie inside the batch rows
  kInterleaved,     // two, three or four
  kGrid,
  kGrid3,
  kAny,
  kWeights2,
  kWeightsMany  // three to eight
};
inline constexpr Classes kAxes{
    "axes",
    named<AxesClass>("one", "sections_2", "sections_3", "sections_4",
                     "sections_many", "sections_inside", "interleaved", "grid",
                     "grid_3", "any", "weights_2", "weights_many")};

inline constexpr Classes kNumbers{"numbers", named<bool>("integer", "real")};
inline constexpr Classes kSign{"sign", named<bool>("positive", "mixed")};

// The largest |position| of a call is below 2^k, and not below the power
// before.
inline constexpr Classes kMagnitude{"magnitude",
                                    text::Words<int, 7>{{{8, "2^8"},
                                                         {12, "2^12"},
                                                         {16, "2^16"},
                                                         {20, "2^20"},
                                                         {24, "2^24"},
                                                         {31, "2^31"},
                                                         {52, "2^52"}}}};

// The order of the positions of one batch row.
enum class OrderClass {
  kAscending,  // by one, up to the largest; or a single token
  kShuffled,
  kConstant,
  kPacked,   // begins anew at 0, several times
  kOneFar,   // one token is far from the others
  kFromZero  // 0, 1, 2 ...: shapes alone have it
};
inline constexpr Classes kOrder{
    "order", named<OrderClass>("ascending", "shuffled", "constant", "packed",
                               "one_far")};

enum class WindowClass {
  kFull,
  kLeading,
  kLeadingOdd,  // head_dim is odd
  kMiddle,
  kMiddleOdd,  // head_dim and rotary_offset are odd
  kTrailing,
  kFar  // trailing, behind 128 channels or more: multi-head latent attention
};
inline constexpr Classes kWindow{
    "window", named<WindowClass>("full", "leading", "leading_odd", "middle",
                                 "middle_odd", "trailing", "far")};

inline constexpr Classes kValues{
    "values", named<Values>("random", "cancelling", "unlike", "special")};
inline constexpr Classes kLayout{"layout", cases::kOrderWords};
inline constexpr Classes kStrides{"strides", cases::kSpacingWords};
inline constexpr Classes kRows{"rows", cases::kRowSpacingWords};
inline constexpr Classes kPlace{"place", cases::kInPlaceWords};
inline constexpr Classes kEdge{"edge", cases::kEdgeWords};

}  // namespace ropeproof::conformance::cover
