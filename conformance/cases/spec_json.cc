#include "conformance/cases/spec_json.h"

#include <set>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "conformance/cases/bits_json.h"
#include "conformance/plugin/scalings.h"
#include "conformance/text/file.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::cases {
namespace {

using nlohmann::json;
using Ordered = nlohmann::ordered_json;
using reference::Spec;

Ordered scaling_json(const reference::Scaling& scaling) {
  Ordered node{{"kind", plugin::scaling_word(scaling)}};
  const auto write_field = [&](const char* key, const auto& value,
                               const auto&) {
    write_parameter(node, key, value);
  };
  std::visit([&](const auto& s) { plugin::for_each_field(s, write_field); },
             scaling);
  return node;
}

reference::Scaling read_scaling(const json& node, const std::string& where,
                                std::int64_t pairs) {
  text::StrictObject object(node, where);
  const std::string kind = object.text("kind");
  reference::Scaling scaling = plugin::scaling_of(
      text::find_word(plugin::kScalingWords, kind).value_or(0));
  if (scaling.index() == 0) {
    object.fail("kind", "unknown scaling \"" + kind + "\"");
  }
  const auto read_field = [&](const char* key, auto& value, const auto&) {
    read_parameter(object, key, pairs, value);
  };
  std::visit([&](auto& s) { plugin::for_each_field(s, read_field); }, scaling);
  object.finish();
  return scaling;
}

// The type of a parameter, as write_parameter() has it.
template <class T>
std::string schema_of(const T&) {
  if constexpr (std::is_same_v<T, bool>) {
    return R"({"type": "boolean"})";
  } else {
    return std::string(R"({"$ref": "#/$defs/)") +
           (std::is_same_v<T, std::int64_t>          ? "count"
            : std::is_same_v<T, std::vector<double>> ? "row_f64"
                                                     : "f64") +
           R"("})";
  }
}

// The properties of a scaling: its kind, and the parameters of all kinds.
std::string scaling_properties() {
  std::vector<std::string> kinds;
  std::set<std::string> names;
  std::string parameters;
  for (const auto& [bit, word] : plugin::kScalingWords) {
    kinds.push_back('"' + std::string(word) + '"');
    const auto add = [&](const std::string& name, const auto& value,
                         const auto&) {
      if (!names.insert(name).second) return;
      parameters += ",\n    \"" + name + "\": " + schema_of(value);
    };
    std::visit([&](const auto& s) { plugin::for_each_field(s, add); },
               plugin::scaling_of(bit));
  }
  return "\n    \"kind\": {\"enum\": [" + text::joined(kinds, ", ") + "]}" +
         parameters;
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
    axes.axis_of_pair =
        object.integers("axis_of_pair", 0, reference::kMaxAxes - 1);
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
  if (f.scaling.index() != 0) json_case["scaling"] = scaling_json(f.scaling);
  if (!f.pair_factors.empty()) {
    json_case["pair_factors"] = hex_row(f.pair_factors);
  }
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
  if (object.find("pair_factors") != nullptr) {
    f.pair_factors = read_doubles(object, "pair_factors", pairs);
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

std::string with_scalings(std::string schema, const std::string& file) {
  const std::size_t scaling = schema.find("\n  \"scaling\": {");
  constexpr std::string_view kProperties = "\"properties\": {";
  const std::size_t begin = schema.find(kProperties, scaling);
  const std::size_t end = schema.find("\n   }", begin);
  if (scaling == std::string::npos || end == std::string::npos) {
    throw text::FileError(file + ": has no properties of a scaling");
  }
  const std::size_t first = begin + kProperties.size();
  return schema.replace(first, end - first, scaling_properties());
}

}  // namespace ropeproof::conformance::cases
