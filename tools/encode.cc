// ropeproof encode: prints other position encodings than RoPE, certified.
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "conformance/cases/encoding_case.h"
#include "conformance/text/format.h"
#include "conformance/text/strict_json.h"
#include "conformance/text/word_tables.h"
#include "reference/golden.h"
#include "tools/commands.h"

namespace ropeproof::tools {
namespace {

using Json = nlohmann::ordered_json;
using reference::encodings::Encoding;
using text::parse_integer;

constexpr std::size_t kMaxPositions = std::size_t{1} << 20;
constexpr const char* kNumbers[] = {"dim",         "head_dim", "length",
                                    "channels",    "heads",    "buckets",
                                    "max_distance"};

struct EncodeOptions {
  std::string name, positions;
  std::map<std::string, std::optional<std::int64_t>> numbers;  // by kNumbers
  std::optional<double> base;
  std::optional<std::string> tables;
  bool is_causal = false, is_json = false;
};

// "head_dim" as a flag.
std::string flag_of(std::string name) {
  if (name == "is_causal") return "--causal";
  for (char& c : name) c = c == '_' ? '-' : c;
  return "--" + name;
}

// "0..8,100,-3"
std::vector<std::int64_t> positions_of(const std::string& text) {
  std::vector<std::int64_t> positions;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const std::size_t dots = part.find("..");
    const auto first = parse_integer(part.substr(0, dots));
    const auto last = dots == std::string::npos
                          ? first
                          : parse_integer(part.substr(dots + 2));
    if (!first || !last || *last < *first) {
      throw std::invalid_argument("--positions \"" + text +
                                  "\": expected integers and ranges, as "
                                  "0..8,100");
    }
    const auto count =
        static_cast<std::uint64_t>(*last) - static_cast<std::uint64_t>(*first);
    if (count >= kMaxPositions - positions.size()) {
      throw std::invalid_argument("--positions are more than " +
                                  std::to_string(kMaxPositions - 1));
    }
    for (std::uint64_t i = 0; i <= count; ++i) {
      positions.push_back(*first + static_cast<std::int64_t>(i));
    }
    begin = end + 1;
  }
  return positions;
}

// Numbers, or rows of as many each. Returns how many were added.
std::size_t append_numbers(const nlohmann::json& node, const std::string& name,
                           std::vector<double>& numbers) {
  if (node.is_number()) {
    numbers.push_back(node.get<double>());
    return 1;
  }
  if (!node.is_array()) {
    throw std::invalid_argument("--tables: \"" + name +
                                "\": expected numbers, or rows of them");
  }
  std::set<std::pair<bool, std::size_t>> kinds;
  const std::size_t before = numbers.size();
  for (const nlohmann::json& entry : node) {
    const std::size_t count = append_numbers(entry, name, numbers);
    kinds.emplace(entry.is_array(), count);
  }
  if (kinds.size() > 1) {
    throw std::invalid_argument("--tables: \"" + name +
                                "\": its rows are not of one length");
  }
  return numbers.size() - before;
}

// The members of a JSON object: tables by name.
std::map<std::string, std::vector<double>> tables_of(
    const EncodeOptions& options) {
  std::map<std::string, std::vector<double>> tables;
  if (!options.tables) return tables;
  try {
    const nlohmann::json document =
        text::parse_json(text::read_file(*options.tables), *options.tables);
    if (!document.is_object()) {
      throw std::invalid_argument(
          "--tables: expected an object, as {\"table\": [[0.5, 1], [2, 3]]}");
    }
    for (const auto& [name, node] : document.items()) {
      append_numbers(node, name, tables[name]);
    }
  } catch (const text::FileError& error) {
    throw std::invalid_argument(std::string("--tables: ") + error.what());
  }
  return tables;
}

// What was given and the encoding has not is refused.
Encoding encoding_of(const EncodeOptions& options) {
  auto found = cases::encoding_named(options.name);
  if (!found) {
    throw std::invalid_argument("no encoding \"" + options.name +
                                "\"; there are " +
                                text::joined(cases::kEncodingNames, ", "));
  }
  auto numbers = options.numbers;
  auto tables = tables_of(options);
  std::string takes;
  bool has_base = false, has_causal = false;
  cases::for_each_parameter(*found, [&]<class T>(const char* name, T& value) {
    if constexpr (std::is_same_v<T, std::vector<double>>) {
      value = tables[name];
      tables.erase(name);
      if (!takes.ends_with("--tables")) takes += " --tables";
      return;
    } else if constexpr (std::is_same_v<T, double>) {
      has_base = true;
      value = options.base.value_or(value);
    } else if constexpr (std::is_same_v<T, bool>) {
      has_causal = true;
      value = options.is_causal;
    } else {
      value = numbers[name].value_or(value);
      numbers.erase(name);
    }
    takes += " " + flag_of(name);
  });
  const auto refuse = [&](const std::string& what) {
    throw std::invalid_argument(what + " is not for " + options.name +
                                ", which takes" + takes);
  };
  for (const auto& [name, value] : numbers) {
    if (value) refuse(flag_of(name));
  }
  if (options.base && !has_base) refuse("--base");
  if (options.is_causal && !has_causal) refuse("--causal");
  for (const auto& [name, table] : tables) refuse("table \"" + name + "\"");
  return *found;
}

std::string digits17(double x) {
  char text[40];
  const auto end =
      std::to_chars(text, text + sizeof text, x, std::chars_format::general, 17)
          .ptr;
  return {text, end};
}

// Values in nested arrays.
Json nested(const std::vector<std::int64_t>& shape, std::size_t axis,
            const double*& next) {
  Json rows = Json::array();
  for (std::int64_t i = 0; i < shape[axis]; ++i) {
    if (axis + 1 < shape.size()) {
      rows.push_back(nested(shape, axis + 1, next));
    } else {
      rows.push_back(*next++);
    }
  }
  return rows;
}

void print_json(const EncodeOptions& options, const Encoding& encoding,
                const std::vector<std::int64_t>& positions,
                const std::vector<double>& values) {
  const auto shape = reference::encodings::shape(encoding, positions);
  Json parameters = Json::object();
  cases::for_each_parameter(encoding, [&](const char* name, const auto& value) {
    parameters[name] = value;
  });
  const double* next = values.data();
  const Json json = {{"encoding", options.name},
                     {"parameters", parameters},
                     {"positions", positions},
                     {"shape", shape},
                     {"values", nested(shape, 0, next)}};
  std::cout << json.dump() << "\n";
}

// A line for each token, or for each query and key: its position, its values.
void print_lines(const Encoding& encoding,
                 const std::vector<std::int64_t>& positions,
                 const std::vector<double>& values) {
  const std::size_t n = positions.size();
  const bool is_relative = std::visit(
      []<class E>(const E&) { return reference::encodings::kIsRelative<E>; },
      encoding);
  const std::size_t rows = is_relative ? n * n : n;
  const std::size_t width = values.size() / rows;
  for (std::size_t row = 0; row < rows; ++row) {
    std::cout << positions[is_relative ? row / n : row];
    if (is_relative) std::cout << " " << positions[row % n];
    for (std::size_t c = 0; c < width; ++c) {
      std::cout << " " << digits17(values[row * width + c]);
    }
    std::cout << "\n";
  }
}

int encode(const EncodeOptions& options) {
  const Encoding encoding = encoding_of(options);
  const auto positions = positions_of(options.positions);
  std::vector<double> values;
  for (const reference::Golden& golden : reference::encodings::golden_encoding(
           reference::best_oracle(), encoding, positions,
           reference::Rounding::kNearestEven)) {
    values.push_back(reference::decode(reference::Format::kF64, golden.bits));
  }
  if (options.is_json) {
    print_json(options, encoding, positions, values);
  } else {
    print_lines(encoding, positions, values);
  }
  return 0;
}

}  // namespace

Command add_encode(CLI::App& app) {
  auto options = std::make_shared<EncodeOptions>();
  CLI::App* command = app.add_subcommand(
      "encode",
      "print another position encoding than RoPE, to 17 correct digits");
  command
      ->add_option("name", options->name,
                   "integer, normalised, binary, sine, sinusoidal, shift, "
                   "learned, decay, relative, transformer_xl, t5 or alibi")
      ->required();
  command
      ->add_option("--positions", options->positions,
                   "as 0..8,100; of queries and keys where it is relative")
      ->required();
  for (const char* name : kNumbers) {
    command->add_option(flag_of(name), options->numbers[name],
                        "where the encoding has it");
  }
  command->add_option("--base", options->base, "10000");
  command->add_flag("--causal", options->is_causal,
                    "t5: no bucket for keys ahead");
  command->add_option("--tables", options->tables,
                      "JSON file of what is learned: {\"table\": [[...]]}; "
                      "x, w_q, w_ke, w_kr, u and v of transformer_xl");
  command->add_flag("--json", options->is_json, "one JSON object");
  return {command, [options] { return encode(*options); }};
}

}  // namespace ropeproof::tools
