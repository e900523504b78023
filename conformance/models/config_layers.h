// config_layers.h -- which layers have a RoPE.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/models/model_types.h"

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

}  // namespace ropeproof::conformance::models
