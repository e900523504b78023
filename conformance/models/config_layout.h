// config_layout.h -- the channels of a head that rotate.
#pragma once

#include <string>

#include "conformance/models/model_rope.h"
#include "conformance/models/model_types.h"
#include "conformance/models/scalings.h"

namespace ropeproof::conformance::models {

// Sets the layout of `result`, whose pairing is there, and the exponents of a
// proportional one. `rope` is the dictionary of the kind of layers, `type` its
// rope_type. Throws ConfigError.
void read_layout(const TypedConfig& config, const std::string& layers,
                 const ConfigObject& rope, const RopeType& type,
                 ModelRope& result);

}  // namespace ropeproof::conformance::models
