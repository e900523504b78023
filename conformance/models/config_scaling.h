// config_scaling.h -- the scaling that one rope dictionary asks for.
#ifndef ROPEPROOF_CONFORMANCE_MODELS_CONFIG_SCALING_H_
#define ROPEPROOF_CONFORMANCE_MODELS_CONFIG_SCALING_H_

#include <cstdint>
#include <optional>
#include <string>

#include "conformance/models/config_object.h"
#include "conformance/models/model_rope.h"
#include "reference/spec.h"

namespace ropeproof::conformance::models {

// What the dictionary of a scaling is read with.
struct ScalingContext {
  const ConfigObject& model;  // the keys around it
  std::int64_t pairs = 0;     // those that rotate
  std::int64_t seq_len = 0;   // 0: max_position_embeddings
  bool allow_missing_lists = false;
  // DeepSeek's own code reads mscale in its own way and scales its scores.
  bool is_deepseek = false;

  // Returns max_position_embeddings; 0: absent.
  std::int64_t max_position() const;
};

// Returns rope_type, else type, else "default". "su" is longrope, "mrope" is
// default. Throws ConfigError where both are there and differ, or the type is
// unknown.
std::string rope_type_of(const ConfigObject& rope);

// Sets scaling, score_scale and has_frequencies of `result`.
void read_scaling(const ConfigObject& rope, const std::string& type,
                  const ScalingContext& context, ModelRope& result);

// Returns the value of `key`, inside the dictionary or beside it; where both
// are there, they must agree.
std::optional<double> inside_or_beside(const ConfigObject& rope,
                                       const ConfigObject& model,
                                       const std::string& key,
                                       const Accepted& accepted);

}  // namespace ropeproof::conformance::models

#endif  // ROPEPROOF_CONFORMANCE_MODELS_CONFIG_SCALING_H_
