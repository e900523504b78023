// axis_schemes.h -- which axis each pair follows, in words: the object "axes"
// of presets and of the table of model types.
#pragma once

#include "conformance/models/config_object.h"
#include "conformance/models/model_rope.h"

namespace ropeproof::conformance::models {

// Sets axes, their names and the exponents that belong to them, and the blocks
// of a nested pairing; the layout is there. vectors/models/schema.json has the
// members of `axes`, reference/schemes.h the schemes. Throws ConfigError, or
// std::invalid_argument for sections that no scheme takes.
void set_axes(const ConfigObject& axes, ModelRope& rope);

}  // namespace ropeproof::conformance::models
