#include <bit>
#include <string_view>

#include "conformance/corpus/vector_file.h"
#include "conformance/corpus/words.h"

namespace ropeproof::conformance {
namespace {

using nlohmann::json;
using reference::Format;

// Sizes beyond these are a mistake, not a test case.
constexpr std::int64_t kMaxDim = 1 << 16;
constexpr std::int64_t kMaxElements = 1 << 26;

// `text` as `count` bit patterns of `format`, appended to `bits`.
void read_row(const std::string& text, std::int64_t count, Format format,
              const std::string& where, Bits& bits) {
  const std::size_t width = 2 * bytes_of(format);
  if (text.size() != width * static_cast<std::size_t>(count)) {
    throw VectorError(where + ": expected " + std::to_string(count) +
                      " bit patterns of " + std::to_string(width) +
                      " hex digits");
  }
  for (std::size_t i = 0; i < text.size(); i += width) {
    std::uint64_t value = 0;
    for (const char digit : std::string_view(text).substr(i, width)) {
      const bool decimal = digit >= '0' && digit <= '9';
      if (!decimal && (digit < 'a' || digit > 'f')) {
        throw VectorError(where + ": not a lower-case hex digit");
      }
      value = value << 4 | static_cast<std::uint64_t>(
                               decimal ? digit - '0' : digit - 'a' + 10);
    }
    bits.push_back(value);
  }
}

Bits read_rows(StrictObject& object, const std::string& key, std::int64_t count,
               std::int64_t row, Format format) {
  const std::vector<std::string> texts = object.texts(key);
  if (texts.size() != static_cast<std::size_t>(count)) {
    object.fail(key, "expected " + std::to_string(count) + " rows");
  }
  Bits bits;
  for (const std::string& text : texts) {
    read_row(text, row, format, object.at(key), bits);
  }
  return bits;
}

double read_double(StrictObject& object, const std::string& key) {
  Bits bits;
  read_row(object.text(key), 1, Format::kF64, object.at(key), bits);
  return std::bit_cast<double>(bits[0]);
}

template <class Value, std::size_t kSize>
Value read_word(StrictObject& object, const std::string& key,
                const Words<Value, kSize>& words) {
  const auto value = find_word(words, object.text(key));
  if (!value) object.fail(key, "expected " + list_words(words));
  return *value;
}

reference::Layout read_layout(StrictObject& object) {
  reference::Layout layout;
  layout.pairing = read_word(object, "pairing", kPairingWords);
  layout.head_dim = object.integer("head_dim", 2, kMaxDim);
  layout.rotary_dim = object.integer("rotary_dim", 2, layout.head_dim);
  layout.rotary_offset =
      object.integer("rotary_offset", 0, layout.head_dim - layout.rotary_dim);
  if (layout.rotary_dim % 2 != 0) {
    object.fail("rotary_dim", "expected an even number");
  }
  return layout;
}

void check_size(StrictObject& object, std::int64_t a, std::int64_t b) {
  if (a != 0 && b > kMaxElements / a) {
    object.fail("id", "the case is larger than " +
                          std::to_string(kMaxElements) + " elements");
  }
}

std::vector<std::int64_t> read_positions(StrictObject& object,
                                         std::int64_t batch, std::int64_t seq) {
  const auto expect = [&](bool good) {
    if (!good) {
      object.fail("positions", "expected " + std::to_string(batch) +
                                   " rows of " + std::to_string(seq) +
                                   " integers, |p| <= 2^53");
    }
  };
  const json& node = object.get("positions");
  expect(node.is_array() && node.size() == static_cast<std::size_t>(batch));
  std::vector<std::int64_t> positions;
  for (const json& row : node) {
    expect(row.is_array() && row.size() == static_cast<std::size_t>(seq));
    for (const json& p : row) {
      expect(p.is_number_integer() && p >= -reference::kMaxPosition &&
             p <= reference::kMaxPosition);
      positions.push_back(p.get<std::int64_t>());
    }
  }
  return positions;
}

Printed read_printed(const json& node, const std::string& where) {
  StrictObject object(node, where);
  Printed p;
  p.source = object.text("source");
  p.tolerance = object.text("tolerance");
  p.inv_freq = object.texts("inv_freq");
  p.cos = object.texts("cos");
  p.sin = object.texts("sin");
  p.q = object.texts("q");
  p.k = object.texts("k");
  const json& errata = object.get("errata");
  if (!errata.is_array()) object.fail("errata", "expected an array");
  for (const json& item : errata) {
    StrictObject e(item, object.at("errata"));
    Erratum erratum{e.text("tensor"), {}, e.text("printed"), e.text("correct")};
    const json& index = e.get("index");
    if (!index.is_array()) e.fail("index", "expected an array");
    for (const json& i : index) {
      if (!i.is_number_unsigned()) e.fail("index", "expected counts");
      erratum.index.push_back(i.get<std::int64_t>());
    }
    e.finish();
    p.errata.push_back(erratum);
  }
  object.finish();
  return p;
}

void read_expected(const json& node, const std::string& where, RopeCase& c) {
  StrictObject object(node, where);
  const std::int64_t d = c.spec.layout.head_dim;
  const std::int64_t tokens = c.batch * c.seq;
  const auto f64 = [&](const char* key, std::int64_t count, std::int64_t row) {
    return read_rows(object, key, count, row, Format::kF64);
  };
  c.precision_bits =
      static_cast<int>(object.integer("precision_bits", 0, 1 << 16));
  c.inv_freq_hi = f64("inv_freq_hi", 1, c.pairs());
  c.inv_freq_lo = f64("inv_freq_lo", 1, c.pairs());
  c.cos = f64("cos", tokens, c.pairs());
  c.sin = f64("sin", tokens, c.pairs());
  c.q_out = f64("q", tokens * c.q_heads, d);
  c.k_out = f64("k", tokens * c.k_heads, d);
  object.finish();
}

void read_common(StrictObject& object, auto& c) {
  c.comment = object.text("comment");
  c.targets = object.texts("targets");
  c.dtype = read_word(object, "dtype", kFormatWords);
}

RopeCase read_rope_case(StrictObject& object, const std::string& id) {
  RopeCase c;
  c.id = id;
  read_common(object, c);
  c.spec.layout = read_layout(object);
  c.spec.direction = read_word(object, "direction", kDirectionWords);
  c.spec.frequencies.base = read_double(object, "base");
  c.spec.frequencies.amplitude = read_double(object, "amplitude");
  c.batch = object.integer("batch", 0, kMaxElements);
  c.seq = object.integer("seq", 0, kMaxElements);
  c.q_heads = object.integer("q_heads", 0, kMaxElements);
  c.k_heads = object.integer("k_heads", 0, kMaxElements);
  check_size(object, c.batch, c.seq);
  check_size(object, c.batch * c.seq, c.q_heads + c.k_heads);
  check_size(object, c.batch * c.seq * (c.q_heads + c.k_heads),
             c.spec.layout.head_dim);
  c.memory = read_word(object, "memory", kMemoryWords);
  c.positions = read_positions(object, c.batch, c.seq);
  const std::int64_t tokens = c.batch * c.seq;
  const std::int64_t d = c.spec.layout.head_dim;
  c.q = read_rows(object, "q", tokens * c.q_heads, d, c.dtype);
  c.k = read_rows(object, "k", tokens * c.k_heads, d, c.dtype);
  read_expected(object.get("expected"), object.at("expected"), c);
  if (const json* printed = object.find("printed")) {
    c.printed = read_printed(*printed, object.at("printed"));
  }
  try {
    reference::validate(c.spec);
  } catch (const std::invalid_argument& error) {
    object.fail("id", error.what());
  }
  return c;
}

PermuteCase read_permute_case(StrictObject& object, const std::string& id) {
  PermuteCase c;
  c.id = id;
  read_common(object, c);
  c.layout = read_layout(object);
  c.heads = object.integer("heads", 0, kMaxElements);
  c.columns = object.integer("columns", 1, kMaxElements);
  check_size(object, c.heads, c.layout.head_dim);
  check_size(object, c.heads * c.layout.head_dim, c.columns);
  const std::int64_t rows = c.heads * c.layout.head_dim;
  c.in = read_rows(object, "in", rows, c.columns, c.dtype);
  c.out = read_rows(object, "expected", rows, c.columns, c.dtype);
  return c;
}

// Every target of a case has its meaning in the group.
void check_targets(const Group& group, const std::string& file) {
  const auto check = [&](const auto& cases) {
    for (const auto& c : cases) {
      for (const std::string& key : c.targets) {
        if (!group.targets.contains(key)) {
          throw VectorError(file + ": " + c.id + ".targets: \"" + key +
                            "\" is not among the group's targets");
        }
      }
    }
  };
  check(group.rope_cases);
  check(group.permute_cases);
}

}  // namespace

Group read_group(const std::string& text, const std::string& file) {
  const json document = parse_json(text, file);
  StrictObject object(document, file);
  if (object.text("format") != kVectorFormat) {
    object.fail("format", std::string("expected \"") + kVectorFormat + "\"");
  }
  Group group;
  group.name = object.text("group");
  group.tier = object.text("tier");
  if (group.tier != "smoke" && group.tier != "core") {
    object.fail("tier", "expected smoke or core");
  }
  const std::string type = object.text("type");
  if (type != "rope" && type != "permute") {
    object.fail("type", "expected rope or permute");
  }
  group.description = object.text("description");
  const json& targets = object.get("targets");
  if (!targets.is_object()) object.fail("targets", "expected an object");
  for (const auto& [key, value] : targets.items()) {
    if (!value.is_string()) object.fail("targets", "expected strings");
    group.targets[key] = value.get<std::string>();
  }
  const json& cases = object.get("cases");
  if (!cases.is_array()) object.fail("cases", "expected an array");
  for (const json& node : cases) {
    StrictObject item(node, file);
    const std::string id = item.text("id");
    StrictObject named(node, file + ": " + id);
    named.text("id");
    if (type == "rope") {
      group.rope_cases.push_back(read_rope_case(named, id));
    } else {
      group.permute_cases.push_back(read_permute_case(named, id));
    }
    named.finish();
  }
  object.finish();
  check_targets(group, file);
  return group;
}

}  // namespace ropeproof::conformance
