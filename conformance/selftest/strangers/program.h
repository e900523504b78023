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

// What a condition reads: sizes, products, places, numbers, calls, addresses,
// and yes or no.
enum class Feature {
  kBatch, kSeq, kHeads, kHeadDim, kRotaryDim, kTokens, kSeqHeads, kRows,
  kElements, kRowElements, kBatchIndex, kTokenIndex, kHeadIndex, kPairIndex,
  kRowIndex, kElementIndex, kPositionIs, kMagnitude, kCalls, kInAddress,
  kOutAddress, kBaseIs, kIsKey, kHasKeys, kIsInPlace, kIsStrided,
  // For wide kernels alone.
  kIsAdjoint, kIsPartial, kHasOffset, kIsInterleaved, kIsBF16, kIsF16,
  kHasAxes, kIsScaled, kIsGivenTable
};

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
