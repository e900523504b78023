// axis_map.h -- which of the known kinds a specification's axes are of.
#ifndef ROPEPROOF_CONFORMANCE_PLUGIN_AXIS_MAP_H_
#define ROPEPROOF_CONFORMANCE_PLUGIN_AXIS_MAP_H_

#include <cstdint>
#include <vector>

#include "reference/spec.h"

namespace ropeproof::conformance::plugin {

// How pairs follow several position axes; the values are the ABI's bits.
enum class AxisMap : std::uint32_t {
  // One axis, or weights.
  kNone = 0,
  // The first pairs on axis 0, the next on axis 1, ...: Qwen2-VL.
  kSections = 1,
  // Pair j on axis j mod axes while that has pairs left, else on axis 0: Qwen3-VL.
  kInterleaved = 2,
  // Equal sections, each with the frequencies of a head of its own,
  // base^(-2q/(2n)) for its n pairs: 2-D ViT.
  kGrid = 4,
  kAny = 8
};

// Of a specification that reference::validate accepts. A grid is not also called
// sections, nor sections that are interleaved too.
AxisMap axis_map_of(const reference::Spec& spec);

// The number of pairs on each axis; empty with weights.
std::vector<std::int64_t> axis_sections(const reference::Spec& spec);

}  // namespace ropeproof::conformance::plugin

#endif  // ROPEPROOF_CONFORMANCE_PLUGIN_AXIS_MAP_H_
