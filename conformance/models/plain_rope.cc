#include "conformance/models/plain_rope.h"

#include <array>
#include <string_view>

#include "conformance/models/config_object.h"
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

void set_scheme(const ConfigObject& axes, ModelRope& rope) {
  const std::string scheme = axes.text("scheme").value_or("");
  const std::int64_t pairs = rope.spec.layout.rotary_dim / 2;
  const std::size_t count = rope.axis_names.size();
  const auto sections = [&] {
    const auto of_axes = axes.sections("pairs", count, pairs);
    if (!of_axes) axes.missing("pairs", "a number of pairs per axis");
    return *of_axes;
  };
  const auto set = [&](const reference::Scheme& made) {
    rope.spec.axes = made.axes;
    rope.spec.frequencies.exponents = made.exponents;
  };
  if (scheme == "axial" || scheme == "axial_even_odd") {
    if (count != 2) axes.refuse("names", "two names");
    if (axes.has("pairs")) axes.refuse("pairs", "none: half for each axis");
    return set(reference::axial_2d(pairs, 0,
                                   scheme == "axial"
                                       ? reference::Spectrum::kShared
                                       : reference::Spectrum::kEvenOdd));
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
      "blocks, axial, axial_even_odd, contiguous_sections, "
      "interleaved_sections, round_robin_sections or ernie_sections";
  if (!axes.has("scheme")) axes.missing("scheme", kSchemes);
  axes.refuse("scheme", kSchemes);
}

}  // namespace

ModelRope plain_rope(const nlohmann::json& node, const std::string& where,
                     const ConfigOptions& options) {
  const ConfigObject object(node, where, "");
  object.allow_only({"head_dim", "rotary_dim", "rotary_offset", "base",
                     "context_length", "axes"},
                    "rope");
  ModelRope rope;
  reference::Layout& layout = rope.spec.layout;
  layout.head_dim = object.need_integer("head_dim", 2, reference::kMaxHeadDim);
  layout.rotary_dim = object.integer("rotary_dim", 2, layout.head_dim)
                          .value_or(layout.head_dim);
  layout.rotary_offset =
      object.integer("rotary_offset", 0, layout.head_dim).value_or(0);
  layout.pairing = options.pairing.value_or(reference::Pairing::kHalfSplit);
  rope.pairing_source = options.pairing_source;
  rope.spec.frequencies.base = object.need_number("base", kPositive);
  rope.context_length =
      object.integer("context_length", 1, reference::kMaxPosition).value_or(0);
  if (const auto axes = object.object("axes")) {
    axes->allow_only({"scheme", "names", "pairs", "weight"}, "axes");
    rope.axis_names =
        axes->text_list("names").value_or(std::vector<std::string>{});
    if (rope.axis_names.empty()) axes->missing("names", "a name per axis");
    if (layout.rotary_dim % 2 != 0) object.refuse("rotary_dim", "even");
    set_scheme(*axes, rope);
    if (const auto weight = axes->number("weight", kPositive)) {
      rope.spec.axes =
          reference::weighted(rope.spec.axes, layout.rotary_dim / 2, *weight);
    }
    if (layout.pairing == reference::Pairing::kNestedHalfSplit) {
      layout.blocks = rope.spec.axes.count;
    }
  }
  check_rope(rope, where);
  return rope;
}

}  // namespace ropeproof::conformance::models
