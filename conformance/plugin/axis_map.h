// axis_map.h -- which of the known kinds a specification's axes are of.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/spec.h"

namespace ropeproof::conformance::plugin {

// Returns ROPEPROOF_AXES_SECTIONS (as Qwen2-VL has them), _INTERLEAVED
// (Qwen3-VL), _GRID (a 2-D ViT) or _ANY; 0 for one axis or weights. A grid is
// not also called sections, nor are sections that are interleaved too.
// reference::validate accepts `spec`.
std::uint32_t axis_map_of(const reference::Spec& spec);

// Returns the number of pairs on each axis; nothing with weights.
std::vector<std::int64_t> axis_sections(const reference::Spec& spec);

}  // namespace ropeproof::conformance::plugin
