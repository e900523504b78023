#include "conformance/selftest/strangers/said.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace ropeproof::conformance::selftest::strangers {
namespace {

// The areas of bug_class.h that a fault at this point may be told as.
std::vector<std::string_view> areas_of(const Fault& fault) {
  using enum Point;
  const Point point = fault.point;
  // In place what is done again is rotated twice.
  if (fault.op == Op::kTailTwice || fault.op == Op::kLastTileAgain) {
    return {"shape", "memory", "call", "window", "position"};
  }
  // What a loop misses is not rotated in place.
  if (point <= kOutsideLoop) {
    return {"shape", "memory", "call", "window", "rotation"};
  }
  if (point <= kPositionOffset) return {"position", "table", "shape", "memory"};
  // An axis says which position is read.
  if (point == kAxis) return {"axes", "position"};
  if (point == kFrequencyIndex) return {"frequency", "shape", "layout"};
  if (point <= kOutChannel) {
    return {"shape", "memory", "layout", "window", "call"};
  }
  if (point <= kCacheRow) return {"table", "position", "memory", "shape"};
  if (point == kPosition) return {"position", "table"};
  if (point <= kAngle) return {"frequency", "angle"};
  if (point <= kSine) return {"rotation", "frequency", "table", "angle"};
  if (point == kAmplitude) return {"scaling"};
  if (point <= kResult) return {"output", "value", "rotation", "layout"};
  if (point == kOutside) return {"window"};
  if (point == kTable) return {"table"};
  if (point <= kLoad) return {"memory", "shape", "call", "rotation"};
  if (point <= kDimension) return {"frequency", "window"};
  return {"scaling"};
}

bool is_of_area(const explain::Diagnosis& d, const Fault& fault) {
  const std::string key = d.bug.key();
  const std::vector<std::string_view> areas = areas_of(fault);
  return std::ranges::find(areas, key.substr(0, key.find('/'))) != areas.end();
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
    } else if (is_of_area(d, fault)) {
      said = is_placed_right ? Said::kExactly : Said::kByKind;
    } else if (tells_calls_apart(d, fault)) {
      said = Said::kVaguely;
    } else {
      said = Said::kFalsely;
    }
    best = std::min(best, said);
  }
  return best;
}

}  // namespace ropeproof::conformance::selftest::strangers
