// program.h -- a stranger as data: a correct kernel with one to three faults,
// each an operation at a point of its code, always or under a condition.
//
// The points and operations are those of code that anybody writes: loops,
// indices, numbers, memory, parameters. Nothing here knows what the suite asks
// or which bugs it has names for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ropeproof::conformance::selftest::strangers {

// clang-format off

// What a fault does something to: the classes of the grammar.
enum class Part { kLoop, kIndex, kValue, kMemory, kScaling };

// Where in the code.
enum class Point {
  // Loops. Rows are [batch, seq], heads of rows [batch, seq, heads].
  kBatchLoop, kTokenLoop, kRowLoop, kHeadLoop, kHeadOfRowLoop, kPairLoop,
  kOutsideLoop,
  // Indices and what they are multiplied to.
  kPositionBatch, kPositionToken, kPositionOffset, kAxis, kFrequencyIndex,
  kInBatch, kInToken, kInHead, kInOffset, kInChannel, kOutBatch, kOutToken,
  kOutHead, kOutOffset, kOutChannel, kTableOffset, kCacheRow,
  // Numbers.
  kPosition, kFrequency, kAngle, kCosine, kSine, kAmplitude, kInput, kProduct,
  kResult, kOutside,
  // Memory.
  kStore, kLoad, kTable,
  // Parameters of frequencies.
  kBase, kDimension, kFactor, kOriginalLength, kLength, kBetaFast, kBetaSlow,
  kRampLow, kRampHigh, kRampPart, kLowFactor, kHighFactor, kScalingAmplitude
};

// What is done there. `number` of a fault is T, n, k or c.
enum class Op {
  // Loops, in tiles of T.
  kTailMissed, kTailTwice, kTailAsFirst, kLastTileAgain, kFirstTileOnly,
  kLastOfTileMissed, kShortMissed, kWrapped, kLastMissed,
  // Indices.
  kCutSigned, kCutUnsigned, kBytesCutSigned, kBytesCutUnsigned, kInFloat,
  kModulo, kClamped, kPlus, kIgnored, kDense,
  // Numbers.
  kToFormat, kToBits, kToInteger, kFlushed, kSaturated, kLostBit, kTimes,
  kAdded, kNegated, kZeroed, kAbsolute, kConstant, kShortPolynomial,
  kFewEntries, kCoarseReduction, kByRecurrence,
  // Memory.
  kEarly, kMissed, kAccumulated, kTooWide, kTooFar, kStale,
  // Scalings.
  kUnclamped
};

// What a condition reads.
enum class Feature {
  kBatch, kSeq, kHeads, kHeadDim, kRotaryDim, kTokens, kSeqHeads, kRows,
  kElements, kRowElements, kBatchIndex, kTokenIndex, kHeadIndex, kPairIndex,
  kRowIndex, kElementIndex, kPositionIs, kMagnitude, kCalls, kInAddress,
  kOutAddress, kBaseIs, kIsKey, kHasKeys, kIsInPlace, kIsStrided,
  kIsAdjoint, kIsPartial, kHasOffset, kIsInterleaved, kIsBF16, kIsF16,
  kHasAxes, kIsScaled, kIsGivenTable
};

struct FeatureRow {
  Feature feature;
  const char* words;
  // A size, a place, the size of a number, an address, yes or no.
  enum Kind { kSize, kPlace, kMagnitude, kAddress, kYesOrNo } kind = kSize;
  int range = 12;  // the logarithm of what it is compared with, at most
  bool is_wide = false;  // of wide kernels alone
};
inline constexpr FeatureRow kFeatures[] = {
    {Feature::kBatch, "batch", FeatureRow::kSize, 7},
    {Feature::kSeq, "seq"},
    {Feature::kHeads, "heads", FeatureRow::kSize, 7},
    {Feature::kHeadDim, "head_dim", FeatureRow::kSize, 9},
    {Feature::kRotaryDim, "rotary_dim", FeatureRow::kSize, 9},
    {Feature::kTokens, "batch x seq", FeatureRow::kSize, 13},
    {Feature::kSeqHeads, "seq x heads", FeatureRow::kSize, 16},
    {Feature::kRows, "batch x seq x heads", FeatureRow::kSize, 17},
    {Feature::kElements, "elements", FeatureRow::kSize, 22},
    {Feature::kRowElements, "heads x head_dim", FeatureRow::kSize, 14},
    {Feature::kBatchIndex, "index of the batch row", FeatureRow::kPlace, 7},
    {Feature::kTokenIndex, "index of the token", FeatureRow::kPlace},
    {Feature::kHeadIndex, "index of the head", FeatureRow::kPlace, 7},
    {Feature::kPairIndex, "index of the pair", FeatureRow::kPlace, 8},
    {Feature::kRowIndex, "batch x seq index", FeatureRow::kPlace, 13},
    {Feature::kElementIndex, "index of the element", FeatureRow::kPlace, 22},
    {Feature::kPositionIs, "position", FeatureRow::kPlace, 21},
    {Feature::kMagnitude, "magnitude", FeatureRow::kMagnitude},
    {Feature::kCalls, "number of the call"},
    {Feature::kInAddress, "address read", FeatureRow::kAddress},
    {Feature::kOutAddress, "address written", FeatureRow::kAddress},
    {Feature::kBaseIs, "base", FeatureRow::kSize, 24},
    {Feature::kIsKey, "is key", FeatureRow::kYesOrNo},
    {Feature::kHasKeys, "has keys", FeatureRow::kYesOrNo},
    {Feature::kIsInPlace, "is in place", FeatureRow::kYesOrNo},
    {Feature::kIsStrided, "has strides", FeatureRow::kYesOrNo},
    {Feature::kIsAdjoint, "is adjoint", FeatureRow::kYesOrNo, 0, true},
    {Feature::kIsPartial, "is partial", FeatureRow::kYesOrNo, 0, true},
    {Feature::kHasOffset, "has an offset", FeatureRow::kYesOrNo, 0, true},
    {Feature::kIsInterleaved, "is interleaved", FeatureRow::kYesOrNo, 0, true},
    {Feature::kIsBF16, "is bf16", FeatureRow::kYesOrNo, 0, true},
    {Feature::kIsF16, "is f16", FeatureRow::kYesOrNo, 0, true},
    {Feature::kHasAxes, "has axes", FeatureRow::kYesOrNo, 0, true},
    {Feature::kIsScaled, "is scaled", FeatureRow::kYesOrNo, 0, true},
    {Feature::kIsGivenTable, "is given its table", FeatureRow::kYesOrNo, 0,
     true}};
// The row of a feature: they stand in the order of the enumeration.
constexpr const FeatureRow& row_of(Feature feature) {
  return kFeatures[static_cast<std::size_t>(feature)];
}

// clang-format on

enum class Compare { kAbove, kBelow, kEqual, kModulo };

struct When {
  Feature feature = Feature::kBatch;
  Compare compare = Compare::kAbove;
  double constant = 0;
  double rest = 0;  // kModulo: what is left
};

struct Fault {
  Part part = Part::kLoop;
  Point point = Point::kBatchLoop;
  Op op = Op::kTailMissed;
  double number = 0;
  std::uint32_t key = 0;  // kStale: the fields in the key of the cache
  std::optional<When> when = {};
};

struct Program {
  bool is_wide = false;       // what it declares: much, or f32 half-split alone
  std::vector<Fault> faults;  // none: the honest kernel
};

// A cache's key is made of some of these; the rest of `key` is its bits.
inline constexpr const char* kKeyFields[] = {"batch",
                                             "seq",
                                             "rotary_dim",
                                             "amplitude",
                                             "first position",
                                             "last position",
                                             "sum of the positions",
                                             "address of the positions",
                                             "first frequency",
                                             "last frequency",
                                             "sum of the frequencies",
                                             "axes"};
inline constexpr int kKeyBits[] = {8, 12, 16, 64};

// Faults of public reports and of attacks by hand, by themselves.
const std::vector<Program>& reported_programs();
// The seed whose programs these are.
inline constexpr std::uint64_t kReported = 0;

// The program of this number in the stream of a seed other than that one.
Program random_program(std::uint64_t seed, std::uint64_t number, bool is_wide);

// "token loop, tiles of 16: tail missed, where seq > 32".
std::string words(const Fault& fault);
std::string words(const Program& program);
std::string word(Part part);

}  // namespace ropeproof::conformance::selftest::strangers
