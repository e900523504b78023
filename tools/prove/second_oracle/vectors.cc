#include "tools/prove/second_oracle/vectors.h"

#include <openssl/evp.h>

#include <charconv>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

namespace ropeproof::second_oracle {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path.string() + ": cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string sha256(const std::string& bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha256(), nullptr);
  std::string text;
  for (unsigned i = 0; i < size; ++i) {
    text += "0123456789abcdef"[digest[i] >> 4];
    text += "0123456789abcdef"[digest[i] & 15];
  }
  return text;
}

// A file of `folder`, which `name` may not leave.
std::string read_checked(const fs::path& folder, const std::string& name,
                         const std::string& digest) {
  const fs::path file(name);
  if (file.filename() != name && file != "coverage" / file.filename()) {
    throw std::runtime_error(name + ": expected a name without a folder");
  }
  const fs::path path = folder / name;
  std::string bytes = read_file(path);
  if (sha256(bytes) != digest) {
    throw std::runtime_error(path.string() + ": SHA-256 differs from " +
                             digest);
  }
  return bytes;
}

// Bit patterns of `bits` bits, back to back.
void append_patterns(const std::string& row, int bits, Patterns& patterns) {
  const auto width = static_cast<std::size_t>(bits / 4);
  if (row.size() % width != 0) throw std::runtime_error("a row is cut short");
  for (std::size_t at = 0; at < row.size(); at += width) {
    const char* const end = row.data() + at + width;
    std::uint64_t pattern = 0;
    if (std::from_chars(row.data() + at, end, pattern, 16).ptr != end) {
      throw std::runtime_error("no hex digits: " + row.substr(at, width));
    }
    patterns.push_back(pattern);
  }
}

Rational real(const Json& text) {
  Patterns one;
  append_patterns(text.get<std::string>(), 64, one);
  if (one.size() != 1) throw std::runtime_error("one number was expected");
  return f64_value(one[0]);
}

// An integer, or a bit pattern.
Rational number(const Json& value) {
  return value.is_string() ? real(value) : Rational(value.get<std::int64_t>());
}

std::vector<Rational> reals(const Json& row) {
  Patterns patterns;
  append_patterns(row.get<std::string>(), 64, patterns);
  std::vector<Rational> result;
  for (const std::uint64_t pattern : patterns) {
    result.push_back(f64_value(pattern));
  }
  return result;
}

// Rows of hex digits, or [offset, bytes] of little-endian elements in the side
// file.
Patterns tensor(const Json& field, int bits, const std::string& side) {
  Patterns patterns;
  if (field.empty() || !field[0].is_number()) {
    for (const Json& row : field) {
      append_patterns(row.get<std::string>(), bits, patterns);
    }
    return patterns;
  }
  const auto offset = field.at(0).get<std::uint64_t>();
  const auto bytes = field.at(1).get<std::uint64_t>();
  const auto width = static_cast<std::uint64_t>(bits / 8);
  if (offset > side.size() || bytes > side.size() - offset ||
      bytes % width != 0) {
    throw std::runtime_error("a tensor lies outside the side file");
  }
  for (std::uint64_t at = offset; at < offset + bytes; at += width) {
    std::uint64_t pattern = 0;
    for (std::uint64_t i = width; i-- > 0;) {
      pattern = pattern << 8 | static_cast<unsigned char>(side[at + i]);
    }
    patterns.push_back(pattern);
  }
  return patterns;
}

Scaling read_scaling(const Json& json) {
  Scaling scaling;
  for (const auto& [name, value] : json.items()) {
    if (name == "kind") {
      scaling.kind = value;
    } else if (name == "truncate") {
      scaling.truncate = value;
    } else if (name == "short_factor" || name == "long_factor" ||
               name == "factors") {
      scaling.lists[name] = reals(value);
    } else {
      scaling.numbers[name] = number(value);
    }
  }
  return scaling;
}

void read_axes(const Json& json, Case& c) {
  c.axes = json.at("count");
  c.axis_of_pair = json.value("axis_of_pair", std::vector<std::int64_t>{});
  if (json.contains("weights")) c.weights = reals(json["weights"]);
}

// The numbers in nested arrays, row-major.
void append_numbers(const Json& json, std::vector<Rational>& numbers) {
  if (!json.is_array()) {
    numbers.push_back(number(json));
    return;
  }
  for (const Json& entry : json) append_numbers(entry, numbers);
}

void read_rope(const Json& json, const std::string& side, Case& c) {
  c.is_adjoint = json.at("direction") == "adjoint";
  c.is_special = json.value("is_special", false);
  c.base = real(json.at("base"));
  c.amplitude = real(json.at("amplitude"));
  if (json.contains("inv_freq")) c.inv_freq = reals(json["inv_freq"]);
  if (json.contains("bases")) c.bases = reals(json["bases"]);
  if (json.contains("pair_factors")) {
    c.pair_factors = reals(json["pair_factors"]);
  }
  if (json.contains("exponents")) json["exponents"].get_to(c.exponents);
  if (json.contains("scaling")) c.scaling = read_scaling(json["scaling"]);
  if (json.contains("xpos")) {
    const Json& xpos = json["xpos"];
    c.xpos = XPos{real(xpos.at("scale_base")), real(xpos.at("centre")),
                  xpos.at("is_key")};
  }
  if (json.contains("axes")) read_axes(json["axes"], c);
  c.batch = json.at("batch");
  c.seq = json.at("seq");
  c.q_heads = json.at("q_heads");
  c.k_heads = json.at("k_heads");
  append_numbers(json.at("positions"), c.positions);
  for (const char* name : {"q", "k"}) {
    c.tensors[name] = tensor(json.at(name), c.dtype.bits, side);
  }
  for (const auto& [name, value] : json.at("expected").items()) {
    if (name == "amplitude") {
      Patterns one;
      append_patterns(value.get<std::string>(), 64, one);
      c.expected_amplitude = one.at(0);
    } else if (name != "precision_bits") {
      c.expected[name] = tensor(value, 64, side);
    }
  }
}

Case read_case(const Json& json, const std::string& type,
               const std::string& side) {
  Case c;
  c.id = json.at("id");
  try {
    if (type != "rope" && type != "permute") return c;
    c.dtype = format_named(json.at("dtype"));
    c.pairing = json.at("pairing");
    c.head_dim = json.at("head_dim");
    c.rotary_dim = json.at("rotary_dim");
    c.rotary_offset = json.at("rotary_offset");
    c.pair_distance = json.value("pair_distance", std::int64_t{0});
    c.blocks = json.value("blocks", std::int64_t{1});
    if (type == "rope") {
      read_rope(json, side, c);
    } else {
      c.heads = json.at("heads");
      c.columns = json.at("columns");
      c.tensors["in"] = tensor(json.at("in"), c.dtype.bits, side);
      c.expected["out"] = tensor(json.at("expected"), c.dtype.bits, side);
    }
  } catch (const std::exception& error) {
    throw std::runtime_error(c.id + ": " + error.what());
  }
  return c;
}

Group read_group(const fs::path& folder, const std::string& file,
                 const std::string& bytes) {
  const Json json = Json::parse(bytes);
  Group group{file, json.at("type"), {}};
  std::string side;
  if (json.contains("payload")) {
    const Json& payload = json["payload"];
    side = read_checked(folder, payload.at("file"), payload.at("sha256"));
  }
  for (const Json& c : json.at("cases")) {
    group.cases.push_back(read_case(c, group.type, side));
  }
  return group;
}

}  // namespace

const Rational& Scaling::number(const std::string& name) const {
  const auto found = numbers.find(name);
  if (found == numbers.end()) {
    throw std::runtime_error("scaling " + kind + " without " + name);
  }
  return found->second;
}

const std::vector<Rational>& Scaling::list(const std::string& name) const {
  const auto found = lists.find(name);
  if (found == lists.end()) {
    throw std::runtime_error("scaling " + kind + " without " + name);
  }
  return found->second;
}

Manifest read_manifest(const fs::path& folder) {
  const fs::path path = folder / "MANIFEST.json";
  const std::string bytes = read_file(path);
  try {
    const Json json = Json::parse(bytes);
    const auto files = [](const Json& entries) {
      Manifest::Files list;
      for (const Json& entry : entries) {
        list.emplace_back(entry.at("file"), entry.at("sha256"));
      }
      return list;
    };
    return {folder, files(json.at("files")),
            files(json.value("texts", Json::array()))};
  } catch (const std::exception& error) {
    throw std::runtime_error(path.string() + ": " + error.what());
  }
}

std::vector<Group> read_groups(const Manifest& manifest) {
  for (const auto& [file, digest] : manifest.texts) {
    read_checked(manifest.folder, file, digest);
  }
  std::vector<Group> groups;
  std::set<std::string> ids;
  for (const auto& [file, digest] : manifest.groups) {
    const std::string bytes = read_checked(manifest.folder, file, digest);
    try {
      groups.push_back(read_group(manifest.folder, file, bytes));
      for (const Case& c : groups.back().cases) {
        if (!ids.insert(c.id).second) {
          throw std::runtime_error(c.id + " occurs twice");
        }
      }
    } catch (const std::exception& error) {
      throw std::runtime_error(file + ": " + error.what());
    }
  }
  return groups;
}

}  // namespace ropeproof::second_oracle
