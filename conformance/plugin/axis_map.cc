#include "conformance/plugin/axis_map.h"

#include <ropeproof_kernel.h>

#include <algorithm>

namespace ropeproof::conformance::plugin {
namespace {

using reference::at;
using reference::Frequencies;
using reference::Spec;

std::int64_t pairs_of(const Spec& spec) { return spec.layout.rotary_dim / 2; }

// Whether every pair is on the axis that `axis(j)` says.
template <class Axis>
bool follows(const Spec& spec, const Axis& axis) {
  for (std::int64_t j = 0; j < pairs_of(spec); ++j) {
    if (axis_of(spec.axes, j) != axis(j)) return false;
  }
  return true;
}

bool has_sections(const Spec& spec) {
  return std::ranges::is_sorted(spec.axes.axis_of_pair);
}

bool is_interleaved(const Spec& spec) {
  const auto sections = axis_sections(spec);
  const std::int64_t axes = spec.axes.count;
  return follows(spec, [&](std::int64_t j) {
    const std::int64_t axis = j % axes;
    return j < axes * at(sections, axis) ? axis : 0;
  });
}

bool is_grid(const Spec& spec) {
  const Frequencies& f = spec.frequencies;
  const std::int64_t axes = spec.axes.count, n = pairs_of(spec) / axes;
  if (pairs_of(spec) % axes != 0 || f.exponents.empty() ||
      !f.inv_freq.empty() || !f.pair_factors.empty()) {
    return false;
  }
  for (std::int64_t j = 0; j < pairs_of(spec); ++j) {
    const reference::Exponent& e = at(f.exponents, j);
    const bool has_base = f.bases.empty() || at(f.bases, j) == at(f.bases, 0);
    if (e.denominator == 0 || e.numerator * n != j % n * e.denominator ||
        !has_base) {
      return false;
    }
  }
  return follows(spec, [&](std::int64_t j) { return j / n; });
}

}  // namespace

std::vector<std::int64_t> axis_sections(const Spec& spec) {
  if (!spec.axes.weights.empty()) return {};
  std::vector<std::int64_t> sections(static_cast<std::size_t>(spec.axes.count));
  for (std::int64_t j = 0; j < pairs_of(spec); ++j) {
    ++at(sections, axis_of(spec.axes, j));
  }
  return sections;
}

std::uint32_t axis_map_of(const Spec& spec) {
  if (spec.axes.count == 1 || !spec.axes.weights.empty()) return 0;
  if (is_grid(spec)) return ROPEPROOF_AXES_GRID;
  if (has_sections(spec)) return ROPEPROOF_AXES_SECTIONS;
  return is_interleaved(spec) ? ROPEPROOF_AXES_INTERLEAVED : ROPEPROOF_AXES_ANY;
}

}  // namespace ropeproof::conformance::plugin
