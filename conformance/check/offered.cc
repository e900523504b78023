#include "conformance/check/offered.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "conformance/cases/families/family.h"
#include "conformance/cases/form_golden.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/axis_map.h"
#include "conformance/plugin/features.h"
#include "conformance/plugin/problem.h"
#include "conformance/plugin/scalings.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::check {
namespace {

using plugin::Needs;

// Whether a scaling's length is not that of the positions, largest + 1.
bool has_other_length(const cases::Problem& p) {
  const std::int64_t length =
      p.positions.empty() ? 0 : cases::length_of(p.positions);
  return std::visit(
      [&](const auto& scaling) {
        if constexpr (requires { scaling.seq_len; }) {
          return scaling.seq_len != length;
        }
        return false;
      },
      p.spec.frequencies.scaling);
}

// What a kernel is called with.
Needs needs_of(const cases::Problem& p, const plugin::Description& description,
               bool shares_memory) {
  const reference::Spec& spec = p.spec;
  const reference::Layout& layout = spec.layout;
  if (p.task == cases::Task::kPermute) {
    return {.is_partial = layout.rotary_dim < layout.head_dim,
            .has_offset = layout.rotary_offset != 0};
  }
  const cases::Storage& storage = p.storage;
  const bool is_in_only = (description.features & ROPEPROOF_OUT_OF_PLACE) == 0;
  const bool is_in_place = is_in_only || storage.any_in_place(p.k_heads);
  const bool is_out_of_place =
      !is_in_only && storage.any_out_of_place(p.k_heads);
  const reference::Frequencies& f = spec.frequencies;
  const std::uint32_t scaling = plugin::scaling_bit(plugin::told_scaling(f));
  const bool has_scaling = (description.scalings & scaling) != 0;
  double largest = 0;
  for (const double x : p.positions) largest = std::max(largest, std::abs(x));
  return {.dtype = plugin::abi_dtype(p.dtype),
          .pairing = plugin::abi_pairing(layout.pairing),
          .axis_map = plugin::axis_map_of(spec),
          .scaling = scaling,
          .is_in_place = shares_memory && is_in_place,
          .is_out_of_place = !shares_memory || is_out_of_place,
          .is_strided = shares_memory && !storage.is_dense(),
          .is_partial = (layout.rotary_dim < layout.head_dim),
          .has_offset = (layout.rotary_offset > 0),
          .has_pair_distance = layout.pair_distance != 0,
          .has_keys = p.k_heads > 0,
          .is_adjoint = spec.direction == reference::Direction::kAdjoint,
          .has_special_values = p.is_special,
          .has_exponents = plugin::follows_exponents(f),
          .has_inv_freq = plugin::are_given(f),
          .has_amplitude =
              f.amplitude != 1 || (!has_scaling && cases::amplitude_of(p) != 1),
          .has_pair_amplitude = f.xpos.has_value(),
          .has_length = has_scaling && has_other_length(p),
          .has_axis_weights = !spec.axes.weights.empty(),
          .has_negative_positions =
              std::ranges::any_of(p.positions, [](double x) { return x < 0; }),
          .has_real_positions = p.has_real_positions(),
          .largest_position = largest};
}

}  // namespace

std::uint32_t needed_features(std::uint32_t operation, const cases::Problem& p,
                              const plugin::Description& description,
                              bool shares_memory) {
  return plugin::needed_features(operation,
                                 needs_of(p, description, shares_memory));
}

std::string missing_feature(const plugin::Description& description,
                            std::uint32_t operation, const cases::Problem& p,
                            bool shares_memory) {
  if ((description.operations & operation) == 0) {
    return "operation " + text::word(plugin::kOperationWords, operation);
  }
  return plugin::missing(description, operation,
                         needs_of(p, description, shares_memory));
}

std::vector<std::uint32_t> offered_operations(
    const plugin::Description& description, const cases::Problem& p,
    bool shares_memory) {
  std::vector<std::uint32_t> offered;
  const auto add = [&](std::uint32_t operation) {
    if (missing_feature(description, operation, p, shares_memory).empty()) {
      offered.push_back(operation);
    }
  };
  if (p.task == cases::Task::kPermute) {
    add(ROPEPROOF_PERMUTE);
  } else {
    std::ranges::for_each(kRopeOperations, add);
  }
  return offered;
}

}  // namespace ropeproof::conformance::check
