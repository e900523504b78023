// Where tensors lie: at guard pages, unaligned, in place, with gaps, fused, empty.
#include "conformance/contract/attempt.h"

namespace ropeproof::conformance {
namespace {

constexpr char kSuffix = 'M';

struct Lie {
  const char* check;
  Placement placement;
  std::uint32_t features;
  bool has_tensors;  // only for rotate and rope
};

constexpr std::uint32_t kOut = ROPEPROOF_OUT_OF_PLACE, kIn = ROPEPROOF_IN_PLACE,
                        kGaps = ROPEPROOF_STRIDED;

const Lie kLies[] = {
    // A kernel with calls in place only gets these in place.
    {"guard page at the end", {Memory::kDense, Edge::kEnd}, 0, false},
    {"guard page at the start", {Memory::kDense, Edge::kStart}, 0, false},
    {"unaligned", {Memory::kDense, {}, true}, 0, false},
    {"in place", {Memory::kInPlace, Edge::kEnd}, kIn, true},
    {"strided", {Memory::kStrided, Edge::kEnd}, kOut | kGaps, true},
    {"strided in place",
     {Memory::kStridedInPlace, Edge::kStart},
     kIn | kGaps,
     true},
    {"fused q, k, v",
     {Memory::kStrided, Edge::kEnd, false, true},
     kOut | kGaps,
     true},
    {"fused q, k, v in place",
     {Memory::kStridedInPlace, Edge::kEnd, false, true},
     kIn | kGaps,
     true},
};

std::string missing(const Kernel& kernel, const Lie& lie) {
  const std::uint32_t lacks = lie.features & ~kernel.description().features;
  if ((lacks & kGaps) != 0) return "strided tensors";
  if ((lacks & kIn) != 0) return "in-place calls";
  if ((lacks & kOut) != 0) return "out-of-place calls";
  return {};
}

ContractResult check_lie(Kernel& kernel, const Subject& subject, const Lie& lie,
                         const Judgement& judge) {
  const std::string lacks = missing(kernel, lie);
  if (!lacks.empty()) return not_checked(lie.check, kSuffix, lacks);
  Output output;
  const Answer answer =
      Call(kernel, subject.operation, subject.c, subject.table, lie.placement)
          .run(output);
  const ContractResult result = result_of(answer, lie.check, kSuffix);
  if (!result.pass) return result;
  if (!output.stray.empty()) {
    return failed(lie.check, kSuffix, output.stray);
  }
  const std::string wrong = judge(subject.c, output);
  return wrong.empty() ? result : failed(lie.check, kSuffix, wrong);
}

// Nothing to do is done, without touching anything.
ContractResult check_empty(Kernel& kernel, const Subject& subject,
                           const std::string& check, const RopeCase& empty) {
  Call call(kernel, subject.operation, empty, subject.table);
  Output output;
  const Answer answer = call.run(output);
  const ContractResult result = result_of(answer, check, kSuffix);
  if (!result.pass || output.stray.empty()) return result;
  return failed(check, kSuffix, output.stray);
}

}  // namespace

std::vector<ContractResult> check_memory(Kernel& kernel, const Subject& subject,
                                         const Judgement& judge) {
  const bool has_tensors = subject.operation == ROPEPROOF_ROTATE ||
                           subject.operation == ROPEPROOF_ROPE;
  std::vector<ContractResult> results;
  for (const Lie& lie : kLies) {
    if (lie.has_tensors && !has_tensors) continue;
    results.push_back(
        kernel.shares_memory()
            ? check_lie(kernel, subject, lie, judge)
            : not_checked(lie.check, kSuffix, "memory of a process"));
  }
  if (subject.operation == ROPEPROOF_FREQUENCIES) return results;
  results.push_back(check_empty(kernel, subject, "batch 0",
                                pick_tokens(subject.c, {}, 0, subject.c.seq)));
  results.push_back(
      check_empty(kernel, subject, "seq 0",
                  pick_tokens(subject.c, {}, subject.c.batch, 0)));
  if (has_tensors) {
    results.push_back(
        check_empty(kernel, subject, "heads 0", pick_heads(subject.c, 0, 0)));
  }
  return results;
}

}  // namespace ropeproof::conformance
