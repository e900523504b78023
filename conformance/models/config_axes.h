// config_axes.h -- the position axes of a configuration.
#pragma once

#include "conformance/models/model_rope.h"
#include "conformance/models/model_types.h"
#include "conformance/models/scalings.h"

namespace ropeproof::conformance::models {

// Sets the axes of `result`, whose layout is there: by the table of model
// types, else by the sections in `rope`, the dictionary of the kind of layers.
// Throws ConfigError.
void read_axes(const TypedConfig& config, const ConfigObject& rope,
               const RopeType& type, ModelRope& result);

}  // namespace ropeproof::conformance::models
