#include "conformance/cases/spec_json.h"

#include <optional>
#include <type_traits>
#include <variant>

#include "conformance/cases/bits_json.h"

namespace ropeproof::conformance::cases {
namespace {

using nlohmann::json;
using Ordered = nlohmann::ordered_json;
using reference::Spec;

Ordered scaling_json(const reference::Scaling& scaling) {
  return std::visit(
      [](const auto& s) -> Ordered {
        using S = std::decay_t<decltype(s)>;
        if constexpr (std::is_same_v<S, reference::Linear>) {
          return {{"kind", "linear"}, {"factor", hex(s.factor)}};
        } else if constexpr (std::is_same_v<S, reference::Ntk>) {
          return {{"kind", "ntk"}, {"alpha", hex(s.alpha)}};
        } else if constexpr (std::is_same_v<S, reference::DynamicNtk>) {
          return {{"kind", "dynamic_ntk"},
                  {"factor", hex(s.factor)},
                  {"max_position", s.max_position},
                  {"seq_len", s.seq_len}};
        } else if constexpr (std::is_same_v<S, reference::Yarn>) {
          Ordered node = {{"kind", "yarn"},
                          {"factor", hex(s.factor)},
                          {"original_length", s.original_length},
                          {"beta_fast", hex(s.beta_fast)},
                          {"beta_slow", hex(s.beta_slow)},
                          {"truncate", s.truncate}};
          if (s.attention_factor) {
            node["attention_factor"] = hex(*s.attention_factor);
          }
          if (s.mscale) node["mscale"] = hex(*s.mscale);
          if (s.mscale_all_dim) node["mscale_all_dim"] = hex(*s.mscale_all_dim);
          return node;
        } else if constexpr (std::is_same_v<S, reference::LongRope>) {
          Ordered node = {{"kind", "long_rope"},
                          {"short_factor", hex_row(s.short_factor)},
                          {"long_factor", hex_row(s.long_factor)},
                          {"original_length", s.original_length},
                          {"seq_len", s.seq_len},
                          {"factor", hex(s.factor)}};
          if (s.attention_factor) {
            node["attention_factor"] = hex(*s.attention_factor);
          }
          return node;
        } else if constexpr (std::is_same_v<S, reference::Llama3>) {
          return {{"kind", "llama3"},
                  {"factor", hex(s.factor)},
                  {"low_freq_factor", hex(s.low_freq_factor)},
                  {"high_freq_factor", hex(s.high_freq_factor)},
                  {"original_length", s.original_length}};
        } else if constexpr (std::is_same_v<S, reference::FrequencyFactors>) {
          return {{"kind", "frequency_factors"},
                  {"factors", hex_row(s.factors)}};
        } else {
          return nullptr;
        }
      },
      scaling);
}

std::optional<double> find_double(text::StrictObject& object, const char* key) {
  if (object.find(key) == nullptr) return std::nullopt;
  return read_double(object, key);
}

std::int64_t count(text::StrictObject& object, const char* key) {
  return object.integer(key, 0, reference::kMaxPosition);
}

reference::Scaling read_scaling(const json& node, const std::string& where,
                                std::int64_t pairs) {
  text::StrictObject object(node, where);
  const std::string kind = object.text("kind");
  reference::Scaling scaling;
  if (kind == "linear") {
    scaling = reference::Linear{read_double(object, "factor")};
  } else if (kind == "ntk") {
    scaling = reference::Ntk{read_double(object, "alpha")};
  } else if (kind == "dynamic_ntk") {
    scaling = reference::DynamicNtk{read_double(object, "factor"),
                                    count(object, "max_position"),
                                    count(object, "seq_len")};
  } else if (kind == "yarn") {
    reference::Yarn s;
    s.factor = read_double(object, "factor");
    s.original_length = count(object, "original_length");
    s.beta_fast = read_double(object, "beta_fast");
    s.beta_slow = read_double(object, "beta_slow");
    s.truncate = object.flag("truncate");
    s.attention_factor = find_double(object, "attention_factor");
    s.mscale = find_double(object, "mscale");
    s.mscale_all_dim = find_double(object, "mscale_all_dim");
    scaling = s;
  } else if (kind == "long_rope") {
    reference::LongRope s;
    s.short_factor = read_doubles(object, "short_factor", pairs);
    s.long_factor = read_doubles(object, "long_factor", pairs);
    s.original_length = count(object, "original_length");
    s.seq_len = count(object, "seq_len");
    s.factor = read_double(object, "factor");
    s.attention_factor = find_double(object, "attention_factor");
    scaling = s;
  } else if (kind == "llama3") {
    scaling = reference::Llama3{read_double(object, "factor"),
                                read_double(object, "low_freq_factor"),
                                read_double(object, "high_freq_factor"),
                                count(object, "original_length")};
  } else if (kind == "frequency_factors") {
    scaling =
        reference::FrequencyFactors{read_doubles(object, "factors", pairs)};
  } else {
    object.fail("kind", "unknown scaling \"" + kind + "\"");
  }
  object.finish();
  return scaling;
}

std::vector<reference::Exponent> read_exponents(text::StrictObject& object,
                                                const json& node,
                                                std::int64_t pairs) {
  std::vector<reference::Exponent> exponents;
  const auto is_pair = [](const json& e) {
    return e.is_array() && e.size() == 2 && e[0].is_number_unsigned() &&
           e[1].is_number_unsigned();
  };
  const bool has_size =
      node.is_array() && node.size() == static_cast<std::size_t>(pairs);
  for (std::size_t j = 0; has_size && j < node.size(); ++j) {
    if (!is_pair(node[j])) break;
    exponents.push_back(
        {node[j][0].get<std::int64_t>(), node[j][1].get<std::int64_t>()});
  }
  if (exponents.size() != static_cast<std::size_t>(pairs)) {
    object.fail("exponents", "expected " + std::to_string(pairs) +
                                 " pairs [numerator, denominator]");
  }
  return exponents;
}

reference::Axes read_axes(const json& node, const std::string& where,
                          std::int64_t pairs) {
  text::StrictObject object(node, where);
  reference::Axes axes;
  axes.count = object.integer("count", 1, reference::kMaxAxes);
  if (object.find("weights") != nullptr) {
    axes.weights = read_doubles(object, "weights", axes.count * pairs);
  } else {
    const json& list = object.get("axis_of_pair");
    if (!list.is_array()) object.fail("axis_of_pair", "expected an array");
    for (const json& axis : list) {
      if (!axis.is_number_unsigned())
        object.fail("axis_of_pair", "not an axis");
      axes.axis_of_pair.push_back(axis.get<std::int64_t>());
    }
  }
  object.finish();
  return axes;
}

}  // namespace

void write_variant(const Spec& spec, Ordered& json_case) {
  const reference::Layout& layout = spec.layout;
  const reference::Frequencies& f = spec.frequencies;
  if (layout.pair_distance != 0) {
    json_case["pair_distance"] = layout.pair_distance;
  }
  if (layout.blocks != 1) json_case["blocks"] = layout.blocks;
  if (!f.inv_freq.empty()) json_case["inv_freq"] = hex_row(f.inv_freq);
  const Ordered scaling = scaling_json(f.scaling);
  if (!scaling.is_null()) json_case["scaling"] = scaling;
  if (!f.exponents.empty()) {
    Ordered list = Ordered::array();
    for (const reference::Exponent& e : f.exponents) {
      list.push_back(Ordered::array({e.numerator, e.denominator}));
    }
    json_case["exponents"] = list;
  }
  if (!f.bases.empty()) json_case["bases"] = hex_row(f.bases);
  if (f.xpos) {
    json_case["xpos"] = {{"scale_base", hex(f.xpos->scale_base)},
                         {"centre", hex(f.xpos->centre)},
                         {"is_key", f.xpos->is_key}};
  }
  const reference::Axes& axes = spec.axes;
  if (!axes.weights.empty()) {
    json_case["axes"] = {{"count", axes.count},
                         {"weights", hex_row(axes.weights)}};
  } else if (axes.count != 1 || !axes.axis_of_pair.empty()) {
    json_case["axes"] = {{"count", axes.count},
                         {"axis_of_pair", axes.axis_of_pair}};
  }
}

void read_variant(text::StrictObject& object, Spec& spec) {
  const std::int64_t pairs = spec.layout.rotary_dim / 2;
  reference::Frequencies& f = spec.frequencies;
  if (object.find("pair_distance") != nullptr) {
    spec.layout.pair_distance =
        object.integer("pair_distance", 1, spec.layout.head_dim);
  }
  if (object.find("blocks") != nullptr) {
    spec.layout.blocks = object.integer("blocks", 1, pairs);
  }
  if (object.find("inv_freq") != nullptr) {
    f.inv_freq = read_doubles(object, "inv_freq", pairs);
  }
  if (const json* node = object.find("scaling")) {
    f.scaling = read_scaling(*node, object.at("scaling"), pairs);
  }
  if (const json* node = object.find("exponents")) {
    f.exponents = read_exponents(object, *node, pairs);
  }
  if (object.find("bases") != nullptr) {
    f.bases = read_doubles(object, "bases", pairs);
  }
  if (const json* node = object.find("xpos")) {
    text::StrictObject xpos(*node, object.at("xpos"));
    f.xpos = reference::XPos{read_double(xpos, "scale_base"),
                             read_double(xpos, "centre"), xpos.flag("is_key")};
    xpos.finish();
  }
  if (const json* node = object.find("axes")) {
    spec.axes = read_axes(*node, object.at("axes"), pairs);
  }
}

}  // namespace ropeproof::conformance::cases
