// model_rope.h -- the RoPE of a model, and what a reader wants to know of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reference/spec.h"

namespace ropeproof::conformance::models {

// What the positions of an axis are.
enum class Coordinates { kCounts, kCentred, kReal };

struct ModelRope {
  // The layers that have it, for example "full_attention"; empty: all of them.
  std::string layers;
  reference::Spec spec;
  std::string pairing_source;           // who says so
  bool pairing_is_known = true;         // false: half_split is assumed
  std::vector<std::string> axis_names;  // one per axis; empty: one axis
  // One per axis; empty: all are counts.
  std::vector<Coordinates> coordinates;
  std::int64_t context_length = 0;  // max_position_embeddings; 0: not known
  // The factor by which DeepSeek's attention multiplies its scores besides: no
  // part of the rotation, and no kernel's business.
  std::optional<double> score_scale;
  // Llama 4 and Ministral 3 multiply queries by 1 + beta ln(1 + floor(p / L))
  // besides; 0: the model does not.
  double query_beta = 0;
  // False: the factors of LongRoPE or LeRoPE are not known. The specification
  // has ones in their place; its layout and amplitude are those of the model.
  bool has_frequencies = true;
};

}  // namespace ropeproof::conformance::models
