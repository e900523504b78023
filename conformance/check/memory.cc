// Where tensors lie: at guard pages, unaligned, in place, with gaps, fused,
// empty.
#include <utility>

#include "conformance/cases/smaller.h"
#include "conformance/check/attempt.h"

namespace ropeproof::conformance::check {
namespace {

constexpr const char* kMemory = "M";

using Edge = cases::BufferEdge;

struct Lie {
  const char* check;
  cases::Storage storage;
  std::uint32_t features;
  bool has_tensors;  // only for q and k
};

constexpr std::uint32_t kOut = ROPEPROOF_OUT_OF_PLACE, kIn = ROPEPROOF_IN_PLACE,
                        kGaps = ROPEPROOF_STRIDED;

// q, k and as many heads of v side by side in each token of one buffer. v and
// what else the buffer holds must not change.
constexpr cases::Storage kFused{.order = cases::DimensionOrder::kPacked,
                                .rows = cases::RowSpacing::kGaps};
constexpr cases::Storage kFusedInPlace{.order = cases::DimensionOrder::kPacked,
                                       .rows = cases::RowSpacing::kGaps,
                                       .in_place = cases::InPlace::kBoth};

const Lie kLies[] = {
    // A kernel with calls in place only gets these in place.
    {"guard page at the end", at(cases::kDense, Edge::kEnd), 0, false},
    {"guard page at the start", at(cases::kDense, Edge::kStart), 0, false},
    {"unaligned", at(cases::kDense, Edge::kUnaligned), 0, false},
    {"in place", at(cases::kInPlace, Edge::kEnd), kIn, true},
    {"strided", at(cases::kStrided, Edge::kEnd), kOut | kGaps, true},
    {"strided in place", at(cases::kStridedInPlace, Edge::kStart), kIn | kGaps,
     true},
    {"fused q, k, v", at(kFused, Edge::kEnd), kOut | kGaps, true},
    {"fused q, k, v in place", at(kFusedInPlace, Edge::kEnd), kIn | kGaps,
     true},
};

std::string missing(const plugin::Kernel& kernel, const Lie& lie) {
  const std::uint32_t lacks = lie.features & ~kernel.description().features;
  if ((lacks & kGaps) != 0) return "strided tensors";
  if ((lacks & kIn) != 0) return "in-place calls";
  if ((lacks & kOut) != 0) return "out-of-place calls";
  return {};
}

Check check_lie(plugin::Kernel& kernel, const Subject& subject,
                const Lie& lie) {
  const std::string lacks = missing(kernel, lie);
  if (!lacks.empty()) return not_checked(lie.check, kMemory, lacks);
  return attempt(kernel, subject, subject.c, lie.storage, lie.check, kMemory);
}

}  // namespace

std::vector<Check> check_memory(plugin::Kernel& kernel,
                                const Subject& subject) {
  const bool has_tensors = subject.operation != ROPEPROOF_TABLE;
  std::vector<Check> results;
  for (const Lie& lie : kLies) {
    if (lie.has_tensors && !has_tensors) continue;
    results.push_back(
        kernel.shares_memory()
            ? check_lie(kernel, subject, lie)
            : not_checked(lie.check, kMemory, "memory of a process"));
  }
  // Nothing to do is done, without touching anything.
  const auto add_empty = [&](const char* check, const cases::Case& empty) {
    results.push_back(attempt(kernel, subject, empty, {}, check, kMemory));
  };
  add_empty("batch 0", pick_tokens(subject.c, {}, 0, subject.c.problem.seq));
  add_empty("seq 0", pick_tokens(subject.c, {}, subject.c.problem.batch, 0));
  if (has_tensors) {
    add_empty("heads 0", first_heads(subject.c, 0, 0));
    for (const auto& [check, defect] :
         {std::pair{"overlapping tensors", cases::Defect::kOverlappingTensors},
          std::pair{"overlapping rows", cases::Defect::kOverlappingRows}}) {
      results.push_back(check_reject(kernel, subject, defect));
      results.back().aspect = check;
    }
  }
  return results;
}

}  // namespace ropeproof::conformance::check
