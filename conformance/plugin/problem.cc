#include "conformance/plugin/problem.h"

#include <algorithm>
#include <type_traits>
#include <variant>

#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/axis_map.h"
#include "conformance/plugin/scalings.h"

namespace ropeproof::conformance::plugin {

bool are_given(const reference::Frequencies& frequencies) {
  return !frequencies.inv_freq.empty() || !frequencies.pair_factors.empty();
}

bool follows_base(const reference::Frequencies& frequencies) {
  return !are_given(frequencies) && frequencies.exponents.empty() &&
         frequencies.bases.empty();
}

bool follows_exponents(const reference::Frequencies& frequencies) {
  return !are_given(frequencies) && !follows_base(frequencies);
}

reference::Scaling told_scaling(const reference::Frequencies& frequencies) {
  if (!frequencies.pair_factors.empty()) return reference::Default{};
  return frequencies.scaling;
}

ropeproof_scaling abi_scaling(const reference::Scaling& given) {
  ropeproof_scaling scaling{};
  scaling.struct_size = sizeof scaling;
  scaling.kind = scaling_bit(given);
  const auto add_number = [&](const char*, const auto& value,
                              const auto& field) {
    auto& target = scaling.*field.member;
    if constexpr (requires { value.has_value(); }) {
      target = value.value_or(0);
    } else if constexpr (!requires { value.data(); }) {
      target = static_cast<std::remove_reference_t<decltype(target)>>(value);
    }
  };
  std::visit([&](const auto& s) { for_each_field(s, add_number); }, given);
  return scaling;
}

ropeproof_problem problem_of(std::uint32_t operation,
                             const reference::Spec& spec,
                             reference::Format dtype, std::int64_t batch,
                             std::int64_t seq) {
  const reference::Layout& layout = spec.layout;
  ropeproof_problem p{};
  p.struct_size = sizeof p;
  p.operation = operation;
  p.direction = 1;
  p.batch = batch;
  p.seq = seq;
  p.head_dim = p.rotary_dim = layout.rotary_dim;
  if (operation != ROPEPROOF_PERMUTE && follows_base(spec.frequencies)) {
    p.base = spec.frequencies.base;
  }
  p.amplitude = 1;
  if (operation == ROPEPROOF_TABLE || operation == ROPEPROOF_ROPE) {
    p.position_axes = spec.axes.count;
    p.axis_map = axis_map_of(spec);
    const auto sections = axis_sections(spec);
    if (p.axis_map != 0 && sections.size() <= ROPEPROOF_MAX_SECTIONS) {
      std::ranges::copy(sections, p.axis_sections);
    }
  }
  if (operation == ROPEPROOF_FREQUENCIES || operation == ROPEPROOF_TABLE) {
    return p;
  }
  p.dtype = abi_dtype(dtype);
  p.pairing = abi_pairing(layout.pairing);
  p.direction = static_cast<std::int32_t>(spec.direction);
  p.head_dim = layout.head_dim;
  p.rotary_offset = layout.rotary_offset;
  p.pair_distance = layout.pair_distance;
  if (layout.pairing == reference::Pairing::kNestedHalfSplit) {
    p.pairing_blocks = layout.blocks;
  }
  return p;
}

}  // namespace ropeproof::conformance::plugin
