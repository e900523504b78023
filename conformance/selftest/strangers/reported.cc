// Faults that reports, engines and attacks have shown, as far as the grammar
// has words for them.

#include "conformance/selftest/strangers/program.h"

namespace ropeproof::conformance::selftest::strangers {
namespace {

// clang-format off

Program one(bool is_wide, Point point, Op op, double number = 0,
            std::optional<When> when = {}, std::uint32_t key = 0) {
  using enum Point;
  const Part part = point <= kOutsideLoop ? Part::kLoop
                    : point <= kCacheRow  ? Part::kIndex
                    : point <= kOutside   ? Part::kValue
                    : point <= kTable     ? Part::kMemory
                                          : Part::kScaling;
  return {is_wide, {{part, point, op, number, key, when}}};
}

std::vector<Program> programs() {
  using enum Point;
  using enum Op;
  using enum Feature;
  constexpr bool kNarrow = false, kWide = true;
  constexpr Compare kAbove = Compare::kAbove, kIs = Compare::kEqual,
                    kRest = Compare::kModulo;
  constexpr std::uint32_t kEnds = 1 << 4 | 1 << 5, kAddress = 1 << 7,
                          kPairs = 1 << 2;
  return {
      // How large elements are.
      one(kNarrow, kInput, kSaturated, 32768),
      one(kNarrow, kInput, kSaturated, 0x1p100),
      // The narrow one does not promise subnormal numbers.
      one(kWide, kResult, kFlushed, 0x1p-126),
      one(kWide, kInput, kToFormat, 2, When{kIsBF16, kIs, 1}),
      // Sizes.
      one(kNarrow, kPairLoop, kLastMissed, 2, When{kHeadDim, kIs, 208}),
      one(kWide, kPairLoop, kLastMissed, 2, When{kHeadDim, kIs, 576}),
      one(kNarrow, kPairLoop, kFirstTileOnly, 256),
      one(kWide, kPairLoop, kFirstTileOnly, 64),
      one(kNarrow, kResult, kNegated, 0, When{kElements, kAbove, 4194303}),
      one(kNarrow, kResult, kNegated, 0, When{kRows, kAbove, 10239}),
      one(kNarrow, kResult, kNegated, 0, When{kTokens, kAbove, 511}),
      one(kNarrow, kInHead, kPlus, 1, When{kRows, kAbove, 4096}),
      // Positions.
      one(kNarrow, kPosition, kClamped, 131072),
      one(kNarrow, kPosition, kCutSigned, 32),
      one(kNarrow, kPosition, kCutUnsigned, 16),
      one(kNarrow, kPosition, kAdded, 1, When{kPositionIs, kRest, 1000, 7}),
      one(kNarrow, kPosition, kToFormat, 1),
      one(kWide, kStore, kMissed, 0, When{kPositionIs, kIs, -1}),
      // Axes and strides.
      one(kWide, kAxis, kPlus, 1, When{kIsInterleaved, kIs, 1}),
      one(kWide, kAxis, kClamped, 2),
      one(kWide, kPositionBatch, kIgnored, 0, When{kHasAxes, kIs, 1}),
      one(kWide, kTableOffset, kCutSigned, 16),
      one(kWide, kInChannel, kPlus, 1, When{kIsAdjoint, kIs, 1}),
      one(kNarrow, kInOffset, kCutSigned, 16),
      one(kNarrow, kInBatch, kIgnored),
      one(kNarrow, kRowLoop, kWrapped, 512),
      one(kNarrow, kInHead, kModulo, 4096),
      // State.
      one(kNarrow, kTable, kStale, 16, {}, kEnds),
      one(kNarrow, kTable, kStale, 64, {}, kAddress),
      one(kWide, kTable, kStale, 64, {}, kPairs),
      one(kNarrow, kResult, kNegated, 0, When{kCalls, kAbove, 100000}),
      one(kNarrow, kSine, kZeroed, 0, When{kCalls, kRest, 2, 1}),
      // Loops.
      one(kNarrow, kHeadOfRowLoop, kLastOfTileMissed, 64),
      one(kNarrow, kHeadLoop, kWrapped, 32),
      one(kNarrow, kPairLoop, kTailMissed, 8, When{kIsInPlace, kIs, 1}),
      one(kNarrow, kSine, kZeroed, 0, When{kTokenIndex, kRest, 16, 15}),
      // Numbers.
      one(kNarrow, kCosine, kToFormat, 1, When{kPositionIs, kRest, 2, 1}),
      one(kNarrow, kCosine, kToBits, 20),
      one(kNarrow, kInput, kToBits, 11),
      one(kNarrow, kProduct, kToFormat, 1, When{kHeadIndex, kAbove, 3}),
      one(kNarrow, kFrequency, kByRecurrence),
      one(kNarrow, kFrequency, kToBits, 11, When{kPairIndex, kIs, 3}),
      one(kWide, kAmplitude, kToFormat, 2),
      one(kNarrow, kSine, kNegated, 0, When{kHeads, kAbove, 32}),
      one(kNarrow, kResult, kZeroed, 0, When{kOutAddress, kRest, 32, 16}),
      // Parameters.
      one(kNarrow, kBase, kToInteger),
      one(kNarrow, kBase, kConstant, 4294967, When{kBaseIs, kAbove, 4294967}),
      one(kNarrow, kDimension, kConstant, 128),
      one(kWide, kRampHigh, kUnclamped),
      one(kWide, kFactor, kTimes, 2)};
}

// clang-format on

}  // namespace

const std::vector<Program>& reported_programs() {
  static const std::vector<Program> all = programs();
  return all;
}

}  // namespace ropeproof::conformance::selftest::strangers
