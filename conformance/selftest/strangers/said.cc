#include "conformance/selftest/strangers/said.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/cases/bug_class.h"

namespace ropeproof::conformance::selftest::strangers {
namespace {

// The areas of bug_class.h that a fault at this point may be told as.
std::vector<cases::Area> areas_of(const Fault& fault) {
  using enum Point;
  using A = cases::Area;
  const Point point = fault.point;
  // In place what is done again is rotated twice.
  if (fault.op == Op::kTailTwice || fault.op == Op::kLastTileAgain) {
    return {A::kShape, A::kMemory, A::kCall, A::kWindow, A::kPosition};
  }
  // What a loop misses is not rotated in place.
  if (point <= kOutsideLoop) {
    return {A::kShape, A::kMemory, A::kCall, A::kWindow, A::kRotation};
  }
  if (point <= kPositionOffset) {
    return {A::kPosition, A::kTable, A::kShape, A::kMemory};
  }
  // An axis says which position is read.
  if (point == kAxis) return {A::kAxes, A::kPosition};
  if (point == kFrequencyIndex) return {A::kFrequency, A::kShape, A::kLayout};
  if (point <= kOutChannel) {
    return {A::kShape, A::kMemory, A::kLayout, A::kWindow, A::kCall};
  }
  if (point <= kCacheRow) {
    return {A::kTable, A::kPosition, A::kMemory, A::kShape};
  }
  if (point == kPosition) return {A::kPosition, A::kTable};
  if (point <= kAngle) return {A::kFrequency, A::kAngle};
  if (point <= kSine) {
    return {A::kRotation, A::kFrequency, A::kTable, A::kAngle};
  }
  // Results of an amplitude of 0 are 0, by whatever step: no output tells.
  const bool is_zero =
      fault.op == Op::kZeroed || (fault.op == Op::kConstant && !fault.number);
  if (point == kAmplitude && is_zero) return {A::kScaling, A::kValue};
  if (point == kAmplitude) return {A::kScaling};
  if (point <= kResult) {
    return {A::kOutput, A::kValue, A::kRotation, A::kLayout};
  }
  if (point == kOutside) return {A::kWindow};
  if (point == kTable) return {A::kTable};
  if (point <= kLoad) {
    return {A::kMemory, A::kShape, A::kCall, A::kRotation};
  }
  if (point <= kDimension) return {A::kFrequency, A::kWindow};
  return {A::kScaling};
}

bool is_of_area(const explain::Diagnosis& d, const Fault& fault) {
  const std::vector<cases::Area> areas = areas_of(fault);
  return std::ranges::find(areas, d.bug.area()) != areas.end();
}

// Whether a bug is a family of steps that numbers did not tell apart, and this
// fault is at one of them. What no position or frequency explains is an angle.
bool is_of_family(const explain::Diagnosis& d, const Fault& fault) {
  using enum Point;
  constexpr cases::Bug kAngles = "angle/other",
                       kNumbers = "value/or-rotation-off";
  const Point p = fault.point;
  if (d.bug == kNumbers) return p >= kCosine && p <= kResult && p != kAmplitude;
  return d.bug == kAngles &&
         ((p >= kPositionBatch && p <= kFrequencyIndex) || p == kPosition ||
          p == kFrequency || (p >= kBase && p < kScalingAmplitude));
}

// What a rule of a diagnosis calls a feature; of a product, any of its factors.
std::vector<std::string_view> words_of(Feature feature) {
  using enum Feature;
  switch (feature) {
    case kBatch:
      return {"batch"};
    case kSeq:
      return {"seq"};
    case kHeads:
      return {"heads"};
    case kHeadDim:
    case kRotaryDim:
      return {"head_dim", "rotary_dim"};
    case kBatchIndex:
      return {"index of the batch row"};
    case kTokenIndex:
      return {"index of the token"};
    case kHeadIndex:
      return {"index of the head"};
    case kPairIndex:
      return {"index of the pair"};
    case kPositionIs:
      return {"position"};
    case kMagnitude:
      return {"largest input"};
    case kBaseIs:
      return {"base"};
    case kIsKey:
      return {"tensor"};
    case kHasKeys:
      return {"k_heads"};
    case kIsInPlace:
      return {"place"};
    case kIsAdjoint:
      return {"direction"};
    case kIsInterleaved:
      return {"pairing"};
    case kIsBF16:
    case kIsF16:
      return {"dtype"};
    case kHasAxes:
      return {"axes", "axis"};
    case kIsScaled:
      return {"scaling", "factor"};
    case kIsGivenTable:
      return {"operation"};
    case kCalls:
      return {"call"};
    case kInAddress:
    case kOutAddress:
      return {"address", "aligned"};
    case kRowIndex:
      return {"rows before it"};
    case kElementIndex:
      return {"rows x heads before it"};
    default:
      return {" x "};  // a product
  }
}

// Whether it is said that equal calls differ, of a fault that does not strike
// all of them: when, and not what.
bool tells_calls_apart(const explain::Diagnosis& d, const Fault& fault) {
  using enum Feature;
  constexpr cases::Bug kDiffer = "memory/race", kStale = "table/stale";
  return (d.bug == kDiffer || d.bug == kStale) && fault.when &&
         (fault.when->feature == kCalls || fault.when->feature == kInAddress ||
          fault.when->feature == kOutAddress);
}

bool is_placed(const explain::Diagnosis& d, const Fault& fault) {
  if (!fault.when) return d.where.kind == explain::Place::Kind::kEverywhere;
  return std::ranges::any_of(
      words_of(fault.when->feature), [&](std::string_view word) {
        return d.where.rule.find(word) != std::string::npos;
      });
}

}  // namespace

Said said_of(const Fault& fault,
             std::span<const explain::Diagnosis> diagnoses) {
  Said best = Said::kNothing;
  for (const explain::Diagnosis& d : diagnoses) {
    const bool is_placed_right = is_placed(d, fault);
    Said said = Said::kNothing;
    if (d.bug == cases::Bug{}) {  // what was seen, and no name
      if (fault.when && is_placed_right) said = Said::kVaguely;
    } else if (is_of_family(d, fault) || tells_calls_apart(d, fault)) {
      said = Said::kVaguely;
    } else if (is_of_area(d, fault)) {
      said = is_placed_right ? Said::kExactly : Said::kByKind;
    } else {
      said = Said::kFalsely;
    }
    best = std::min(best, said);
  }
  return best;
}

}  // namespace ropeproof::conformance::selftest::strangers
