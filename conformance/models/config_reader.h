// config_reader.h -- the ropes of one model of a file, by its entry in the
// table of model types; config.h has the rules.
#pragma once

#include <vector>

#include "conformance/models/config.h"
#include "conformance/models/model_rope.h"
#include "conformance/models/model_types.h"

namespace ropeproof::conformance::models {

// Throws ConfigError.
std::vector<ModelRope> read_ropes(const TypedConfig& model,
                                  const ConfigOptions& options);

}  // namespace ropeproof::conformance::models
