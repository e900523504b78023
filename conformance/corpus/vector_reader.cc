#include "conformance/corpus/bits_json.h"
#include "conformance/corpus/spec_json.h"
#include "conformance/corpus/vector_file.h"
#include "conformance/corpus/words.h"

namespace ropeproof::conformance {
namespace {

using nlohmann::json;
using reference::Format;

// Sizes beyond these are a mistake, not a test case.
constexpr std::int64_t kMaxDim = 1 << 16;
constexpr std::int64_t kMaxElements = 1 << 26;

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

// One axis, [batch][seq]: integers, or bit patterns of binary64.
void read_axis(StrictObject& object, const json& rows, const RopeCase& c,
               std::vector<double>& positions) {
  const auto expect = [&](bool good) {
    if (!good) {
      object.fail("positions", "expected " + std::to_string(c.batch) +
                                   " rows of " + std::to_string(c.seq) +
                                   " integers, |p| <= 2^53, or bit patterns" +
                                   " of binary64, for each axis");
    }
  };
  expect(rows.is_array() && rows.size() == static_cast<std::size_t>(c.batch));
  for (const json& row : rows) {
    expect(row.is_array() && row.size() == static_cast<std::size_t>(c.seq));
    for (const json& p : row) {
      if (p.is_string()) {
        positions.push_back(read_pattern(p, object.at("positions")));
        continue;
      }
      expect(is_integer(p, -reference::kMaxPosition, reference::kMaxPosition));
      positions.push_back(static_cast<double>(p.get<std::int64_t>()));
    }
  }
}

void read_positions(StrictObject& object, RopeCase& c) {
  const json& node = object.get("positions");
  if (c.spec.axes.count == 1) return read_axis(object, node, c, c.positions);
  if (!node.is_array() ||
      node.size() != static_cast<std::size_t>(c.spec.axes.count)) {
    object.fail("positions",
                "expected " + std::to_string(c.spec.axes.count) + " axes");
  }
  for (const json& axis : node) read_axis(object, axis, c, c.positions);
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
  c.amplitude = c.spec.frequencies.amplitude;
  if (object.find("amplitude") != nullptr) {
    c.amplitude = read_double(object, "amplitude");
  }
  if (object.find("pair_amplitude") != nullptr) {
    c.pair_amplitude = f64("pair_amplitude", tokens, c.pairs());
  }
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
  read_variant(object, c.spec);
  try {
    reference::validate(c.spec);
  } catch (const std::invalid_argument& error) {
    object.fail("id", error.what());
  }
  read_positions(object, c);
  const std::int64_t tokens = c.tokens();
  const std::int64_t d = c.spec.layout.head_dim;
  c.q = read_rows(object, "q", tokens * c.q_heads, d, c.dtype);
  c.k = read_rows(object, "k", tokens * c.k_heads, d, c.dtype);
  read_expected(object.get("expected"), object.at("expected"), c);
  if (const json* printed = object.find("printed")) {
    c.printed = read_printed(*printed, object.at("printed"));
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
