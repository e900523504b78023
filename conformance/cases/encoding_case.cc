#include "conformance/cases/encoding_case.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <type_traits>

#include "conformance/cases/bits_json.h"
#include "conformance/cases/vector_file.h"
#include "conformance/text/strict_json.h"

namespace ropeproof::conformance::cases {
namespace {

using Json = nlohmann::ordered_json;
using reference::Format;
using reference::encodings::Encoding;

constexpr const char* kFormat = "ropeproof-encodings/1";
constexpr const char* kFile = "encodings.json";

template <std::size_t kIndex = 0>
Encoding encoding_at(std::size_t index) {
  if constexpr (kIndex + 1 < std::variant_size_v<Encoding>) {
    if (index != kIndex) return encoding_at<kIndex + 1>(index);
  }
  return Encoding(std::in_place_index<kIndex>);
}
static_assert(std::variant_size_v<Encoding> == kEncodingNames.size());

// A parameter that is 0 or empty is left out.
Json parameters(const Encoding& encoding) {
  Json object = Json::object();
  for_each_parameter(encoding, [&]<class T>(const char* name, const T& value) {
    if (std::is_same_v<T, double> || value != T()) {
      write_parameter(object, name, value);
    }
  });
  return object;
}

void read_parameters(text::StrictObject& object, Encoding& encoding) {
  for_each_parameter(encoding, [&]<class T>(const char* name, T& value) {
    if (object.find(name) == nullptr) return;
    const bool is_list = std::is_same_v<T, std::vector<double>>;
    const std::size_t digits = is_list ? object.text(name).size() : 0;
    read_parameter(object, name, static_cast<std::int64_t>(digits / 16), value);
  });
  object.finish();
}

std::vector<std::int64_t> shape(const EncodingCase& c) {
  return reference::encodings::shape(c.encoding, c.positions);
}

Json write_case(const EncodingCase& c) {
  Json object = {
      {"id", c.id},
      {"comment", c.comment},
      {"encoding", kEncodingNames[c.encoding.index()]},
      {"parameters", parameters(c.encoding)},
      {"positions", c.positions},
      {"expected",
       {{"precision_bits", c.precision_bits},
        {"shape", shape(c)},
        {"values", hex_rows(c.values, shape(c).back(), Format::kF64)}}}};
  if (c.printed) {
    object["printed"] = {{"source", c.printed->source},
                         {"tolerance", c.printed->tolerance},
                         {"values", c.printed->values}};
  }
  return object;
}

EncodingCase read_case(const nlohmann::json& node, const std::string& file) {
  EncodingCase c;
  c.id = text::StrictObject(node, file).text("id");
  text::StrictObject object(node, file + ": " + c.id);
  object.text("id");
  c.comment = object.text("comment");
  const auto encoding = encoding_named(object.text("encoding"));
  if (!encoding) object.fail("encoding", "is no encoding of these vectors");
  c.encoding = *encoding;
  text::StrictObject given(object.get("parameters"), object.at("parameters"));
  read_parameters(given, c.encoding);
  c.positions = object.integers("positions", -reference::kMaxPosition,
                                reference::kMaxPosition);
  try {
    reference::encodings::validate(c.encoding, c.positions);
  } catch (const std::invalid_argument& error) {
    object.fail("parameters", error.what());
  }
  text::StrictObject expected(object.get("expected"), object.at("expected"));
  c.precision_bits =
      static_cast<int>(expected.integer("precision_bits", 0, 1 << 16));
  const std::vector<std::int64_t> sizes = shape(c);
  if (expected.integers("shape", 0, reference::kMaxPosition) != sizes) {
    expected.fail("shape", "differs from what the parameters say");
  }
  std::int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) rows *= sizes[i];
  c.values = read_rows(expected, "values", rows, sizes.back(), Format::kF64);
  expected.finish();
  if (const nlohmann::json* found = object.find("printed")) {
    text::StrictObject printed(*found, object.at("printed"));
    c.printed = {printed.text("source"), printed.text("tolerance"),
                 printed.texts("values")};
    if (c.printed->values.size() != c.values.size()) {
      printed.fail("values", "expected one for each golden");
    }
    printed.finish();
  }
  object.finish();
  return c;
}

}  // namespace

std::optional<Encoding> encoding_named(std::string_view name) {
  const auto found =
      std::find(kEncodingNames.begin(), kEncodingNames.end(), name);
  if (found == kEncodingNames.end()) return std::nullopt;
  return encoding_at(static_cast<std::size_t>(found - kEncodingNames.begin()));
}

std::string write_encodings(std::span<const EncodingCase> cases) {
  Json rows = Json::array();
  for (const EncodingCase& c : cases) rows.push_back(write_case(c));
  return with_rows({{"format", kFormat}}, rows);
}

std::string content_of(const EncodingCase& c) {
  return content_text(write_case(c));
}

std::vector<EncodingCase> read_encodings(const std::string& text,
                                         const std::string& file) {
  const nlohmann::json document = text::parse_json(text, file);
  text::StrictObject object(document, file);
  object.expect("format", kFormat);
  std::vector<EncodingCase> cases;
  std::set<std::string> ids;
  for (const nlohmann::json& node : object.array("cases")) {
    cases.push_back(read_case(node, file));
    if (!ids.insert(cases.back().id).second) {
      object.fail("cases", "case id " + cases.back().id + " occurs twice");
    }
  }
  object.finish();
  return cases;
}

std::vector<EncodingCase> load_encodings(const std::filesystem::path& vectors) {
  const std::filesystem::path path = vectors / kFile;
  if (!std::filesystem::exists(path)) return {};
  return read_encodings(text::read_file(path), path.string());
}

}  // namespace ropeproof::conformance::cases
