#include "conformance/call/call_storage.h"

#include <algorithm>
#include <cstddef>

namespace ropeproof::conformance::call {

using cases::DimensionOrder;
using cases::RowSpacing;
using cases::Spacing;

cases::Storage storage_of_call(const plugin::Kernel& kernel,
                               const cases::Problem& problem,
                               const std::optional<cases::Storage>& given) {
  const cases::Storage chosen = given.value_or(problem.storage);
  cases::Storage storage;
  if (kernel.shares_memory()) {
    storage = chosen;
    if (!storage.edge) storage.edge = problem.storage.edge;
  } else if (given) {
    storage.edge = chosen.edge;
  }
  const std::uint32_t features = kernel.description().features;
  if ((features & ROPEPROOF_OUT_OF_PLACE) == 0) {
    storage.in_place = cases::InPlace::kBoth;
  }
  // A table has no tensors, so it is asked of kernels without strides too: they
  // get it dense.
  if ((features & ROPEPROOF_STRIDED) == 0) {
    storage.rows = RowSpacing::kDense;
    storage.are_axes_inside = false;
  }
  // Heads of one token are no long way apart where they are packed.
  const bool is_long =
      storage.spacing == Spacing::kWide || storage.spacing == Spacing::kFar;
  if (is_long && problem.tokens() < 2 &&
      storage.order == DimensionOrder::kPacked) {
    storage.order = DimensionOrder::kBshd;
  }
  const bool is_q_shared = storage.spacing == Spacing::kBroadcast;
  const bool is_k_shared =
      is_q_shared || storage.spacing == Spacing::kKeysBroadcast;
  // Packed rows that are written to are not one.
  if ((storage.order == DimensionOrder::kPacked && is_k_shared &&
       storage.any_in_place(problem.k_heads)) ||
      (is_q_shared && !repeats(problem.q, 1, problem.batch)) ||
      (is_k_shared && !repeats(problem.k, 1, problem.batch))) {
    storage.spacing = Spacing::kDense;
  }
  return storage;
}

bool repeats(const cases::Bits& list, std::int64_t blocks, std::int64_t parts) {
  const auto block = static_cast<std::ptrdiff_t>(list.size()) / blocks;
  const std::ptrdiff_t part = block / std::max<std::int64_t>(parts, 1);
  for (auto at = list.begin(); at < list.end(); at += block) {
    if (!std::equal(at + part, at + block, at)) return false;
  }
  return true;
}

}  // namespace ropeproof::conformance::call
