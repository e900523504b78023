#include <optional>
#include <utility>

#include "conformance/models/config_parts.h"
#include "conformance/models/scalings.h"
#include "conformance/text/word_tables.h"
#include "reference/refuse.h"
#include "reference/schemes.h"

namespace ropeproof::conformance::models {
namespace {

using nlohmann::json;
using reference::kMaxCount;
using reference::Pairing;
using reference::shortest;

// More channels are no head of a model.
constexpr std::int64_t kMaxHeadDim = 1 << 16;

class LayoutReader {
 public:
  explicit LayoutReader(const TypedConfig& config)
      : config_(config), model_(config.object) {}

  void set_layout(const std::string& layers, const ConfigObject& rope,
                  const RopeType& type, ModelRope& result) const {
    if (config_.reads("qk_rope_head_dim")) {
      const auto r = model_.integer("qk_rope_head_dim", 2, kMaxHeadDim);
      if (r) return set_latent(*r, rope, result);
    }
    const std::int64_t d = head_dim(layers);
    const auto [fraction, key] = rotary_fraction(rope);
    if (type.is_proportional) {
      return set_proportional(d, fraction.value_or(1), result);
    }
    if (fraction.value_or(1) != 1 && config_.leaves(key)) {
      model_.fail(key + " is " + shortest(*fraction) +
                  "; expected 1: " + unread() + ", and turns whole heads");
    }
    const double product = static_cast<double>(d) * fraction.value_or(1);
    std::int64_t r = static_cast<std::int64_t>(product);
    const bool reads = config_.reads("rotary_dim");
    const std::int64_t given =  // 0: none
        reads ? model_.integer("rotary_dim", 2, d).value_or(0) : 0;
    const bool is_own = given > 0 && model_.find_own("rotary_dim") != nullptr;
    if (fraction && (r % 2 != 0 || r < 2)) {
      model_.fail(key + " is " + shortest(*fraction) +
                  "; expected one that makes int(" + std::to_string(d) + " * " +
                  key + ") even and at least 2, not " + std::to_string(r));
    }
    const bool is_left = config_.leaves("rotary_dim");
    if (given > 0 && (is_left || (is_own && fraction)) && r != given) {
      model_.refuse("rotary_dim", "int(head_dim * " + key + "), " +
                                      std::to_string(r) +
                                      (is_left ? ": " + unread() : ""));
    }
    if (given > 0 && (is_own || !fraction)) r = given;
    if (r % 2 != 0) {
      model_.fail((given > 0 ? "rotary_dim is " : "head_dim is ") +
                  std::to_string(r) + "; expected an even number");
    }
    const json* window = config_.field("window");
    result.spec.layout =
        window != nullptr && *window == "trailing"
            ? reference::trailing(d, r, result.spec.layout.pairing)
            : reference::leading(d, r, result.spec.layout.pairing);
  }

 private:
  std::int64_t head_dim(const std::string& layers) const {
    if (layers == "full_attention") {
      if (const auto d = model_.integer("global_head_dim", 2, kMaxHeadDim)) {
        return *d;
      }
    }
    if (const json* own = config_.formulas("head_dim")) {
      const auto d = first_value(model_, *own);
      if (d && *d >= 2 && *d <= kMaxHeadDim)
        return static_cast<std::int64_t>(*d);
    }
    const auto given = model_.integer("head_dim", 2, kMaxHeadDim);
    if (given && !config_.leaves("head_dim")) return *given;
    if (const auto d = channels_of_axes()) {
      const auto own = model_.integer("attention_head_dim", 2, kMaxHeadDim);
      if (own && *own != *d) {
        model_.refuse(
            "attention_head_dim",
            "the sum of " +
                config_.field("axes")->at("channels").get<std::string>() +
                ", " + std::to_string(*d));
      }
      return *d;
    }
    const auto either = [&](const char* other, const char* usual) {
      return config_.entry == nullptr && model_.has(other) ? other : usual;
    };
    const char* hidden = either("n_embd", "hidden_size");
    const char* heads = either("n_head", "num_attention_heads");
    if (!model_.has(hidden)) {
      model_.missing("head_dim", "an integer >= 2, or " + std::string(hidden) +
                                     " and " + heads);
    }
    const std::int64_t size = model_.need_integer(hidden, 1, kMaxCount);
    const std::int64_t count = model_.need_integer(heads, 1, kMaxCount);
    if (config_.entry == nullptr) check_width(hidden, heads, size, count);
    if (given && *given != size / count) {
      model_.refuse("head_dim", std::string(hidden) + " / " + heads + ", " +
                                    std::to_string(size / count) + ": " +
                                    unread());
    }
    return size / count;
  }

  std::string unread() const {
    return "the class of " + config_.type + " does not read it";
  }

  // Nobody knows which of two widths is a head's in a model of unknown type.
  void check_width(const std::string& hidden, const std::string& heads,
                   std::int64_t size, std::int64_t count) const {
    if (size % count != 0) {
      model_.refuse(hidden,
                    "a multiple of " + heads + ", " + std::to_string(count));
    }
    for (const char* key :
         {"attention_head_dim", "kv_channels", "head_size", "size_per_head",
          "hidden_size_per_head", "d_head", "dim_head", "d_kv"}) {
      const auto other = model_.integer(key, 1, kMaxCount);
      if (other && *other != size / count) {
        model_.refuse(key, hidden + " / " + heads + ", " +
                               std::to_string(size / count) +
                               ", or the width of a head as head_dim");
      }
    }
  }

  // The sum of the list that the table names, of diffusers' models.
  std::optional<std::int64_t> channels_of_axes() const {
    const json* axes = config_.field("axes");
    if (axes == nullptr || !axes->contains("channels")) return {};
    const json* list = model_.find(axes->at("channels"));
    if (list == nullptr) return {};
    std::int64_t sum = 0;
    bool is_right = list->is_array();
    for (const json& count : *list) {
      is_right = is_right && count.is_number_integer() && count >= 0 &&
                 count <= kMaxHeadDim;
      if (is_right) sum += count.get<std::int64_t>();
    }
    if (!is_right) {
      model_.refuse(axes->at("channels"), "a list of integers >= 0");
    }
    return sum;
  }

  // Latent attention: the heads are nope + rope, and the last channels rotate.
  // transformers writes the width of the rotating part as head_dim, too.
  void set_latent(std::int64_t r, const ConfigObject& rope,
                  ModelRope& result) const {
    const auto nope = model_.integer("qk_nope_head_dim", 0, kMaxHeadDim);
    // The parts of a known type decide; its head_dim may be something else.
    const auto given = config_.entry != nullptr && nope
                           ? std::nullopt
                           : model_.integer("head_dim", 2, kMaxHeadDim);
    if (!nope && !given) {
      model_.missing("qk_nope_head_dim", "an integer >= 0, or head_dim");
    }
    const std::int64_t d = nope ? *nope + r : *given;
    if (nope && given && *given != d && *given != r) {
      model_.refuse("head_dim", "qk_nope_head_dim + qk_rope_head_dim, " +
                                    std::to_string(d));
    }
    const auto [fraction, key] = rotary_fraction(rope);
    const bool is_own = rope.find_own(key) || model_.find_own(key);
    if (config_.entry != nullptr && fraction && is_own &&
        !config_.leaves(key) &&
        static_cast<std::int64_t>(*fraction * static_cast<double>(d)) != r) {
      model_.refuse("qk_rope_head_dim", "int(head_dim * " + key + ")");
    }
    if (r > d || r % 2 != 0) {
      model_.refuse("qk_rope_head_dim",
                    "an even number 2 .. " + std::to_string(d));
    }
    result.spec.layout = reference::trailing(d, r, result.spec.layout.pairing);
  }

  // The part of a head that rotates, and the key that says so.
  std::pair<std::optional<double>, std::string> rotary_fraction(
      const ConfigObject& rope) const {
    const std::string usual = "partial_rotary_factor";
    const std::string other = other_fraction();
    const bool has_usual = rope.find_own(usual) || model_.find_own(usual);
    if (other.empty()) {
      const bool reads = config_.reads("rotary_dim");
      if (!has_usual && reads && model_.find_own("rotary_dim") &&
          !config_.leaves("rotary_dim")) {
        return {{}, usual};
      }
      return {inside_or_beside(rope, model_, usual, kFraction), usual};
    }
    const auto fraction = model_.number(other, kFraction);
    if (has_usual &&
        inside_or_beside(rope, model_, usual, kFraction) != fraction) {
      model_.refuse(other, usual + " beside it, the same");
    }
    return {fraction, other};
  }

  // The key of the file that the type, if it is known, has for this part.
  std::string other_fraction() const {
    static const json kUsual = {"rope_pct", "rotary_pct",
                                "rotary_emb_fraction"};
    const json* known = config_.formulas("partial_rotary_factor");
    if (config_.entry == nullptr) known = &kUsual;
    for (std::size_t i = 0; known != nullptr && i < known->size(); ++i) {
      const std::string key = (*known)[i];
      if (model_.find_own(key) != nullptr) return key;
    }
    return "";
  }

  // Gemma 4: int(fraction * head_dim // 2) pairs of the whole head's, and
  // exponents that count against it.
  void set_proportional(std::int64_t d, double fraction,
                        ModelRope& result) const {
    const auto pairs =
        static_cast<std::int64_t>(fraction * static_cast<double>(d) / 2);
    if (d % 2 != 0 || pairs < 1) {
      model_.fail("partial_rotary_factor is " + shortest(fraction) +
                  "; expected one that rotates at least one pair of head_dim " +
                  std::to_string(d) + ", an even number");
    }
    const Pairing pairing = result.spec.layout.pairing;
    if (pairing != Pairing::kHalfSplit && pairing != Pairing::kInterleaved) {
      model_.fail(
          "rope_type is proportional; expected pairing half_split or "
          "interleaved");
    }
    result.spec.layout = pairing == Pairing::kHalfSplit
                             ? reference::proportional_layout(d, pairs)
                             : reference::leading(d, 2 * pairs, pairing);
    result.spec.frequencies.exponents =
        reference::proportional_exponents(d, pairs);
  }

  const TypedConfig& config_;
  const ConfigObject& model_;
};

}  // namespace

void read_layout(const TypedConfig& config, const std::string& layers,
                 const ConfigObject& rope, const RopeType& type,
                 ModelRope& result) {
  LayoutReader(config).set_layout(layers, rope, type, result);
}

}  // namespace ropeproof::conformance::models
