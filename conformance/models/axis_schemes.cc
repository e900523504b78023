#include "conformance/models/axis_schemes.h"

#include <array>
#include <span>
#include <string_view>

#include "reference/schemes.h"

namespace ropeproof::conformance::models {
namespace {

using reference::Axes;
using Sections = std::span<const std::int64_t>;

struct SectionScheme {
  std::string_view name;
  Axes (*axes)(Sections);
};
constexpr std::array<SectionScheme, 4> kSectionSchemes = {
    {{"contiguous_sections", reference::contiguous_sections},
     {"interleaved_sections", reference::interleaved_sections},
     {"round_robin_sections", reference::round_robin_sections},
     {"ernie_sections", reference::ernie_sections}}};

// The blocks of as many axes, shuffled: the first pair of each, the second ...
reference::Scheme alternating(const reference::Scheme& blocks) {
  reference::Scheme result{{blocks.axes.count}, {}};
  const auto count = static_cast<std::size_t>(blocks.axes.count);
  const std::size_t pairs = blocks.exponents.size();
  for (std::size_t j = 0; j < pairs; ++j) {
    const std::size_t at = j % count * (pairs / count) + j / count;
    result.axes.axis_of_pair.push_back(blocks.axes.axis_of_pair[at]);
    result.exponents.push_back(blocks.exponents[at]);
  }
  return result;
}

void set_scheme(const ConfigObject& axes, ModelRope& rope) {
  const std::string scheme = axes.text("scheme").value_or("");
  const std::size_t count = rope.axis_names.size();
  if (scheme == "axial_partial") {  // the rest of the head is copied
    const std::int64_t channels = 2 * static_cast<std::int64_t>(count);
    std::int64_t& rotary_dim = rope.spec.layout.rotary_dim;
    if (rotary_dim < channels) {
      axes.refuse("names", "at most " + std::to_string(rotary_dim / 2));
    }
    rotary_dim -= rotary_dim % channels;
  }
  const std::int64_t pairs = rope.spec.layout.rotary_dim / 2;
  const auto sections = [&] {
    const auto of_axes = axes.sections("pairs", count, pairs);
    if (of_axes) return *of_axes;
    const auto n = static_cast<std::int64_t>(count);
    if (scheme != "round_robin_sections" || pairs % n != 0) {
      axes.missing("pairs", "a number of pairs per axis");
    }
    return std::vector<std::int64_t>(count, pairs / n);
  };
  const auto set = [&](const reference::Scheme& made) {
    rope.spec.axes = made.axes;
    rope.spec.frequencies.exponents = made.exponents;
  };
  if (scheme.starts_with("axial") && axes.has("pairs")) {
    axes.refuse("pairs", "none: as many for each axis");
  }
  if (scheme == "axial_even_odd") {
    if (count != 2) axes.refuse("names", "two names");
    return set(reference::axial_2d(pairs, 0, reference::Spectrum::kEvenOdd));
  }
  if (scheme == "axial" || scheme == "axial_alternating" ||
      scheme == "axial_partial") {
    if (pairs % static_cast<std::int64_t>(count) != 0) {
      axes.refuse("names", "a divisor of " + std::to_string(pairs) + " pairs");
    }
    const auto blocks = reference::n_axis(std::vector<std::int64_t>(
        count, pairs / static_cast<std::int64_t>(count)));
    return set(scheme == "axial_alternating" ? alternating(blocks) : blocks);
  }
  if (scheme == "blocks") {
    return set(reference::n_axis(sections()));
  }
  for (const SectionScheme& known : kSectionSchemes) {
    if (known.name != scheme) continue;
    rope.spec.axes = known.axes(sections());
    return;
  }
  constexpr const char* kSchemes =
      "blocks, axial, axial_alternating, axial_even_odd, axial_partial, "
      "contiguous_sections, interleaved_sections, round_robin_sections or "
      "ernie_sections";
  if (!axes.has("scheme")) axes.missing("scheme", kSchemes);
  axes.refuse("scheme", kSchemes);
}

}  // namespace

void set_axes(const ConfigObject& axes, ModelRope& rope) {
  reference::Layout& layout = rope.spec.layout;
  axes.allow_only({"scheme", "names", "pairs", "weight"}, "axes");
  rope.axis_names =
      axes.text_list("names").value_or(std::vector<std::string>{});
  if (rope.axis_names.empty()) axes.missing("names", "a name per axis");
  set_scheme(axes, rope);
  if (const auto weight = axes.number("weight", kPositive)) {
    rope.spec.axes =
        reference::weighted(rope.spec.axes, layout.rotary_dim / 2, *weight);
  }
  if (layout.pairing == reference::Pairing::kNestedHalfSplit) {
    layout.blocks = rope.spec.axes.count;
  }
}

}  // namespace ropeproof::conformance::models
