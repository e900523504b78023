// plain_rope.h -- a rope in words of our own: image and video models.
//
//   "rope": {"head_dim": 128, "base": 10000.0,
//            "axes": {"scheme": "blocks", "names": ["t", "y", "x"],
//                     "pairs": [22, 21, 21]}}
//
// Optional: rotary_dim, rotary_offset, context_length, axes. The schemes are
// those of reference/schemes.h:
//   blocks                 one block of pairs per axis; frequencies restart
//   axial, axial_even_odd  two axes, half of the pairs each, the first first
//   contiguous_sections, interleaved_sections, round_robin_sections,
//   ernie_sections         pairs of each axis; the frequencies run through
// `weight` multiplies the positions.
#ifndef ROPEPROOF_CONFORMANCE_MODELS_PLAIN_ROPE_H_
#define ROPEPROOF_CONFORMANCE_MODELS_PLAIN_ROPE_H_

#include <nlohmann/json.hpp>
#include <string>

#include "conformance/models/config.h"
#include "conformance/models/model_rope.h"

namespace ropeproof::conformance::models {

// `where` names the object in errors; options.pairing is there. Throws
// ConfigError.
ModelRope plain_rope(const nlohmann::json& node, const std::string& where,
                     const ConfigOptions& options);

}  // namespace ropeproof::conformance::models

#endif  // ROPEPROOF_CONFORMANCE_MODELS_PLAIN_ROPE_H_
