// Where tensors lie: at guard pages, unaligned, in place, with gaps, fused,
// empty.
#include "conformance/cases/smaller.h"
#include "conformance/check/attempt.h"

namespace ropeproof::conformance::check {
namespace {

using Edge = cases::BufferEdge;

// A storage of a call. A kernel with calls in place only gets dense ones so.
struct Placement {
  Aspect aspect;
  cases::Storage storage;
  bool has_tensors;  // only for q and k
};

// q, k and as many heads of v side by side in each token of one buffer. v and
// what else the buffer holds must not change.
constexpr cases::Storage kFused{.order = cases::DimensionOrder::kPacked,
                                .rows = cases::RowSpacing::kGaps};
constexpr cases::Storage kFusedInPlace{.order = cases::DimensionOrder::kPacked,
                                       .rows = cases::RowSpacing::kGaps,
                                       .in_place = cases::InPlace::kBoth};

const Placement kPlacements[] = {
    {Aspect::kGuardAtEnd, at(cases::kDense, Edge::kEnd), false},
    {Aspect::kGuardAtStart, at(cases::kDense, Edge::kStart), false},
    {Aspect::kUnaligned, at(cases::kDense, Edge::kUnaligned), false},
    {Aspect::kInPlace, at(cases::kInPlace, Edge::kEnd), true},
    {Aspect::kStrided, at(cases::kStrided, Edge::kEnd), true},
    {Aspect::kStridedInPlace, at(cases::kStridedInPlace, Edge::kStart), true},
    {Aspect::kFused, at(kFused, Edge::kEnd), true},
    {Aspect::kFusedInPlace, at(kFusedInPlace, Edge::kEnd), true},
};

// What the kernel does not offer of a storage that only tensors have.
std::string missing(const plugin::Kernel& kernel,
                    const cases::Storage& storage) {
  const bool is_in_place = storage.in_place != cases::InPlace::kNone;
  if (!storage.is_dense() && !offers(kernel, ROPEPROOF_STRIDED)) {
    return "strided tensors";
  }
  if (is_in_place && !offers(kernel, ROPEPROOF_IN_PLACE)) {
    return "in-place calls";
  }
  if (!is_in_place && !offers(kernel, ROPEPROOF_OUT_OF_PLACE)) {
    return "out-of-place calls";
  }
  return {};
}

Check check_placement(plugin::Kernel& kernel, const Subject& subject,
                      const Placement& placement) {
  const auto& [aspect, storage, has_tensors] = placement;
  if (!kernel.shares_memory()) {
    return not_checked(aspect, "memory of a process");
  }
  const std::string lacks = has_tensors ? missing(kernel, storage) : "";
  return lacks.empty() ? attempt(kernel, subject, aspect, storage)
                       : not_checked(aspect, lacks);
}

}  // namespace

std::vector<Check> check_memory(plugin::Kernel& kernel,
                                const Subject& subject) {
  const auto& [c, operation] = subject;
  const bool has_tensors = operation != ROPEPROOF_TABLE;
  std::vector<Check> results;
  for (const Placement& placement : kPlacements) {
    if (placement.has_tensors && !has_tensors) continue;
    results.push_back(check_placement(kernel, subject, placement));
  }
  // Nothing to do is done, without touching anything.
  const auto add_empty = [&](Aspect aspect, const cases::Case& empty) {
    results.push_back(attempt(kernel, {empty, operation}, aspect));
  };
  add_empty(Aspect::kNoBatch, pick_tokens(c, {}, 0, c.problem.seq));
  add_empty(Aspect::kNoTokens, pick_tokens(c, {}, c.problem.batch, 0));
  if (!has_tensors) return results;
  add_empty(Aspect::kNoHeads, first_heads(c, 0, 0));
  results.push_back(check_reject(kernel, subject,
                                 cases::Defect::kOverlappingTensors,
                                 Aspect::kOverlappingTensors));
  results.push_back(check_reject(kernel, subject,
                                 cases::Defect::kOverlappingRows,
                                 Aspect::kOverlappingRows));
  return results;
}

}  // namespace ropeproof::conformance::check
