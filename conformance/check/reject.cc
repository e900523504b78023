// Problems that contradict themselves.
#include <limits>

#include "conformance/check/attempt.h"
#include "conformance/plugin/abi_words.h"

namespace ropeproof::conformance::check {
namespace {

// The frequencies are the call's own memory, const to the kernel only.
void spoil_frequencies(ropeproof_problem& p) {
  p.base = std::numeric_limits<double>::quiet_NaN();
  if (p.inv_freq != nullptr) {
    *const_cast<double*>(p.inv_freq) = std::numeric_limits<double>::infinity();
  }
}

bool overlap_rows(ropeproof_problem& p) {
  if (p.seq > 1) {
    p.q.out_token_stride = p.head_dim - 1;
  } else if (p.batch > 1) {
    p.q.out_batch_stride = p.head_dim - 1;
  } else {
    return false;
  }
  return p.q.heads > 0;
}

// Only the last token's: who looks at the first alone does not see it.
bool spoil_id(ropeproof_problem& p, std::int64_t id) {
  if (p.ids == nullptr || p.batch * p.seq == 0) return false;
  const std::int64_t last = (p.batch - 1) * p.position_batch_stride + p.seq - 1;
  const_cast<std::int64_t*>(p.ids)[last] = id;
  return true;
}

// Puts the defect into the problem; false: it cannot have it.
bool apply(cases::Defect defect, ropeproof_problem& p) {
  const bool has_q = p.q.heads > 0;
  switch (defect) {
    case cases::Defect::kOddRotaryDim:
      p.rotary_dim -= 1;
      return true;
    case cases::Defect::kRotaryDimAboveHeadDim:
      p.rotary_dim = p.head_dim + 2;
      return has_q;
    case cases::Defect::kZeroRotaryDim:
      p.rotary_dim = 0;
      return true;
    case cases::Defect::kWindowBeyondHead:
      p.rotary_offset = p.head_dim - p.rotary_dim + 1;
      return has_q;
    case cases::Defect::kNegativeBatch:
      p.batch = -1;
      return true;
    case cases::Defect::kZeroDirection:
      p.direction = 0;
      return has_q;
    case cases::Defect::kNonFiniteBase:
      spoil_frequencies(p);
      return p.operation != ROPEPROOF_ROTATE && p.operation != ROPEPROOF_LOOKUP;
    case cases::Defect::kNullInput:
      p.q.in = nullptr;
      return has_q;
    case cases::Defect::kNullOutput:
      p.q.out = nullptr;
      return has_q;
    case cases::Defect::kNullPositions:
      p.positions = nullptr;
      p.real_positions = nullptr;
      p.ids = nullptr;
      if (p.operation == ROPEPROOF_ROTATE) p.cos = nullptr;
      return true;
    case cases::Defect::kOverlappingTensors:
      p.q.out = static_cast<std::byte*>(const_cast<void*>(p.q.in)) +
                plugin::bytes_of(plugin::format_of(p.dtype));
      return has_q;
    case cases::Defect::kOverlappingRows:
      return overlap_rows(p);
    case cases::Defect::kIdOutOfRange:
      return spoil_id(p, p.cache_rows);
    case cases::Defect::kNegativeId:
      return spoil_id(p, -1);
  }
  return false;
}

// The feature that the defect abuses; 0: none.
std::uint32_t feature_of(cases::Defect defect) {
  switch (defect) {
    case cases::Defect::kOddRotaryDim:
    case cases::Defect::kZeroRotaryDim:
      return ROPEPROOF_PARTIAL;
    case cases::Defect::kWindowBeyondHead:
      return ROPEPROOF_WINDOW_OFFSET;
    case cases::Defect::kZeroDirection:
      return ROPEPROOF_ADJOINT;
    case cases::Defect::kOverlappingTensors:
      return ROPEPROOF_OUT_OF_PLACE;
    case cases::Defect::kOverlappingRows:
      return ROPEPROOF_STRIDED;
    default:
      return 0;
  }
}

}  // namespace

Check check_reject(plugin::Kernel& kernel, const Subject& subject,
                   cases::Defect defect, Aspect aspect) {
  const bool overlaps = defect == cases::Defect::kOverlappingTensors ||
                        defect == cases::Defect::kOverlappingRows;
  const Suffixes more = overlaps ? kSuffixM : 0;
  if (!offers(kernel, ROPEPROOF_VALIDATES)) {
    return not_checked(aspect, "validates", more);
  }
  if (!kernel.shares_memory() &&
      (overlaps || defect == cases::Defect::kNullInput ||
       defect == cases::Defect::kNullOutput ||
       defect == cases::Defect::kNullPositions)) {
    return not_checked(aspect, "pointers of a process", more);
  }
  call::Call call = call_of(kernel, subject, cases::kDense);
  ropeproof_problem problem = call.begin();
  if (!apply(defect, problem)) {
    return not_checked(aspect, "the case cannot have this defect", more);
  }
  call.begin();  // what the defect changed in memory is no change
  judge::Output nothing;
  const plugin::Answer answer = call.finish(kernel.run(problem), nothing);
  const std::uint32_t feature = feature_of(defect);
  const bool refused = answer.outcome == plugin::Outcome::kInvalid ||
                       (answer.outcome == plugin::Outcome::kUnsupported &&
                        feature != 0 && !offers(kernel, feature));
  if (refused) {
    const call::Stray change = call.find_change();
    if (change.text.empty()) return passed(aspect, more);
    Check result = failed(aspect, "refused, but " + change.text, more);
    result.answer = answer;
    result.answer.trespass = change.kind;
    return result;
  }
  if (answer.outcome == plugin::Outcome::kOk) {
    return failed(aspect, "accepted it; it must answer ROPEPROOF_INVALID",
                  more);
  }
  if (answer.outcome == plugin::Outcome::kUnsupported) {
    return failed(aspect,
                  "answered ROPEPROOF_UNSUPPORTED to what it offers; it must "
                  "be ROPEPROOF_INVALID",
                  more);
  }
  return result_of(answer, aspect, "", more);
}

}  // namespace ropeproof::conformance::check
