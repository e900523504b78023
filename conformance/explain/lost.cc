#include "conformance/explain/lost.h"

#include <algorithm>

namespace ropeproof::conformance::explain {
namespace {

// Whether a kernel with this change, between guard pages, touches one.
bool leaves_memory(const Predictor& bugs, const wrong::Change& change) {
  return bugs([&](wrong::Pipeline& pipeline) {
           change(pipeline);
           pipeline.is_guarded = true;
         })
      .empty();
}

}  // namespace

LostAnswers::LostAnswers(const Evidence& evidence) : evidence_(evidence) {
  for (std::size_t i = 0; i < evidence.lost.size(); ++i) {
    left_.push_back({i, Predictor(evidence.lost[i], evidence.kernel)});
  }
}

bool LostAnswers::are_all(const wrong::Change& change) const {
  return std::ranges::all_of(left_, [&](const Call& call) {
    return leaves_memory(call.bugs, change);
  });
}

std::set<std::uint32_t> LostAnswers::operations() const {
  std::set<std::uint32_t> operations;
  for (const Call& call : left_) {
    operations.insert(evidence_.lost[call.number].operation);
  }
  return operations;
}

std::size_t LostAnswers::take(const wrong::Change& change) {
  const std::size_t before = taken_.size();
  std::erase_if(left_, [&](const Call& call) {
    if (!leaves_memory(call.bugs, change)) return false;
    taken_.insert(call.number);
    return true;
  });
  const bool is_last = left_.empty() && taken_.size() > before;
  return (is_last ? evidence_.crashes : taken_.size()) - before;
}

}  // namespace ropeproof::conformance::explain
