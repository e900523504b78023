// class_words.h -- the dimensions and classes that the program knows, with
// those of storage in cases/case_words.h. A model uses some of them, that of
// vectors/coverage/ all.
#ifndef ROPEPROOF_CONFORMANCE_COVER_CLASS_WORDS_H_
#define ROPEPROOF_CONFORMANCE_COVER_CLASS_WORDS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/cases/case_words.h"
#include "conformance/cover/values.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::cover {

struct KnownDimension {
  std::string_view name;
  std::vector<std::string> classes;  // none of one of ranges
  std::uint32_t operations;          // whose problems say something of it
};
const std::vector<KnownDimension>& known_dimensions();

// Null if it is not known.
const KnownDimension* find_dimension(std::string_view name);

// Pairings, with what distinguishes two kernels of one pairing.
struct PairingClass {
  reference::Pairing pairing;
  bool has_blocks;  // two or more
  bool is_apart;    // a pair_distance of its own
  bool operator==(const PairingClass&) const = default;
};
inline constexpr text::Words<PairingClass, 6> kPairingClasses{
    {{{reference::Pairing::kHalfSplit, false, false}, "half_split"},
     {{reference::Pairing::kInterleaved, false, false}, "interleaved"},
     {{reference::Pairing::kInterleavedToHalf, false, false},
      "interleaved_to_half"},
     {{reference::Pairing::kNestedHalfSplit, false, false}, "nested"},
     {{reference::Pairing::kNestedHalfSplit, true, false}, "nested_blocks"},
     {{reference::Pairing::kHalfSplit, false, true}, "half_split_apart"}}};

// Those of a scaling begin with its word.
enum class ScalingClass {
  kNone,
  kLinear,
  kNtk,
  kDynamicNtk,         // longer than trained
  kDynamicNtkShort,    // shorter
  kDynamicNtkTrained,  // exactly the trained length
  kYarn,
  kYarnUntruncated,
  kYarnMscale,
  kYarnAttention,  // the amplitude is given
  kLongRope,       // longer than trained
  kLongRopeShort,  // shorter, or exactly the trained length
  kLlama3,
  kFrequencyFactors,
  kInvFreq,    // a list of frequencies
  kExponents,  // exponents of each pair
};
inline constexpr text::Words<ScalingClass, 16> kScalingClasses{
    {{ScalingClass::kNone, "none"},
     {ScalingClass::kLinear, "linear"},
     {ScalingClass::kNtk, "ntk"},
     {ScalingClass::kDynamicNtk, "dynamic_ntk"},
     {ScalingClass::kDynamicNtkShort, "dynamic_ntk_short"},
     {ScalingClass::kDynamicNtkTrained, "dynamic_ntk_trained"},
     {ScalingClass::kYarn, "yarn"},
     {ScalingClass::kYarnUntruncated, "yarn_untruncated"},
     {ScalingClass::kYarnMscale, "yarn_mscale"},
     {ScalingClass::kYarnAttention, "yarn_attention"},
     {ScalingClass::kLongRope, "long_rope"},
     {ScalingClass::kLongRopeShort, "long_rope_short"},
     {ScalingClass::kLlama3, "llama3"},
     {ScalingClass::kFrequencyFactors, "frequency_factors"},
     {ScalingClass::kInvFreq, "inv_freq"},
     {ScalingClass::kExponents, "exponents"}}};

// The scaling that a class is of, by its bit of the ABI; 0: of none.
std::uint32_t scaling_of(ScalingClass scaling);

// Whether a scaling of the ABI decides the amplitude, too.
bool decides_amplitude(std::uint32_t scaling);

enum class AmplitudeClass {
  kOne,
  kOfScaling,
  kLarge,  // above 1
  kSmall,  // between 0 and 1
  kZero,
  kNegative,
  kPerPair
};
inline constexpr text::Words<AmplitudeClass, 7> kAmplitudeClasses{
    {{AmplitudeClass::kOne, "one"},
     {AmplitudeClass::kOfScaling, "of_scaling"},
     {AmplitudeClass::kLarge, "large"},
     {AmplitudeClass::kSmall, "small"},
     {AmplitudeClass::kZero, "zero"},
     {AmplitudeClass::kNegative, "negative"},
     {AmplitudeClass::kPerPair, "per_pair"}}};

enum class BaseClass { k10000, kOther, kFractional, kSmall };
inline constexpr text::Words<BaseClass, 4> kBaseClasses{
    {{BaseClass::k10000, "10000"},
     {BaseClass::kOther, "other"},
     {BaseClass::kFractional, "fractional"},  // no f32 number
     {BaseClass::kSmall, "small"}}};          // up to 256

enum class AxesClass {
  kOne,
  kSections2,
  kSections3,
  kSections4,
  kSections6,
  kSectionsInside,  // three; the axes lie inside the batch rows
  kInterleaved,     // two, three or four
  kGrid,
  kGrid3,
  kAny,
  kWeights2,
  kWeights3
};
inline constexpr text::Words<AxesClass, 12> kAxesClasses{
    {{AxesClass::kOne, "one"},
     {AxesClass::kSections2, "sections_2"},
     {AxesClass::kSections3, "sections_3"},
     {AxesClass::kSections4, "sections_4"},
     {AxesClass::kSections6, "sections_6"},
     {AxesClass::kSectionsInside, "sections_inside"},
     {AxesClass::kInterleaved, "interleaved"},
     {AxesClass::kGrid, "grid"},
     {AxesClass::kGrid3, "grid_3"},
     {AxesClass::kAny, "any"},
     {AxesClass::kWeights2, "weights_2"},
     {AxesClass::kWeights3, "weights_3"}}};

inline constexpr text::Words<bool, 2> kNumberClasses{
    {{false, "integer"}, {true, "real"}}};
inline constexpr text::Words<bool, 2> kSignClasses{
    {{false, "positive"}, {true, "mixed"}}};

// The largest |position| of a call is below 2^k, and not below the power
// before.
inline constexpr text::Words<int, 7> kMagnitudeClasses{{{8, "2^8"},
                                                        {12, "2^12"},
                                                        {16, "2^16"},
                                                        {20, "2^20"},
                                                        {24, "2^24"},
                                                        {31, "2^31"},
                                                        {34, "2^34"}}};

// Of the positions of one batch row.
enum class OrderClass {
  kAscending,  // by one, up to the largest; or a single token
  kFromZero,   // 0, 1, 2 ...: shapes alone have it
  kShuffled,
  kConstant,
  kPacked,  // begins anew at 0, several times
  kOneFar   // one token is far from the others
};
inline constexpr text::Words<OrderClass, 5> kOrderClasses{
    {{OrderClass::kAscending, "ascending"},
     {OrderClass::kShuffled, "shuffled"},
     {OrderClass::kConstant, "constant"},
     {OrderClass::kPacked, "packed"},
     {OrderClass::kOneFar, "one_far"}}};

enum class WindowClass {
  kFull,
  kLeading,
  kLeadingOdd,  // head_dim is odd
  kMiddle,
  kMiddleOdd,  // head_dim and rotary_offset are odd
  kTrailing,
  kFar  // trailing, behind 128 channels or more: multi-head latent attention
};
inline constexpr text::Words<WindowClass, 7> kWindowClasses{
    {{WindowClass::kFull, "full"},
     {WindowClass::kLeading, "leading"},
     {WindowClass::kLeadingOdd, "leading_odd"},
     {WindowClass::kMiddle, "middle"},
     {WindowClass::kMiddleOdd, "middle_odd"},
     {WindowClass::kTrailing, "trailing"},
     {WindowClass::kFar, "far"}}};
inline constexpr std::int64_t kFarOffset = 128;

inline constexpr text::Words<Values, 4> kValuesClasses{
    {{Values::kRandom, "random"},
     {Values::kCancelling, "cancelling"},
     {Values::kUnlike, "unlike"},
     {Values::kSpecial, "special"}}};

}  // namespace ropeproof::conformance::cover

#endif  // ROPEPROOF_CONFORMANCE_COVER_CLASS_WORDS_H_
