// plain_rope.h -- a rope in words of our own: image and video models.
// vectors/models/schema.json has its members; the schemes are those of
// reference/schemes.h.
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
