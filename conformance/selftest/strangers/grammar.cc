#include <algorithm>
#include <cmath>

#include "conformance/cases/draw.h"
#include "conformance/selftest/strangers/program.h"

namespace ropeproof::conformance::selftest::strangers {
namespace {

using cases::Draw;

// Points of one kind, and what can be done at each of them.
struct Production {
  Part part;
  std::vector<Point> points;
  std::vector<Op> ops;
  bool is_wide_only = false;
};

const std::vector<Production>& productions() {
  using enum Point;
  using enum Op;
  static const std::vector<Production> list = {
      {Part::kLoop,
       {kBatchLoop, kTokenLoop, kRowLoop, kHeadLoop, kHeadOfRowLoop, kPairLoop},
       {kTailMissed, kTailTwice, kTailAsFirst, kLastTileAgain, kFirstTileOnly,
        kLastOfTileMissed, kShortMissed, kWrapped, kLastMissed}},
      {Part::kLoop,
       {kOutsideLoop},
       {kTailMissed, kFirstTileOnly, kLastMissed},
       true},
      {Part::kIndex,
       {kPositionBatch, kPositionToken, kPositionOffset, kInBatch, kInToken,
        kInHead, kInOffset, kOutBatch, kOutToken, kOutHead, kOutOffset},
       {kCutSigned, kCutUnsigned, kBytesCutSigned, kBytesCutUnsigned, kInFloat,
        kModulo, kClamped, kPlus, kIgnored, kDense}},
      {Part::kIndex,
       {kFrequencyIndex, kInChannel, kOutChannel},
       {kCutSigned, kCutUnsigned, kModulo, kClamped, kPlus}},
      {Part::kIndex,
       {kAxis, kTableOffset, kCacheRow},
       {kCutSigned, kCutUnsigned, kModulo, kClamped, kPlus, kIgnored},
       true},
      {Part::kValue,
       {kPosition},
       {kToFormat, kToBits, kCutSigned, kCutUnsigned, kModulo, kClamped, kAdded,
        kAbsolute}},
      {Part::kValue,
       {kFrequency},
       {kToFormat, kToBits, kFlushed, kTimes, kByRecurrence}},
      {Part::kValue,
       {kAngle},
       {kToFormat, kToBits, kSaturated, kTimes, kLostBit, kCoarseReduction}},
      {Part::kValue,
       {kCosine, kSine},
       {kToFormat, kToBits, kFlushed, kLostBit, kTimes, kNegated, kAbsolute,
        kShortPolynomial, kFewEntries}},
      {Part::kValue,
       {kInput, kProduct, kResult},
       {kToFormat, kToBits, kFlushed, kSaturated, kLostBit, kTimes, kNegated,
        kZeroed, kToInteger}},
      {Part::kValue,
       {kAmplitude, kOutside},
       {kToFormat, kToBits, kTimes, kConstant, kZeroed, kAbsolute},
       true},
      {Part::kMemory, {kStore}, {kEarly, kMissed, kAccumulated, kTooWide}},
      {Part::kMemory, {kLoad}, {kTooFar}},
      {Part::kMemory, {kTable}, {kStale}},
      {Part::kScaling,
       {kBase, kDimension},
       {kToFormat, kToInteger, kCutSigned, kTimes, kAdded, kConstant}},
      {Part::kScaling,
       {kFactor, kOriginalLength, kLength, kBetaFast, kBetaSlow, kLowFactor,
        kHighFactor, kScalingAmplitude},
       {kToFormat, kToInteger, kTimes, kAdded, kConstant},
       true},
      {Part::kScaling,
       {kRampLow, kRampHigh, kRampPart},
       {kUnclamped, kAdded, kToInteger, kTimes},
       true}};
  return list;
}

template <class T>
const T& from(Draw& draw, const std::vector<T>& list) {
  return list[draw.bits() % list.size()];
}

// A whole number up to 2^most: a power of two or a neighbour of one, a size of
// models, or any, log-uniformly.
double constant(Draw& draw, int most) {
  const double kinds = draw.real(0, 1);
  if (kinds < 0.45) {
    const double power = std::ldexp(1, static_cast<int>(draw.between(0, most)));
    return std::max(0.0, power + static_cast<double>(draw.between(-1, 1)));
  }
  if (kinds < 0.65) {
    static constexpr double kSizes[] = {
        5,   6,   7,    12,   14,   20,   24,   28,   40,   48,    56,
        71,  80,  96,   100,  112,  160,  192,  208,  320,  384,   576,
        640, 768, 1000, 1536, 2560, 3072, 4000, 5120, 7168, 10240, 100000};
    const double size = draw.from(kSizes);
    if (size < std::ldexp(1, most)) return size;
  }
  return std::floor(std::exp2(draw.real(0, most)));
}

When random_when(Draw& draw, const Fault& fault, bool is_wide) {
  When when;
  const auto features = std::ranges::count_if(
      kFeatures,
      [&](const FeatureRow& row) { return is_wide || !row.is_wide; });
  // Loops, tables and parameters know nothing of one place.
  const bool is_whole = fault.part == Part::kLoop ||
                        fault.part == Part::kScaling ||
                        fault.point == Point::kTable;
  const FeatureRow* row = nullptr;
  const auto is = [&](FeatureRow::Kind kind) { return row->kind == kind; };
  do {
    row = &kFeatures[draw.between(0, features - 1)];
  } while ((is_whole && (is(FeatureRow::kPlace) || is(FeatureRow::kMagnitude) ||
                         is(FeatureRow::kAddress))) ||
           (fault.part != Part::kValue && is(FeatureRow::kMagnitude)));
  when.feature = row->feature;
  if (is(FeatureRow::kYesOrNo)) {
    when.compare = Compare::kEqual;
    when.constant = static_cast<double>(draw.between(0, 3) > 0);
    return when;
  }
  if (is(FeatureRow::kMagnitude)) {
    when.compare = draw.one_in(2) ? Compare::kAbove : Compare::kBelow;
    when.constant = std::ldexp(1, static_cast<int>(draw.between(-12, 10)));
    return when;
  }
  const bool is_address = is(FeatureRow::kAddress);
  when.compare =
      is_address ? Compare::kModulo : static_cast<Compare>(draw.between(0, 3));
  when.constant = constant(draw, row->range);
  if (is_address) {
    when.constant = std::ldexp(1, static_cast<int>(draw.between(2, 12)));
  }
  if (when.compare == Compare::kModulo) {
    when.constant =
        std::max(2.0, is_address ? when.constant : constant(draw, 10));
    const double rests[] = {0, when.constant - 1,
                            std::floor(draw.real(0, 1) * when.constant)};
    when.rest = is_address ? when.constant / 2 : draw.from(rests);
  }
  return when;
}

double tile(Draw& draw) {
  static constexpr double kTiles[] = {2,  3,  4,  6,  8,  12,  16,
                                      24, 32, 48, 64, 96, 128, 256};
  return draw.from(kTiles);
}

// clang-format off

// The logarithm of the largest n that a number there is cut by.
int range_of(Point point) {
  using enum Point;
  switch (point) {
    case kPosition: return 18;
    case kInOffset: case kInChannel: case kOutBatch: case kOutToken:
    case kOutHead: case kOutOffset: case kOutChannel: case kTableOffset:
    case kCacheRow: return 20;
    default: return 10;
  }
}

// T, n, k or c of an operation.
double random_number_of(Draw& draw, const Fault& fault) {
  using enum Op;
  static constexpr double kCuts[] = {8, 16, 32};
  static constexpr double kBits[] = {4, 5, 8, 10, 11, 12, 14, 16, 18, 20, 22};
  static constexpr double kLimits[] = {
      1, 4, 16, 127, 448, 1000, 32768, 65504, 1048576, 0x1p31, 0x1p40};
  static constexpr double kConstants[] = {0,  1,    2,    4,     8,    32,
                                          40, 4096, 8192, 10000, 32768};
  switch (fault.op) {
    case kCutSigned: case kCutUnsigned: case kBytesCutSigned:
    case kBytesCutUnsigned: return draw.from(kCuts);
    case kModulo: case kClamped:
      return std::max(2.0, constant(draw, range_of(fault.point)));
    case kPlus: return draw.one_in(2) ? 1 : -1;
    case kToFormat: return static_cast<double>(draw.between(1, 2));
    case kToBits: return draw.from(kBits);
    case kFlushed:
      return std::ldexp(1, -static_cast<int>(draw.between(4, 40)));
    case kSaturated: return draw.from(kLimits);
    case kLostBit: return static_cast<double>(draw.between(1, 22));
    case kTimes: {
      const double away = std::ldexp(1, -static_cast<int>(draw.between(1, 20)));
      return draw.one_in(2) ? 1 + away : 1 - away;
    }
    case kAdded: return draw.one_in(2) ? 1 : -1;
    case kConstant: return draw.from(kConstants);
    case kShortPolynomial: return static_cast<double>(draw.between(1, 4));
    case kFewEntries:
      return std::ldexp(1, static_cast<int>(draw.between(6, 14)));
    case kCoarseReduction: return static_cast<double>(draw.between(8, 24));
    case kTooWide: case kTooFar: return tile(draw);
    case kStale: return draw.from(kKeyBits);
    default:
      return fault.part == Part::kLoop ? tile(draw) : 0;
  }
}

// clang-format on

Fault random_fault(Draw& draw, bool is_wide) {
  // Each part is as likely as any other of the same weight.
  static constexpr Part kParts[] = {
      Part::kLoop,  Part::kLoop,   Part::kLoop,   Part::kIndex,
      Part::kIndex, Part::kIndex,  Part::kValue,  Part::kValue,
      Part::kValue, Part::kMemory, Part::kMemory, Part::kScaling};
  Fault fault;
  fault.part = draw.from(kParts);
  std::vector<std::pair<Point, const Production*>> points;
  for (const Production& production : productions()) {
    if (production.part != fault.part) continue;
    if (production.is_wide_only && !is_wide) continue;
    for (const Point point : production.points) {
      points.emplace_back(point, &production);
    }
  }
  const auto& [point, production] = from(draw, points);
  fault.point = point;
  fault.op = from(draw, production->ops);
  fault.number = random_number_of(draw, fault);
  if (fault.op == Op::kStale) {
    fault.key = static_cast<std::uint32_t>(draw.bits() & draw.bits()) &
                ((1u << std::size(kKeyFields)) - 1);
    fault.key |= 1u << draw.between(0, std::size(kKeyFields) - 1);
  }
  if (!draw.one_in(4)) {
    fault.when = random_when(draw, fault, is_wide);
  }
  return fault;
}

}  // namespace

Program random_program(std::uint64_t seed, std::uint64_t number, bool is_wide) {
  Draw draw(cases::random_bits(seed, 2 * number + (is_wide ? 1 : 0)));
  Program program;
  program.is_wide = is_wide;
  const std::int64_t of_six = draw.between(1, 6);
  const int count = of_six <= 4 ? 1 : of_six == 5 ? 2 : 3;
  for (int i = 0; i < count; ++i) {
    program.faults.push_back(random_fault(draw, is_wide));
  }
  return program;
}

}  // namespace ropeproof::conformance::selftest::strangers
