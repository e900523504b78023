#include "conformance/selftest/strangers/said.h"

#include <algorithm>
#include <vector>

#include "conformance/cases/bug_class.h"

namespace ropeproof::conformance::selftest::strangers {
namespace {

// clang-format off
// The areas of bug_class.h that a fault at this point may be told as.
std::vector<cases::Area> areas_of(const Fault& fault) {
  using enum Point;
  using A = cases::Area;
  // In place what is done again is rotated twice.
  if (fault.op == Op::kTailTwice || fault.op == Op::kLastTileAgain) {
    return {A::kShape, A::kMemory, A::kCall, A::kWindow, A::kPosition};
  }
  switch (fault.point) {
    // What a loop misses is not rotated in place.
    case kBatchLoop: case kTokenLoop: case kRowLoop: case kHeadLoop:
    case kHeadOfRowLoop: case kPairLoop: case kOutsideLoop:
      return {A::kShape, A::kMemory, A::kCall, A::kWindow, A::kRotation};
    case kPositionBatch: case kPositionToken: case kPositionOffset:
      return {A::kPosition, A::kTable, A::kShape, A::kMemory};
    // An axis says which position is read.
    case kAxis: return {A::kAxes, A::kPosition};
    case kFrequencyIndex: return {A::kFrequency, A::kShape, A::kLayout};
    case kInBatch: case kInToken: case kInHead: case kInOffset: case kInChannel:
    case kOutBatch: case kOutToken: case kOutHead: case kOutOffset:
    case kOutChannel:
      return {A::kShape, A::kMemory, A::kLayout, A::kWindow, A::kCall};
    case kTableOffset: case kCacheRow:
      return {A::kTable, A::kPosition, A::kMemory, A::kShape};
    case kPosition: return {A::kPosition, A::kTable};
    case kFrequency: case kAngle: return {A::kFrequency, A::kAngle};
    case kCosine: case kSine:
      return {A::kRotation, A::kFrequency, A::kTable, A::kAngle};
    // Results of an amplitude of 0 are 0, by whatever step: no output tells.
    case kAmplitude:
      return fault.op == Op::kZeroed ||
                     (fault.op == Op::kConstant && !fault.number)
                 ? std::vector{A::kScaling, A::kValue}
                 : std::vector{A::kScaling};
    case kInput: case kProduct: case kResult:
      return {A::kOutput, A::kValue, A::kRotation, A::kLayout};
    case kOutside: return {A::kWindow};
    case kTable: return {A::kTable};
    case kStore: case kLoad:
      return {A::kMemory, A::kShape, A::kCall, A::kRotation};
    case kBase: case kDimension: return {A::kFrequency, A::kWindow};
    default: return {A::kScaling};
  }
}

// Whether a bug is a family of steps that numbers did not tell apart, and this
// fault is at one of them. What no position or frequency explains is an angle.
bool is_of_family(const explain::Diagnosis& d, const Fault& fault) {
  using enum Point;
  constexpr cases::Bug kAngles = "angle/other",
                       kNumbers = "value/or-rotation-off";
  switch (fault.point) {
    case kCosine: case kSine: case kInput: case kProduct: case kResult:
      return d.bug == kNumbers;
    case kPositionBatch: case kPositionToken: case kPositionOffset: case kAxis:
    case kFrequencyIndex: case kPosition: case kFrequency:
      return d.bug == kAngles;
    default:
      return d.bug == kAngles && fault.part == Part::kScaling &&
             fault.point != kScalingAmplitude;
  }
}

// What a rule is about that reads what a condition does: of a size also its
// products, of a product any.
bool reads(const explain::FactKind& fact, Feature feature) {
  using enum Feature;
  using explain::Owner, explain::Subject;
  const auto [owner, subject] = fact;
  const bool is_product = subject == Subject::kProduct;
  const auto is_size = [&](Subject of) {
    return is_product || (owner == Owner::kProblem && subject == of);
  };
  const auto is_index = [&](Subject of) {
    return owner == Owner::kElement && subject == of;
  };
  switch (feature) {
    case kBatch: return is_product || subject == Subject::kBatchRows;
    case kSeq: return is_size(Subject::kTokens);
    case kHeads: return is_size(Subject::kHeads);
    case kHeadDim: case kRotaryDim: case kIsPartial:
      return is_size(Subject::kPairs);
    case kTokens: case kSeqHeads: case kRows: case kElements: case kRowElements:
      return is_product || subject == Subject::kHeadsOfRows;
    case kBatchIndex: return is_index(Subject::kBatchRows);
    case kTokenIndex: return is_index(Subject::kTokens);
    case kHeadIndex: return is_index(Subject::kHeads);
    case kPairIndex: return is_index(Subject::kPairs);
    case kRowIndex: return subject == Subject::kRows;
    case kElementIndex: return subject == Subject::kHeadsOfRows;
    case kPositionIs: return subject == Subject::kPosition;
    case kMagnitude: return subject == Subject::kInput;
    case kCalls: return subject == Subject::kCall;
    case kInAddress: case kOutAddress: return false;  // no fact
    case kBaseIs: return subject == Subject::kBase;
    case kIsKey: return subject == Subject::kTensor;
    case kHasKeys: return subject == Subject::kHeads;
    case kIsInPlace:
      return subject == Subject::kPlace || subject == Subject::kMemory;
    case kIsStrided:
      return subject == Subject::kOrder || subject == Subject::kSpacing ||
             subject == Subject::kMemory;
    case kIsAdjoint: return subject == Subject::kDirection;
    case kHasOffset: return subject == Subject::kOffset;
    case kIsInterleaved: return subject == Subject::kPairing;
    case kIsBF16: case kIsF16: return subject == Subject::kDtype;
    case kHasAxes: return subject == Subject::kAxes;
    case kIsScaled: return subject == Subject::kScaling;
    case kIsGivenTable: return subject == Subject::kOperation;
  }
  return false;
}

// clang-format on

bool is_of_area(const explain::Diagnosis& d, const Fault& fault) {
  const std::vector<cases::Area> areas = areas_of(fault);
  return std::ranges::find(areas, d.bug.area()) != areas.end();
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
  return d.where.has_rule() &&
         std::ranges::any_of(d.where.facts, [&](const explain::FactKind& fact) {
           return reads(fact, fault.when->feature);
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
