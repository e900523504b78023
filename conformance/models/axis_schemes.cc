#include "conformance/models/axis_schemes.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "reference/schemes.h"

namespace ropeproof::conformance::models {
namespace {

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

// What a scheme makes of the pairs of each axis.
reference::Scheme made_of(AxisScheme scheme,
                          const std::vector<std::int64_t>& pairs) {
  using enum AxisScheme;
  switch (scheme) {
    case kBlocks:
    case kAxial:
    case kAxialEach:
    case kAxialPartial:
      return reference::n_axis(pairs);
    case kAxialAlternating:
      return alternating(reference::n_axis(pairs));
    case kAxialEvenOdd:
      return reference::axial_2d(2 * pairs[0], 0,
                                 reference::Spectrum::kEvenOdd);
    case kContiguous:
      return {reference::contiguous_sections(pairs), {}};
    case kInterleaved:
      return {reference::interleaved_sections(pairs), {}};
    case kRoundRobin:
      return {reference::round_robin_sections(pairs), {}};
    case kErnie:
      return {reference::ernie_sections(pairs), {}};
  }
  return {};
}

// Whether a scheme has as many pairs for each axis.
bool has_equal_parts(AxisScheme scheme) {
  using enum AxisScheme;
  constexpr AxisScheme kEqual[] = {kAxial, kAxialAlternating, kAxialEach,
                                   kAxialEvenOdd, kAxialPartial};
  return std::ranges::find(kEqual, scheme) != std::end(kEqual);
}

std::vector<std::int64_t> equal_parts(const ConfigObject& axes,
                                      AxisScheme scheme, std::size_t count,
                                      std::int64_t pairs) {
  const auto n = static_cast<std::int64_t>(count);
  if (axes.has("pairs")) axes.refuse("pairs", "none: as many for each axis");
  if (scheme == AxisScheme::kAxialEvenOdd && count != 2) {
    axes.refuse("names", "two names");
  }
  if (pairs % n != 0) {
    axes.refuse("names", "a divisor of " + std::to_string(pairs) + " pairs");
  }
  return std::vector<std::int64_t>(count, pairs / n);
}

// The channels that an axial scheme turns.
std::int64_t axial_dim(const ConfigObject& axes, AxisScheme scheme,
                       std::size_t count, std::int64_t rotary_dim) {
  const auto n = static_cast<std::int64_t>(count);
  // As many channels as one axis would turn.
  if (scheme == AxisScheme::kAxialEach) return rotary_dim * n;
  if (scheme != AxisScheme::kAxialPartial) return rotary_dim;
  if (rotary_dim < 2 * n) {
    axes.refuse("names", "at most " + std::to_string(rotary_dim / 2));
  }
  return rotary_dim - rotary_dim % (2 * n);  // the rest of the head is copied
}

void set_scheme(const ConfigObject& axes, ModelRope& rope) {
  const std::size_t count = rope.axis_names.size();
  const auto known =
      text::find_word(kAxisSchemeWords, axes.text("scheme").value_or(""));
  if (!known) {
    const std::string all = text::list_words(kAxisSchemeWords);
    if (!axes.has("scheme")) axes.missing("scheme", all);
    axes.refuse("scheme", all);
  }
  const bool is_axial = has_equal_parts(*known);
  std::int64_t& rotary_dim = rope.spec.layout.rotary_dim;
  if (is_axial) rotary_dim = axial_dim(axes, *known, count, rotary_dim);
  const std::int64_t pairs = rotary_dim / 2;
  const auto n = static_cast<std::int64_t>(count);
  auto sections = is_axial
                      ? std::optional(equal_parts(axes, *known, count, pairs))
                      : axes.sections("pairs", count, pairs);
  if (!sections) {
    if (*known != AxisScheme::kRoundRobin || pairs % n != 0) {
      axes.missing("pairs", "a number of pairs per axis");
    }
    sections.emplace(count, pairs / n);
  }
  reference::Scheme made = made_of(*known, *sections);
  rope.spec.axes = std::move(made.axes);
  if (!made.exponents.empty()) {
    rope.spec.frequencies.exponents = std::move(made.exponents);
  }
}

// The axes as the scheme goes through them, where rows of positions stand in
// another order: "order" has their names.
void set_order(const ConfigObject& axes, ModelRope& rope) {
  const auto order = axes.text_list("order");
  if (!order) return;
  const std::vector<std::string>& names = rope.axis_names;
  if (!std::ranges::is_permutation(*order, names)) {
    axes.refuse("order", "the names in another order");
  }
  for (std::int64_t& axis : rope.spec.axes.axis_of_pair) {
    axis =
        std::ranges::find(names, reference::at(*order, axis)) - names.begin();
  }
}

// A number for all axes, or a list with one for each.
void set_weights(const ConfigObject& axes, ModelRope& rope) {
  const std::int64_t pairs = rope.spec.layout.rotary_dim / 2;
  const auto list = axes.node().find("weight");
  if (list == axes.node().end() || !list->is_array()) {
    const auto weight = axes.number("weight", kPositive);
    if (!weight) return;
    rope.spec.axes = reference::weighted(rope.spec.axes, pairs, *weight);
    return;
  }
  if (list->size() != rope.axis_names.size()) {
    axes.refuse("weight", "a number for each axis");
  }
  reference::Axes weighted = reference::weighted(rope.spec.axes, pairs, 1);
  for (std::int64_t i = 0; i < rope.spec.axes.count * pairs; ++i) {
    const auto axis = static_cast<std::size_t>(i / pairs);
    reference::at(weighted.weights, i) *= (*list)[axis].get<double>();
  }
  rope.spec.axes = weighted;
}

// The axes that the list at `key` names have such positions.
void set_coordinates(const ConfigObject& axes, const std::string& key,
                     Coordinates kind, ModelRope& rope) {
  const auto names = axes.text_list(key);
  if (!names) return;
  rope.coordinates.resize(rope.axis_names.size(), Coordinates::kCounts);
  for (const std::string& name : *names) {
    const auto found = std::ranges::find(rope.axis_names, name);
    if (found == rope.axis_names.end()) axes.refuse(key, "names of its axes");
    const auto at = found - rope.axis_names.begin();
    reference::at(rope.coordinates, at) = kind;
  }
}

}  // namespace

void set_axes(const ConfigObject& axes, ModelRope& rope) {
  reference::Layout& layout = rope.spec.layout;
  axes.allow_only(
      {"scheme", "names", "order", "pairs", "weight", "real", "centred"},
      "axes");
  rope.axis_names =
      axes.text_list("names").value_or(std::vector<std::string>{});
  if (rope.axis_names.empty()) axes.missing("names", "a name per axis");
  set_scheme(axes, rope);
  set_order(axes, rope);
  set_weights(axes, rope);
  set_coordinates(axes, "real", Coordinates::kReal, rope);
  set_coordinates(axes, "centred", Coordinates::kCentred, rope);
  if (layout.pairing == reference::Pairing::kNestedHalfSplit) {
    layout.blocks = rope.spec.axes.count;
  }
}

}  // namespace ropeproof::conformance::models
