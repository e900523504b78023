// axis_map.h -- which of the known kinds a specification's axes are of.
#ifndef ROPEPROOF_CONFORMANCE_PLUGIN_AXIS_MAP_H_
#define ROPEPROOF_CONFORMANCE_PLUGIN_AXIS_MAP_H_

#include <cstdint>
#include <vector>

#include "reference/spec.h"

namespace ropeproof::conformance::plugin {

// ROPEPROOF_AXES_SECTIONS (as Qwen2-VL's), _INTERLEAVED (Qwen3-VL's), _GRID (2-D
// ViT's) or _ANY; 0 for one axis, or weights. Of a specification that
// reference::validate accepts. A grid is not also called sections, nor sections that
// are interleaved too.
std::uint32_t axis_map_of(const reference::Spec& spec);

// The number of pairs on each axis; empty with weights.
std::vector<std::int64_t> axis_sections(const reference::Spec& spec);

}  // namespace ropeproof::conformance::plugin

#endif  // ROPEPROOF_CONFORMANCE_PLUGIN_AXIS_MAP_H_
