// scalings.h -- the scalings as models name them: how a rope dictionary asks
// for one, and what it does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/models/config_object.h"
#include "conformance/models/figures.h"
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

// A value of rope_type.
struct RopeType {
  std::string_view name;
  // Sets scaling, score_scale and has_frequencies of the result. The same for
  // two names of one type.
  void (*read)(const ConfigObject& rope, const ScalingContext& context,
               ModelRope& result);
  bool is_proportional = false;  // pairs of a part, exponents of the whole head
  bool is_xdrope = false;        // sections under a key of its own
  bool is_axial = false;         // several axes, which the type's code knows
};

// Returns the type that rope_type names, else the one that type names, else
// "default". Throws ConfigError
// where both are there and differ, or the type is unknown.
const RopeType& rope_type_of(const ConfigObject& rope);

// Returns the name that a config.json has for the scaling, as "yarn".
std::string_view scaling_name(const reference::Scaling& scaling);

// Returns what the scaling does in lines: parameters, then range, bands or
// list.
std::vector<std::string> scaling_facts(const ModelRope& rope,
                                       const Figures& figures);

}  // namespace ropeproof::conformance::models
