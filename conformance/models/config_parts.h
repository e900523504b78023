// config_parts.h -- layers with a RoPE, rotating channels, axes of positions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/models/model_rope.h"
#include "conformance/models/model_types.h"
#include "conformance/models/scalings.h"

namespace ropeproof::conformance::models {

// Throws ConfigError where a list with an entry for each layer has entries of
// another type, or is not as long as the model has layers.
void check_layer_lists(const TypedConfig& model);

struct WithoutRope {
  std::string words;    // "layers 3, 7 have no RoPE", or empty
  bool is_all = false;  // words say why the model has none
};

// Returns the layers that have no RoPE though their model has one.
WithoutRope layers_without_rope(const TypedConfig& model);

// Returns "layers 3, 7, 11".
std::string layer_words(const std::vector<std::int64_t>& layers);

// Sets the layout of `result`, whose pairing is there, and the exponents of a
// proportional one. `rope` is the dictionary of the kind of layers, `type` its
// rope_type. Throws ConfigError.
void read_layout(const TypedConfig& config, const std::string& layers,
                 const ConfigObject& rope, const RopeType& type,
                 ModelRope& result);

// Sets the axes of `result`, whose layout is there: by the table of model
// types, else by the sections in `rope`, the dictionary of the kind of layers.
// Throws ConfigError.
void read_axes(const TypedConfig& config, const ConfigObject& rope,
               const RopeType& type, ModelRope& result);

}  // namespace ropeproof::conformance::models
