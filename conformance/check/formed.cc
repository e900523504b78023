#include "conformance/check/formed.h"

#include <exception>

#include "conformance/check/choices.h"
#include "conformance/check/features.h"
#include "conformance/cover/values.h"
#include "reference/golden.h"

namespace ropeproof::conformance::check {
namespace {

// Weights are trained for one of two pairings, and served in the other.
reference::Layout trained_layout(reference::Layout layout) {
  using reference::Pairing;
  const bool is_read_interleaved =
      layout.pairing == Pairing::kInterleaved ||
      layout.pairing == Pairing::kInterleavedToHalf;
  layout.pairing =
      is_read_interleaved ? Pairing::kInterleaved : Pairing::kHalfSplit;
  layout.blocks = 1;
  layout.pair_distance = 0;
  return layout;
}

}  // namespace

std::vector<cover::FormedCase> formed_cases(plugin::Kernel& kernel,
                                            const Selection& selection,
                                            std::uint32_t operation) {
  if (selection.arrays == nullptr || selection.tier == "smoke" ||
      !selection.profile.empty()) {
    return {};
  }
  const plugin::Description& description = kernel.description();
  const cover::Model& model = selection.arrays->model;
  const auto takes = [&](const cover::Row& row) {
    if (!kernel.has_supports()) return true;
    const cases::RopeCase c =
        cover::outline(model, {"", "", row, 0}, description.max_position);
    return !missing_feature(description, operation, c, kernel.shares_memory())
                .empty() ||
           !declines(kernel, operation, c);
  };
  const bool has_chosen = !selection.cases.empty();
  return cover::formed_cases(
      *selection.arrays, description, kernel.shares_memory(),
      selection.tier == "full" || has_chosen, selection.seed, takes);
}

std::vector<FormedQuestion> form_all(
    std::span<const cover::FormedCase* const> formed,
    const plugin::Description& description, const Selection& selection) {
  const reference::Oracle oracle = reference::best_oracle();
  const bool permutes = (description.operations & ROPEPROOF_PERMUTE) != 0;
  std::vector<FormedQuestion> questions(formed.size());
  std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < formed.size(); ++i) {
    try {
      FormedQuestion& one = questions[i];
      one.rope = cover::form(selection.arrays->model, *formed[i],
                             description.max_position, oracle);
      if (!permutes) continue;
      one.permute = cover::permute_case(
          one.rope.dtype, trained_layout(one.rope.spec.layout),
          one.rope.q_heads, one.rope.seq, formed[i]->seed);
      one.permute->id = one.rope.id;
      one.permute->comment = one.rope.comment;
    } catch (...) {
#pragma omp critical(ropeproof_form_failure)
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
  return questions;
}

}  // namespace ropeproof::conformance::check
