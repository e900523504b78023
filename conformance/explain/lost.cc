#include "conformance/explain/lost.h"

#include <algorithm>

#include "conformance/check/contract.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::explain {
namespace {

// Whether a kernel with this change, between guard pages, touches one.
bool leaves_memory(const Predictor& bugs,
                   const std::function<void(wrong::Pipeline&)>& change) {
  return bugs([&](wrong::Pipeline& pipeline) {
           change(pipeline);
           pipeline.is_guarded = true;
         })
      .empty();
}

}  // namespace

LostAnswers::LostAnswers(const check::Run& run) : run_(run) {
  const wrong::PipelineKernel claims(run.kernel, {});
  for (const check::LostAnswer& lost : run.lost) {
    const std::uint32_t operation = run.checks[lost.check].operation;
    left_.push_back(
        {lost.check,
         Predictor(lost.asked, operation,
                   check::subject_of(claims, lost.asked, operation).claim,
                   run.kernel)});
  }
}

bool LostAnswers::are_all(
    const std::function<void(wrong::Pipeline&)>& change) const {
  return std::ranges::all_of(left_, [&](const Call& call) {
    return leaves_memory(call.bugs, change);
  });
}

std::set<std::uint32_t> LostAnswers::operations() const {
  std::set<std::uint32_t> operations;
  for (const Call& call : left_) {
    operations.insert(run_.checks[call.check].operation);
  }
  return operations;
}

std::size_t LostAnswers::take(
    const std::function<void(wrong::Pipeline&)>& change) {
  const std::size_t before = taken_.size();
  std::erase_if(left_, [&](const Call& call) {
    if (!leaves_memory(call.bugs, change)) return false;
    taken_.insert(call.check);
    return true;
  });
  if (left_.empty() && taken_.size() > before) {
    for (std::size_t i = 0; i < run_.checks.size(); ++i) {
      const check::Check& check = run_.checks[i];
      if (check.verdict == check::Verdict::kCrash && check.aspect.empty()) {
        taken_.insert(i);
      }
    }
  }
  return taken_.size() - before;
}

}  // namespace ropeproof::conformance::explain
