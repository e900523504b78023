#include "conformance/models/config_reader.h"

#include <algorithm>
#include <map>

#include "conformance/models/config_parts.h"
#include "conformance/models/scalings.h"
#include "conformance/text/format.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::models {
namespace {

using nlohmann::json;
using reference::Pairing;
using reference::shortest;

// One document while it is read.
class Reader {
 public:
  Reader(const TypedConfig& config, const ConfigOptions& options)
      : config_(config),
        model_(config_.object),
        options_(options),
        type_(config.type) {
    max_position_ =
        model_.find_own(kMaxPosition) == nullptr
            ? 0
            : model_.need_integer(kMaxPosition, 1, reference::kMaxPosition);
  }

  std::vector<ModelRope> read() const {
    static const json kNone = json::object();
    const ConfigObject none(kNone, model_.file(), "");
    check_layer_lists(config_);
    for (const char* key : {"layer_rope_theta", "rope_theta"}) {
      const auto list = model_.node().find(key);
      if (list == model_.node().end() || !list->is_array()) continue;
      if (key == std::string("layer_rope_theta") && !config_.reads(key)) {
        continue;
      }
      if (key == std::string("rope_theta")) check_base_list();
      return of_layers(key, none);
    }
    const auto dictionary = rope_dictionary();
    if (config_.field("kinds") != nullptr) return of_kinds(dictionary, none);
    if (dictionary && is_layered(*dictionary)) return layered(*dictionary);
    const ConfigObject& rope = dictionary ? *dictionary : none;

    // Two bases, as Gemma 3 and ModernBERT have them in version 4: the sliding
    // layers have no scaling.
    for (const char* key : {"rope_local_base_freq", "local_rope_theta"}) {
      if (!config_.reads(key)) continue;
      if (const auto base = model_.number(key, kPositive)) {
        return {one("full_attention", rope, full_base(rope)),
                one("sliding_attention", none, *base)};
      }
    }
    return {one("", rope, full_base(rope))};
  }

 private:
  static constexpr const char* kMaxPosition = "max_position_embeddings";

  // A class whose own base is a number reads no list, unless other code does.
  void check_base_list() const {
    const json* defaults = config_.field("defaults");
    if (defaults != nullptr && defaults->contains("rope_theta") &&
        !model_.has("auto_map")) {
      model_.refuse("rope_theta",
                    "a number, as the class of " + config_.type + " reads it");
    }
  }

  // The kinds of layers that the table names: each has a dictionary of its own,
  // or the only one; "theta" is the key of its base in version 4, "defaults"
  // completes its dictionary.
  std::vector<ModelRope> of_kinds(const std::optional<ConfigObject>& dictionary,
                                  const ConfigObject& none) const {
    const json& kinds = *config_.field("kinds");
    bool has_own = false;
    for (const auto& [name, kind] : kinds.items()) {
      has_own = has_own || (dictionary && dictionary->node().contains(name));
    }
    const bool are_told = std::ranges::any_of(
        kinds.items(),
        [&](const auto& x) { return has_layers(x.key(), x.value()); });
    std::vector<ModelRope> ropes;
    for (const auto& [name, kind] : kinds.items()) {
      if (are_told && !has_layers(name, kind)) continue;
      ConfigObject rope = none;
      if (has_own) {
        const auto own = dictionary->object(name);
        if (own) rope = *own;
        if (!own && dictionary->node().contains(name)) continue;  // null
      } else if (dictionary && kind.value("scaled", true)) {
        rope = *dictionary;
      }
      const std::string theta = kind.value("theta", "rope_theta");
      if (!has_own) check_beside(kind, theta);
      auto base = rope.number("rope_theta", kPositive);
      if (!base && !has_own && model_.find_own(theta) != nullptr) {
        base = model_.number(theta, kPositive);
      }
      json own = rope.node();
      if (kind.contains("defaults")) {
        // What the file has for all kinds is not absent from any.
        const char* fraction = "partial_rotary_factor";
        const json* all = has_own ? nullptr : model_.find_own(fraction);
        if (all != nullptr) own.emplace(fraction, *all);
        rope = ConfigObject(own, model_.file(), rope.where())
                   .with_defaults(&kind.at("defaults"), config_.notes, name);
      }
      if (!base) base = rope.number("rope_theta", kPositive);
      if (!base) base = full_base(rope);
      const json merged = of_kind(name, kind);
      ropes.push_back(
          Reader(config_.with_object(merged), options_).one(name, rope, *base));
    }
    if (!has_own) return ropes;
    for (const auto& [name, own] : dictionary->node().items()) {
      if (kinds.contains(name) || !own.is_object() || !is_layer_type(name)) {
        continue;
      }
      const ConfigObject rope = *dictionary->object(name);
      ropes.push_back(one(name, rope, full_base(rope)));
    }
    return ropes;
  }

  // A class that has a whole dictionary for a kind may read no key beside it.
  void check_beside(const json& kind, const std::string& theta) const {
    for (const std::string key : kind.value("unread", json::array())) {
      check_read(key == "rope_theta" ? theta : key,
                 kind.at("defaults").value(key, 1.0));
    }
  }

  // Refuses a key of the file that says otherwise than what the class reads.
  void check_read(const std::string& key, double read) const {
    if (model_.find_own(key) && model_.number(key, kPositive) != read) {
      model_.refuse(key, "what the class of " + config_.type +
                             " reads elsewhere, " + shortest(read));
    }
  }

  // Whether layer_types names a layer of the kind.
  bool has_layers(const std::string& name, const json& kind) const {
    const json labels = kind.value("layers", json::array({name}));
    return std::ranges::any_of(
        labels, [&](const json& label) { return is_layer_type(label); });
  }

  bool is_layer_type(const std::string& name) const {
    const auto names = model_.text_list("layer_types");
    return names && std::ranges::find(*names, name) != names->end();
  }

  // The configuration as the first layer of a kind sees it.
  json of_kind(const std::string& name, const json& kind) const {
    json merged = model_.node();
    if (kind.contains("keys")) {
      for (const auto& [key, formulas] : kind.at("keys").items()) {
        if (const auto value = first_value(model_, formulas))
          merged[key] = *value;
      }
    }
    const auto types = model_.text_list("layer_types");
    const auto layers = model_.object("per_layer_config");
    if (!types || !layers) return merged;
    const json label = kind.value("layers", json::array({name}));
    std::int64_t first = 0;
    for (const std::string& type : *types) {
      if (std::find(label.begin(), label.end(), type) != label.end()) break;
      ++first;
    }
    for (const auto& [index, keys] : layers->node().items()) {  // "5" or "05"
      if (text::parse_integer(index) != first) continue;
      merged.update(layers->object(index)->node());
    }
    return merged;
  }

  // A base for each layer, and perhaps a fraction; layers with equal ones have
  // one RoPE, those with a base of 0 none. Where the table names kinds, the
  // dictionary is for their layers alone.
  std::vector<ModelRope> of_layers(const char* key,
                                   const ConfigObject& none) const {
    const auto dictionary = rope_dictionary();
    const json& bases = *model_.find(key);
    const json* fractions = model_.find("partial_rotary_factors");
    const json* scaled = config_.field("kinds");
    const auto types = model_.text_list("layer_types");
    struct Kind {
      double base, fraction;
      bool is_scaled;
      auto operator<=>(const Kind&) const = default;
    };
    std::map<Kind, std::vector<std::int64_t>> kinds;
    for (std::size_t i = 0; i < bases.size(); ++i) {
      const json& base = bases[i];
      if (base.is_null() || base == 0) continue;
      double fraction = 0;
      if (fractions != nullptr) {
        if (fractions->size() != bases.size()) {
          model_.refuse("partial_rotary_factors", "a fraction for each layer");
        }
        fraction = (*fractions)[i].get<double>();
      }
      const bool is_scaled = scaled == nullptr || !types ||
                             i >= types->size() ||
                             scaled->contains((*types)[i]);
      kinds[{base.get<double>(), fraction, is_scaled}].push_back(
          static_cast<std::int64_t>(i));
    }
    std::vector<ModelRope> ropes;
    for (const auto& [kind, layers] : kinds) {
      json merged = model_.node();
      if (kind.fraction > 0) merged["partial_rotary_factor"] = kind.fraction;
      ropes.push_back(
          Reader(config_.with_object(merged), options_)
              .one(kinds.size() == 1 ? "" : layer_words(layers),
                   dictionary && kind.is_scaled ? *dictionary : none,
                   kind.base));
    }
    return ropes;
  }

  std::optional<ConfigObject> rope_dictionary() const {
    const auto scaling = model_.object("rope_scaling");
    const auto parameters = model_.object("rope_parameters");
    if (scaling && parameters && scaling->node() != parameters->node()) {
      model_.refuse("rope_scaling", "the same as rope_parameters beside it");
    }
    if (!parameters && scaling && config_.leaves("rope_scaling")) {
      model_.refuse("rope_scaling",
                    "none: the class of " + config_.type + " does not read it");
    }
    if (parameters || scaling) return parameters ? parameters : scaling;
    const json* usual = config_.field("rope_parameters");
    if (usual == nullptr) return {};
    return ConfigObject(*usual, model_.file(), "rope_parameters");
  }

  static bool is_layered(const ConfigObject& dictionary) {
    return std::ranges::any_of(
        dictionary.node(), [](const json& value) { return value.is_object(); });
  }

  std::vector<ModelRope> layered(const ConfigObject& dictionary) const {
    // Labels of their own count where layer_types names none of them.
    bool by_type = false;
    for (const auto& [name, value] : dictionary.node().items()) {
      by_type = by_type || is_layer_type(name);
    }
    std::vector<ModelRope> ropes;
    for (const auto& [name, value] : dictionary.node().items()) {
      if (by_type && value.is_object() && !is_layer_type(name)) continue;
      const auto rope = dictionary.object(name);
      if (!rope) continue;
      auto base = rope->number("rope_theta", kPositive);
      if (!base) base = full_base(*rope);
      ropes.push_back(one(name, *rope, *base));
    }
    return ropes;
  }

  // The base of a model with one dictionary, or none.
  double full_base(const ConfigObject& rope) const {
    std::optional<double> base = rope.number("rope_theta", kPositive);
    // GPT-NeoX and ModernBERT have their own names for it; those of known types
    // stand in the table.
    static const json kUsual = {"rotary_emb_base", "global_rope_theta"};
    const json* keys = config_.formulas("rope_theta");
    if (config_.entry == nullptr) keys = &kUsual;
    for (std::size_t i = 0; keys != nullptr && i < keys->size(); ++i) {
      const std::string key = (*keys)[i];
      if (model_.find_own(key) == nullptr) continue;
      const auto other = model_.number(key, kPositive);
      if (base && *base != *other) {
        model_.refuse(key, "what rope_theta says, " + shortest(*base));
      }
      base = other;
    }
    if (config_.leaves("rope_theta")) {
      check_read(
          "rope_theta",
          base.value_or(config_.field("defaults")->value("rope_theta", 0.0)));
    }
    if (!base || model_.find_own("rope_theta") != nullptr) {
      base = inside_or_beside(rope, model_, "rope_theta", kPositive);
    }
    const auto ratio = config_.reads("rope_ratio")
                           ? model_.number("rope_ratio", kPositive)
                           : std::nullopt;
    if (ratio && *ratio != 1 && config_.entry == nullptr) {
      model_.refuse("rope_ratio", "none: multiply rope_theta by it");
    }
    if (ratio && base) return *base * *ratio;
    if (!base) {
      model_.missing("rope_theta", std::string(kPositive.text) +
                                       ", here or in the rope dictionary");
    }
    return *base;
  }

  ModelRope one(const std::string& layers, const ConfigObject& rope,
                double base) const {
    const RopeType& type = rope_type_of(rope);
    ModelRope result;
    result.layers = printable(layers);
    result.context_length = max_position_;
    if (config_.entry != nullptr && config_.entry->value("reverse", false)) {
      result.spec.direction = reference::Direction::kAdjoint;
    }
    result.spec.frequencies.base = base;
    set_pairing(result);
    read_layout(config_, layers, rope, type, result);
    const std::int64_t pairs = result.spec.layout.rotary_dim / 2;
    type.read(rope,
              {model_, pairs, options_.seq_len, options_.allow_missing_lists,
               config_.field("own_mscale") != nullptr},
              result);
    read_axes(config_, rope, type, result);
    set_pair_factors(result);
    check_rope(result, model_.file());
    return result;
  }

  // What a model learns stands in its checkpoint, or is added by hand.
  void set_pair_factors(ModelRope& result) const {
    if (config_.field("learned_factors") == nullptr) return;
    const std::int64_t pairs = result.spec.layout.rotary_dim / 2;
    const auto list = model_.positive_list("pair_factors", pairs);
    result.spec.frequencies.pair_factors =
        list.value_or(std::vector<double>(static_cast<std::size_t>(pairs), 1));
    if (!list) result.has_frequencies = false;
  }

  void set_pairing(ModelRope& result) const {
    Pairing& pairing = result.spec.layout.pairing;
    if (options_.pairing) {
      pairing = *options_.pairing;
      result.pairing_source = options_.pairing_source;
    } else if (const std::string key = pairing_key(); !key.empty()) {
      pairing =
          *model_.boolean(key) ? Pairing::kInterleaved : Pairing::kHalfSplit;
      result.pairing_source = key;
    } else {
      const json* known = config_.field("pairing");
      result.pairing_is_known = known != nullptr;
      pairing = known == nullptr ? Pairing::kHalfSplit
                                 : *text::find_word(text::kPairingWords,
                                                    known->get<std::string>());
      const std::string type = type_.empty() ? "a file without model_type"
                               : model_.has("_class_name")
                                   ? "_class_name " + type_
                                   : "model_type " + type_;
      result.pairing_source =
          known != nullptr ? type
                           : "assumed: unknown for " + type + "; say --pairing";
    }
  }

  // The key that says whether pairs are interleaved, where there is one.
  std::string pairing_key() const {
    static const json kUsual = {"rope_interleave", "rotary_emb_interleaved"};
    const json* keys = config_.field("interleave");
    if (config_.entry == nullptr) keys = &kUsual;
    for (std::size_t i = 0; keys != nullptr && i < keys->size(); ++i) {
      if (model_.find((*keys)[i]) != nullptr) return (*keys)[i];
    }
    return "";
  }

  const TypedConfig config_;
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

std::vector<ModelRope> read_ropes(const TypedConfig& model,
                                  const ConfigOptions& options) {
  return Reader(model, options).read();
}

}  // namespace ropeproof::conformance::models
