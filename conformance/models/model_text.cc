#include "conformance/models/model_text.h"

#include <algorithm>
#include <functional>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>

#include "conformance/models/figures.h"
#include "conformance/models/scalings.h"
#include "conformance/text/format.h"
#include "conformance/text/word_tables.h"
#include "reference/refuse.h"

namespace ropeproof::conformance::models {
namespace {

using Row = std::vector<std::string>;
using reference::shortest;

// Columns as wide as their widest entry; the last is not padded.
void print_table(std::ostream& out, const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  for (const Row& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      out << row[i] << std::string(widths[i] - row[i].size() + 2, ' ');
    }
    out << row.back() << "\n";
  }
}

// Returns one value, or those of the layers with a slash between.
std::string of_layers(const Model& model,
                      const std::function<std::string(const ModelRope&)>& get) {
  std::vector<std::string> values;
  for (const ModelRope& rope : model.ropes) {
    if (values.empty() || get(rope) != values.back()) {
      values.push_back(get(rope));
    }
  }
  return text::joined(values, "/");
}

bool has_scaling(const ModelRope& rope) {
  return !std::holds_alternative<reference::Default>(
      rope.spec.frequencies.scaling);
}

std::string scaling_of(const ModelRope& rope) {
  const bool is_proportional = rope.spec.layout.pair_distance != 0;
  const std::string text(is_proportional
                             ? "proportional"
                             : scaling_name(rope.spec.frequencies.scaling));
  if (rope.axis_names.empty()) return text;
  return (is_proportional || has_scaling(rope) ? text + ", axes " : "axes ") +
         text::joined(rope.axis_names, ",");
}

std::string status_of(const Model& model) {
  const bool is_complete = std::ranges::all_of(
      model.ropes, [](const ModelRope& rope) { return rope.has_frequencies; });
  if (!is_complete) return "no factor lists";
  return model.confirmed ? "confirmed" : "unconfirmed";
}

// "1.0000000000000000e+00": 17 digits, enough to tell every double.
std::string seventeen(double x) { return text::format("%.16e", x); }

std::string six(double x) { return text::format("%.6g", x); }

void print_pairs(std::ostream& out, const ModelRope& rope,
                 const Figures& figures) {
  const bool has_axes = !rope.axis_names.empty();
  const bool moves =
      rope.spec.layout.pairing == reference::Pairing::kInterleavedToHalf;
  Row head = {"  pair", "inv_freq", "wavelength", "slower"};
  if (has_axes) head.push_back("axis");
  head.push_back("channels");
  std::vector<Row> rows = {head};
  for (std::size_t j = 0; j < figures.pairs.size(); ++j) {
    const PairFigures& pair = figures.pairs[j];
    const auto channels = [](const reference::Pair& p) {
      return std::to_string(p.u) + ", " + std::to_string(p.v);
    };
    Row row = {"  " + std::to_string(j), seventeen(pair.inv_freq),
               six(pair.wavelength),
               pair.inv_freq == 0 ? "-" : six(pair.unscaled / pair.inv_freq)};
    if (has_axes) {
      row.push_back(rope.axis_names[static_cast<std::size_t>(pair.axis)]);
    }
    row.push_back(channels(pair.in) +
                  (moves ? " -> " + channels(pair.out) : ""));
    rows.push_back(row);
  }
  print_table(out, rows);
}

// "10000", or what the pairs of each axis have.
std::string base_of(const ModelRope& rope) {
  const reference::Frequencies& frequencies = rope.spec.frequencies;
  const std::string words = shortest(frequencies.base);
  if (frequencies.bases.empty()) {
    const reference::Layout& layout = rope.spec.layout;
    const bool is_usual = layout.pair_distance == 0 || !rope.axis_names.empty();
    return is_usual
               ? words
               : words + ", exponents 2j / " + std::to_string(layout.head_dim);
  }
  std::vector<std::string> of_axes;
  for (std::size_t k = 0; k < rope.axis_names.size(); ++k) {
    const auto& axes = rope.spec.axes.axis_of_pair;
    const auto at = std::ranges::find(axes, static_cast<std::int64_t>(k));
    if (at == axes.end()) continue;
    of_axes.push_back(
        shortest(reference::at(frequencies.bases, at - axes.begin())) +
        " along " + rope.axis_names[k]);
  }
  return text::joined(of_axes, ", ");
}

// "x, y real numbers, id counts"; empty: counts on all axes.
std::string coordinates_of(const ModelRope& rope) {
  constexpr const char* kKinds[] = {"counts", "counts from the centre",
                                    "real numbers"};
  std::vector<std::string> of_kinds;
  for (std::size_t i = 0; i < std::size(kKinds); ++i) {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < rope.coordinates.size(); ++k) {
      if (static_cast<std::size_t>(rope.coordinates[k]) == i) {
        names.push_back(rope.axis_names[k]);
      }
    }
    if (names.empty()) continue;
    of_kinds.push_back(text::joined(names, ", ") + " " + kKinds[i]);
  }
  return text::joined(of_kinds, "; ");
}

void print_rope(std::ostream& out, const ModelRope& rope) {
  const reference::Layout& layout = rope.spec.layout;
  const Figures figures = figures_of(rope);
  out << "\n";
  const auto line = [&](const char* key, const std::string& value) {
    out << std::left << std::setw(11) << key << value << "\n";
  };
  if (!rope.layers.empty()) line("layers", rope.layers);
  line("head", "head_dim " + std::to_string(layout.head_dim) + ", rotary_dim " +
                   std::to_string(layout.rotary_dim) + ": " +
                   channels_fact(layout, figures));
  line("pairing", text::word(text::kPairingWords, layout.pairing) + " (" +
                      rope.pairing_source + ")");
  if (rope.spec.direction == reference::Direction::kAdjoint) {
    line("direction", "backwards: by minus the angle");
  }
  line("base", base_of(rope));
  if (rope.context_length > 0) {
    line("context", std::to_string(rope.context_length));
  }
  const std::string coordinates = coordinates_of(rope);
  if (!coordinates.empty()) line("positions", coordinates);
  const char* key = "scaling";
  for (const std::string& fact : scaling_facts(rope, figures)) {
    const std::string name(scaling_name(rope.spec.frequencies.scaling));
    line(key, *key != '\0' && has_scaling(rope) ? name + ", " + fact : fact);
    key = "";
  }
  line("amplitude", shortest(figures.resolution.amplitude));
  if (rope.score_scale) {
    line("", "attention also multiplies its scores by " +
                 six(*rope.score_scale) + "; no part of the rotation");
  }
  if (rope.query_beta != 0) {
    line("", "attention also multiplies its queries by 1 + " +
                 shortest(rope.query_beta) + " ln(1 + floor(p / " +
                 std::to_string(figures.original_length) +
                 ")); no part of the rotation");
  }
  if (!rope.has_frequencies) {
    line("pairs", std::to_string(figures.pairs.size()) +
                      "; their frequencies need the factor lists");
    return;
  }
  out << "\n";
  print_pairs(out, rope, figures);
}

// What `print_json` writes of one model.
nlohmann::json json_of(const PartRopes& part) {
  using nlohmann::json;
  json ropes = json::array();
  for (const ModelRope& rope : part.ropes) {
    const Figures figures = figures_of(rope);
    const auto count = static_cast<std::int64_t>(figures.pairs.size());
    json pairs = json::array();
    for (std::int64_t j = 0; j < count; ++j) {
      const PairFigures& pair = reference::at(figures.pairs, j);
      json angles = json::array();
      for (std::int64_t k = 0; k < rope.spec.axes.count; ++k) {
        angles.push_back(static_cast<int>(rope.spec.direction) * pair.inv_freq *
                         reference::weight(rope.spec.axes, count, k, j));
      }
      pairs.push_back({{"in", {pair.in.u, pair.in.v}},
                       {"out", {pair.out.u, pair.out.v}},
                       {"angles", angles}});
    }
    ropes.push_back(
        {{"layers", rope.layers},
         {"head_dim", rope.spec.layout.head_dim},
         {"pairing", text::word(text::kPairingWords, rope.spec.layout.pairing)},
         {"pairing_is_known", rope.pairing_is_known},
         {"axes", rope.axis_names},
         {"amplitude", figures.resolution.amplitude},
         {"score_scale", rope.score_scale.value_or(1)},
         {"has_frequencies", rope.has_frequencies},
         {"pairs", pairs}});
  }
  return {{"where", part.where},
          {"type", part.type},
          {"facts", part.facts},
          {"ropes", ropes}};
}

// `is_one_of_several`: the path says which.
void print_part(std::ostream& out, const PartRopes& part,
                bool is_one_of_several) {
  if (is_one_of_several) {
    const bool is_plain = part.type.empty() || part.type == part.where;
    out << "\n"
        << (part.where.empty() ? "the file" : part.where)
        << (is_plain ? "" : " (" + part.type + ")") << "\n";
  }
  for (const std::string& fact : part.facts) out << fact << "\n";
  for (const ModelRope& rope : part.ropes) print_rope(out, rope);
}

}  // namespace

void print_models(std::ostream& out, const std::vector<Model>& models) {
  std::vector<Row> rows = {{"model", "head_dim", "rotary_dim", "pairing",
                            "base", "scaling", "status", "title"}};
  for (const Model& model : models) {
    const auto get = [&](const auto& value) { return of_layers(model, value); };
    rows.push_back({model.id, get([](const ModelRope& r) {
                      return std::to_string(r.spec.layout.head_dim);
                    }),
                    get([](const ModelRope& r) {
                      return std::to_string(r.spec.layout.rotary_dim);
                    }),
                    get([](const ModelRope& r) {
                      return text::word(text::kPairingWords,
                                        r.spec.layout.pairing);
                    }),
                    get([](const ModelRope& r) {
                      return shortest(r.spec.frequencies.base);
                    }),
                    get(scaling_of), status_of(model), model.title});
  }
  print_table(out, rows);
  const auto confirmed = std::ranges::count_if(models, &Model::confirmed);
  out << models.size() << " models, " << confirmed
      << " confirmed by two sources\n";
}

void print_json(std::ostream& out, const Model& model) {
  nlohmann::json document = json_of(model);
  document["model"] = model.id;
  document["others"] = nlohmann::json::array();
  for (const PartRopes& other : model.others) {
    document["others"].push_back(json_of(other));
  }
  out << document.dump(1, ' ', true, nlohmann::json::error_handler_t::replace)
      << "\n";
}

void print_model(std::ostream& out, const Model& model) {
  out << model.id << (model.title.empty() ? "" : "  ") << model.title << "\n";
  if (!model.sources.empty()) {
    out << (model.confirmed ? "confirmed by" : "not confirmed; from") << "\n";
    for (const std::string& source : model.sources) {
      out << "  " << source << "\n";
    }
  }
  if (!model.note.empty()) out << "note: " << model.note << "\n";
  print_part(out, model, !model.others.empty());
  for (const PartRopes& other : model.others) print_part(out, other, true);
}

}  // namespace ropeproof::conformance::models
