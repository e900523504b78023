// config.h -- the RoPE of a Hugging Face config.json.
//
// It may have the spelling of transformers 4 (rope_theta, rope_scaling) or of
// transformers 5 (rope_parameters, one dictionary or one per layer type), a
// text_config inside a multi-modal configuration, and the keys that single
// families add. The rules, where they are not plain:
//
//  - A null is an absent key, but a truncate of all layers is then false. A key
//    outside the dictionary of the scaling that is not named here does not
//    matter; an unknown one in it is an error: beta_fats would leave 32.
//  - The same parameter in two places (rope_theta; partial_rotary_factor;
//    original_max_position_embeddings; type and rope_type; rope_scaling and
//    rope_parameters) must say the same.
//  - What only the code of a model class says stands in a table
//    (model_types.h): pairing, values of absent keys, kinds of layers, models
//    and layers without RoPE. What was taken from there is told. Of a type that
//    is not in the table nothing is guessed: without rope_theta there is no
//    RoPE; its pairing is shown as half_split, said to be assumed, and judged
//    by only where somebody gives it. An absent partial_rotary_factor is 1.
//  - rotary_dim = int(head_dim * partial_rotary_factor) is the product in
//    binary64, cut, as Python does it: int(100 * 0.29) = 28. It must be even.
//  - Pairing is no usual key of a config.json. It is `options.pairing`, else
//    what a key says that the type has for it (rope_interleave), else the
//    table's.
//  - Keys that decide a RoPE by their names, and that the type does not read,
//    are told; where the type is unknown, nothing is judged by such a file.
//  - The towers of a composite are read likewise, each by its own type. One
//    that is not known is said not to be told.
//  - Latent attention (qk_rope_head_dim) rotates the last channels of a head.
//  - Where attention has an indexer, its heads are a part of their own: they
//    turn by the angles of the layers, in a pairing and window of the table.
//  - beta_fast or beta_slow 0 is read as absent (32 and 1), as transformers
//    does.
//  - YaRN's mscale counts only together with mscale_all_dim, both not 0. For
//    DeepSeek and its kin, whose own code takes 1 and 0 for absent ones, a file
//    with one of them is refused where the two readings differ.
//  - truncate is read from the dictionary that the other parameters of YaRN are
//    in, also where there is one per layer type.
//  - What LeRoPE has learned is no key of a config.json either: pair_factors, a
//    number per pair, may be added.
//  - An explicit factor of YaRN or LongRoPE wins over max_position_embeddings
//    divided by original_max_position_embeddings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/models/config_object.h"
#include "conformance/models/model_rope.h"
#include "conformance/models/model_types.h"

namespace ropeproof::conformance::models {

struct ConfigOptions {
  ModelTypes types = nullptr;  // null: every model_type is unknown
  std::optional<reference::Pairing> pairing;
  std::string pairing_source = "given";  // who gave it
  // The length that dynamic NTK and LongRoPE depend on; 0: the model's longest.
  std::int64_t seq_len = 0;
  // Whether a LongRoPE without its lists is accepted, without frequencies.
  bool allow_missing_lists = false;
};

// What a configuration says of one model in it.
struct PartRopes {
  std::string where;             // its path, "vision_config"; empty: the root
  std::string type;              // its model_type, as the table has it
  std::vector<ModelRope> ropes;  // one per kind of layers; or none
  std::vector<std::string>
      facts;  // what a reader should know besides, in lines
};

// What a configuration says: of its text model, if it has one, and of others.
struct ConfigRopes : PartRopes {
  std::vector<PartRopes> others;
  // Why no kernel can be judged by it: keys of an unknown type; or empty.
  std::string doubt;
};

// `file` names the document in errors. Throws ConfigError.
ConfigRopes ropes_of_config(const nlohmann::json& document,
                            const std::string& file,
                            const ConfigOptions& options = {});

// Throws ConfigError where the reference refuses the specification.
void check_rope(const ModelRope& rope, const std::string& file);

}  // namespace ropeproof::conformance::models
