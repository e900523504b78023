#include "conformance/models/config.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "conformance/models/config_scaling.h"
#include "conformance/text/word_tables.h"
#include "reference/refuse.h"
#include "reference/schemes.h"

namespace ropeproof::conformance::models {
namespace {

using nlohmann::json;
using reference::kMaxCount;
using reference::kMaxHeadDim;
using reference::Pairing;
using reference::shortest;

// The families whose models rotate channels (2j, 2j+1): a model type, or what
// it starts with. DeepSeek and its kin as in their own code; transformers
// writes the halves apart (interleaved_to_half).
constexpr std::array<std::string_view, 9> kInterleavedFamilies = {
    "gptj",   "cohere",   "helium", "glm4v", "ernie4_5",
    "llama4", "deepseek", "kimi",   "youtu"};

// One document while it is read.
class Reader {
 public:
  Reader(const ConfigObject& model, const ConfigOptions& options)
      : model_(model),
        options_(options),
        type_(model.text("model_type").value_or("")),
        max_position_(
            model.integer("max_position_embeddings", 1, reference::kMaxPosition)
                .value_or(0)) {}

  std::vector<ModelRope> read() const {
    static const json kNone = json::object();
    const ConfigObject none(kNone, model_.file(), "");
    const auto dictionary = rope_dictionary();
    if (dictionary && is_layered(*dictionary)) return layered(*dictionary);
    const ConfigObject& rope = dictionary ? *dictionary : none;

    // Two bases, as Gemma 3 and ModernBERT have them in version 4: the sliding
    // layers have no scaling.
    for (const char* key : {"rope_local_base_freq", "local_rope_theta"}) {
      if (const auto base = model_.number(key, kPositive)) {
        return {one("full_attention", rope, full_base(rope)),
                one("sliding_attention", none, *base)};
      }
    }
    // OLMo 3 scales its full layers only; its configuration does not say so.
    if (type_.starts_with("olmo3")) {
      return {one("full_attention", rope, full_base(rope)),
              one("sliding_attention", none, full_base(rope))};
    }
    return {one("", rope, full_base(rope))};
  }

 private:
  std::optional<ConfigObject> rope_dictionary() const {
    const auto scaling = model_.object("rope_scaling");
    const auto parameters = model_.object("rope_parameters");
    if (scaling && parameters && scaling->node() != parameters->node()) {
      model_.refuse("rope_scaling", "the same as rope_parameters beside it");
    }
    return parameters ? parameters : scaling;
  }

  static bool is_layered(const ConfigObject& dictionary) {
    return std::ranges::any_of(
        dictionary.node(), [](const json& value) { return value.is_object(); });
  }

  std::vector<ModelRope> layered(const ConfigObject& dictionary) const {
    const auto names = model_.text_list("layer_types");
    std::vector<ModelRope> ropes;
    for (const auto& [name, value] : dictionary.node().items()) {
      const auto rope = dictionary.object(name);
      if (!rope) continue;
      if (names && std::ranges::find(*names, name) == names->end()) {
        dictionary.refuse(name, "a key that layer_types names");
      }
      auto base = rope->number("rope_theta", kPositive);
      if (!base) base = full_base(*rope);
      ropes.push_back(one(name, *rope, *base));
    }
    return ropes;
  }

  // The base of a model with one dictionary, or none.
  double full_base(const ConfigObject& rope) const {
    if (model_.has("rope_ratio")) {
      model_.refuse("rope_ratio", "none: multiply rope_theta by it");
    }
    auto base = inside_or_beside(rope, model_, "rope_theta", kPositive);
    // GPT-NeoX and ModernBERT have their own names for it.
    for (const char* key : {"rotary_emb_base", "global_rope_theta"}) {
      if (!base) base = model_.number(key, kPositive);
    }
    if (!base) {
      model_.missing("rope_theta", std::string(kPositive.text) +
                                       ", here or in the rope dictionary");
    }
    return *base;
  }

  ModelRope one(const std::string& layers, const ConfigObject& rope,
                double base) const {
    const std::string type = rope_type_of(rope);
    ModelRope result;
    result.layers = layers;
    result.context_length = max_position_;
    result.spec.frequencies.base = base;
    set_pairing(result);
    set_layout(layers, rope, type, result);
    const std::int64_t pairs = result.spec.layout.rotary_dim / 2;
    read_scaling(rope, type,
                 {model_, pairs, max_position_, options_.seq_len,
                  options_.allow_missing_lists,
                  type_.starts_with("deepseek") || type_.starts_with("kimi")},
                 result);
    set_axes(rope, type, pairs, result);
    check_rope(result, model_.file());
    return result;
  }

  void set_pairing(ModelRope& result) const {
    Pairing& pairing = result.spec.layout.pairing;
    if (options_.pairing) {
      pairing = *options_.pairing;
      result.pairing_source = options_.pairing_source;
    } else if (const auto flag = model_.boolean("rope_interleave")) {
      pairing = *flag ? Pairing::kInterleaved : Pairing::kHalfSplit;
      result.pairing_source = "rope_interleave";
    } else {
      const bool is_interleaved =
          type_ == "glm" || type_ == "glm4" ||
          std::ranges::any_of(
              kInterleavedFamilies,
              [&](std::string_view start) { return type_.starts_with(start); });
      pairing = is_interleaved ? Pairing::kInterleaved : Pairing::kHalfSplit;
      result.pairing_source = type_.empty() ? "assumed" : "model_type " + type_;
    }
    if (pairing == Pairing::kNestedHalfSplit) {
      model_.fail("pairing is nested_half_split; expected one of a text model");
    }
  }

  std::int64_t head_dim(const std::string& layers) const {
    if (layers == "full_attention") {
      if (const auto d = model_.integer("global_head_dim", 2, kMaxHeadDim)) {
        return *d;
      }
    }
    if (const auto d = model_.integer("head_dim", 2, kMaxHeadDim)) return *d;
    const char* hidden = model_.has("n_embd") ? "n_embd" : "hidden_size";
    const char* heads = model_.has("n_head") ? "n_head" : "num_attention_heads";
    if (!model_.has(hidden)) {
      model_.missing("head_dim", "an integer >= 2, or " + std::string(hidden) +
                                     " and " + heads);
    }
    const std::int64_t size = model_.need_integer(hidden, 1, kMaxCount);
    const std::int64_t count = model_.need_integer(heads, 1, kMaxCount);
    if (size % count != 0) {
      model_.refuse(hidden, "a multiple of " + std::string(heads) + ", " +
                                std::to_string(count));
    }
    return size / count;
  }

  // Latent attention: the heads are nope + rope, and the last channels rotate.
  // transformers writes the width of the rotating part as head_dim, too.
  void set_latent(std::int64_t r, ModelRope& result) const {
    const auto nope = model_.integer("qk_nope_head_dim", 0, kMaxHeadDim);
    const auto given = model_.integer("head_dim", 2, kMaxHeadDim);
    if (!nope && !given) {
      model_.missing("qk_nope_head_dim", "an integer >= 0, or head_dim");
    }
    const std::int64_t d = nope ? *nope + r : *given;
    if (nope && given && *given != d && *given != r) {
      model_.refuse("head_dim", "qk_nope_head_dim + qk_rope_head_dim, " +
                                    std::to_string(d));
    }
    if (r > d || r % 2 != 0) {
      model_.refuse("qk_rope_head_dim",
                    "an even number 2 .. " + std::to_string(d));
    }
    result.spec.layout = reference::trailing(d, r, result.spec.layout.pairing);
  }

  void set_layout(const std::string& layers, const ConfigObject& rope,
                  const std::string& type, ModelRope& result) const {
    if (const auto r = model_.integer("qk_rope_head_dim", 2, kMaxHeadDim)) {
      return set_latent(*r, result);
    }
    const std::int64_t d = head_dim(layers);
    auto fraction =
        inside_or_beside(rope, model_, "partial_rotary_factor", kFraction);
    const char* key = "partial_rotary_factor";
    if (!fraction && model_.has("rotary_pct")) {  // GPT-NeoX
      key = "rotary_pct";
      fraction = model_.number(key, kFraction);
    }
    if (type == "proportional") {
      return set_proportional(d, fraction.value_or(1), result);
    }
    const double product = static_cast<double>(d) * fraction.value_or(1);
    std::int64_t r = static_cast<std::int64_t>(product);
    if (fraction && (r % 2 != 0 || r < 2)) {
      model_.fail(std::string(key) + " is " + shortest(*fraction) +
                  "; expected one that makes int(" + std::to_string(d) + " * " +
                  key + ") even and at least 2, not " + std::to_string(r));
    }
    if (const auto given = model_.integer("rotary_dim", 2, d)) {
      if (fraction && r != *given) {
        model_.refuse("rotary_dim", "int(head_dim * " + std::string(key) +
                                        "), " + std::to_string(r));
      }
      r = *given;
    }
    if (r % 2 != 0) {
      model_.fail(
          (model_.has("rotary_dim") ? "rotary_dim is " : "head_dim is ") +
          std::to_string(r) + "; expected an even number");
    }
    result.spec.layout = reference::leading(d, r, result.spec.layout.pairing);
  }

  // Gemma 4: int(fraction * head_dim // 2) pairs of a half-split over the whole
  // head, and exponents that count against it.
  void set_proportional(std::int64_t d, double fraction,
                        ModelRope& result) const {
    const auto pairs =
        static_cast<std::int64_t>(fraction * static_cast<double>(d) / 2);
    if (d % 2 != 0 || pairs < 1) {
      model_.fail("partial_rotary_factor is " + shortest(fraction) +
                  "; expected one that rotates at least one pair of head_dim " +
                  std::to_string(d) + ", an even number");
    }
    if (result.spec.layout.pairing != Pairing::kHalfSplit) {
      model_.fail("pairing is " +
                  text::word(text::kPairingWords, result.spec.layout.pairing) +
                  "; expected half_split with rope_type proportional");
    }
    result.spec.layout = reference::proportional_layout(d, pairs);
    result.spec.frequencies.exponents =
        reference::proportional_exponents(d, pairs);
  }

  void set_axes(const ConfigObject& rope, const std::string& type,
                std::int64_t pairs, ModelRope& result) const {
    const bool is_xdrope = type == "xdrope";
    const char* key = is_xdrope ? "xdrope_section" : "mrope_section";
    const auto sections = rope.sections(key, is_xdrope ? 4 : 3, pairs);
    if (!sections) {
      if (is_xdrope) rope.missing(key, "a list of 4 integers >= 0");
      return;
    }
    reference::Axes& axes = result.spec.axes;
    if (is_xdrope) {
      result.axis_names = {"p", "w", "h", "t"};
      axes = reference::contiguous_sections(*sections);
      return;
    }
    result.axis_names = {"t", "h", "w"};
    try {
      if (type_.starts_with("ernie4_5_vl")) {
        axes = reference::ernie_sections(*sections);
      } else if (rope.boolean("mrope_interleaved").value_or(false)) {
        axes = reference::interleaved_sections(*sections);
      } else {
        axes = reference::contiguous_sections(*sections);
      }
    } catch (const std::invalid_argument& error) {
      rope.refuse(key, "sections of its scheme: " + std::string(error.what()));
    }
  }

  const ConfigObject& model_;
  const ConfigOptions& options_;
  std::string type_;
  std::int64_t max_position_;
};

}  // namespace

void check_rope(const ModelRope& rope, const std::string& file) {
  try {
    reference::validate(rope.spec);
  } catch (const std::invalid_argument& error) {
    throw ConfigError(file + ": " + error.what());
  }
}

std::vector<ModelRope> ropes_of_config(const json& document,
                                       const std::string& file,
                                       const ConfigOptions& options) {
  std::optional<ConfigObject> model(std::in_place, document, file, "");
  for (const char* key : {"thinker_config", "text_config"}) {
    if (const auto inner = model->object(key)) model.emplace(*inner);
  }
  return Reader(*model, options).read();
}

}  // namespace ropeproof::conformance::models
