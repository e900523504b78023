#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <string_view>

#include "conformance/cases/bits_json.h"
#include "conformance/cases/case_words.h"
#include "conformance/cases/spec_json.h"
#include "conformance/cases/tensors.h"
#include "conformance/cases/vector_file.h"
#include "conformance/text/sha256.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::cases {
namespace {

using nlohmann::json;
using reference::Format;

// More is a mistake, not a test case.
constexpr std::int64_t kMaxElements = 1 << 26;

reference::Layout read_layout(text::StrictObject& object) {
  reference::Layout layout;
  layout.pairing = object.word("pairing", text::kPairingWords);
  layout.head_dim = object.integer("head_dim", 2, reference::kMaxHeadDim);
  layout.rotary_dim = object.integer("rotary_dim", 2, layout.head_dim);
  layout.rotary_offset =
      object.integer("rotary_offset", 0, layout.head_dim - layout.rotary_dim);
  if (layout.rotary_dim % 2 != 0) {
    object.fail("rotary_dim", "expected an even number");
  }
  return layout;
}

void check_size(text::StrictObject& object, std::int64_t a, std::int64_t b) {
  if (a != 0 && b > kMaxElements / a) {
    object.fail("id", "the case is larger than " +
                          std::to_string(kMaxElements) + " elements");
  }
}

// One axis, [batch][seq]: integers, or bit patterns of binary64.
void read_axis(text::StrictObject& object, const json& rows,
               const Problem& problem, std::vector<double>& positions) {
  const auto expect = [&](bool good) {
    if (!good) {
      object.fail("positions", "expected " + std::to_string(problem.batch) +
                                   " rows of " + std::to_string(problem.seq) +
                                   " integers, |p| <= 2^53, or bit patterns" +
                                   " of binary64, for each axis");
    }
  };
  expect(rows.is_array() &&
         rows.size() == static_cast<std::size_t>(problem.batch));
  for (const json& row : rows) {
    expect(row.is_array() &&
           row.size() == static_cast<std::size_t>(problem.seq));
    for (const json& p : row) {
      if (p.is_string()) {
        positions.push_back(read_pattern(p, object.at("positions")));
        continue;
      }
      expect(text::is_integer(p, -reference::kMaxPosition,
                              reference::kMaxPosition));
      positions.push_back(static_cast<double>(p.get<std::int64_t>()));
    }
  }
}

void read_positions(text::StrictObject& object, Case& c) {
  const json& node = object.array("positions");
  if (c.problem.spec.axes.count == 1)
    return read_axis(object, node, c.problem, c.problem.positions);
  if (node.size() != static_cast<std::size_t>(c.problem.spec.axes.count)) {
    object.fail(
        "positions",
        "expected " + std::to_string(c.problem.spec.axes.count) + " axes");
  }
  for (const json& axis : node)
    read_axis(object, axis, c.problem, c.problem.positions);
}

Printed read_printed(const json& node, const std::string& where) {
  text::StrictObject object(node, where);
  Printed p;
  p.source = object.text("source");
  p.tolerance = object.text("tolerance");
  p.inv_freq = object.texts("inv_freq");
  p.cos = object.texts("cos");
  p.sin = object.texts("sin");
  p.q = object.texts("q");
  p.k = object.texts("k");
  for (const json& item : object.array("errata")) {
    text::StrictObject e(item, object.at("errata"));
    p.errata.push_back({e.text("tensor"), e.integers("index", 0, kMaxElements),
                        e.text("printed"), e.text("correct")});
    e.finish();
  }
  object.finish();
  return p;
}

void read_expected(const json& node, const std::string& where,
                   TensorReader& tensors, Case& c) {
  text::StrictObject object(node, where);
  c.golden.precision_bits =
      static_cast<int>(object.integer("precision_bits", 0, 1 << 16));
  c.golden.amplitude = c.problem.spec.frequencies.amplitude;
  if (object.find("amplitude") != nullptr) {
    c.golden.amplitude = read_double(object, "amplitude");
  }
  for (const GoldenTensor& golden : golden_tensors(c.problem)) {
    if (!golden.is_present) continue;
    c.golden.*golden.bits =
        tensors.read(object, golden.key, std::string("expected.") + golden.key,
                     golden.rows, golden.row, Format::kF64);
  }
  object.finish();
}

void check_finite(text::StrictObject& object, const char* key, const Bits& bits,
                  Format format) {
  const auto is_finite = [format](std::uint64_t pattern) {
    return std::isfinite(reference::decode(format, pattern));
  };
  if (!std::ranges::all_of(bits, is_finite)) {
    object.fail(key, "holds a NaN or an infinity, but is_special is not set");
  }
}

void read_head(text::StrictObject& object, auto& c) {
  c.comment = object.text("comment");
  c.targets = object.texts("targets");
}

void read_rotation(text::StrictObject& object, TensorReader& tensors, Case& c) {
  read_head(object, c);
  c.problem.dtype = object.word("dtype", text::kFormatWords);
  c.problem.spec.layout = read_layout(object);
  c.problem.spec.direction = object.word("direction", text::kDirectionWords);
  c.problem.spec.frequencies.base = read_double(object, "base");
  c.problem.spec.frequencies.amplitude = read_double(object, "amplitude");
  c.problem.batch = object.integer("batch", 0, kMaxElements);
  c.problem.seq = object.integer("seq", 0, kMaxElements);
  c.problem.q_heads = object.integer("q_heads", 0, kMaxElements);
  c.problem.k_heads = object.integer("k_heads", 0, kMaxElements);
  check_size(object, c.problem.batch, c.problem.seq);
  check_size(object, c.problem.batch * c.problem.seq,
             c.problem.q_heads + c.problem.k_heads);
  check_size(
      object,
      c.problem.batch * c.problem.seq * (c.problem.q_heads + c.problem.k_heads),
      c.problem.spec.layout.head_dim);
  c.problem.storage = object.word("memory", kStorageWords);
  read_variant(object, c.problem.spec);
  try {
    reference::validate(c.problem.spec);
  } catch (const std::invalid_argument& error) {
    object.fail("id", error.what());
  }
  read_positions(object, c);
  if (object.find("is_special") != nullptr) {
    c.problem.is_special = object.flag("is_special");
    if (!c.problem.is_special) object.fail("is_special", "is true or absent");
  }
  const std::int64_t d = c.problem.spec.layout.head_dim;
  c.problem.q =
      tensors.read(object, "q", "q", c.problem.tokens() * c.problem.q_heads, d,
                   c.problem.dtype);
  c.problem.k =
      tensors.read(object, "k", "k", c.problem.tokens() * c.problem.k_heads, d,
                   c.problem.dtype);
  read_expected(object.get("expected"), object.at("expected"), tensors, c);
  if (!c.problem.is_special) {
    check_finite(object, "q", c.problem.q, c.problem.dtype);
    check_finite(object, "k", c.problem.k, c.problem.dtype);
    check_finite(object, "expected.q", c.golden.q, Format::kF64);
    check_finite(object, "expected.k", c.golden.k, Format::kF64);
  }
  if (const json* printed = object.find("printed")) {
    c.printed = read_printed(*printed, object.at("printed"));
  }
}

void read_permutation(text::StrictObject& object, TensorReader& tensors,
                      Case& c) {
  read_head(object, c);
  c.problem.dtype = object.word("dtype", text::kFormatWords);
  c.problem.spec.layout = read_layout(object);
  c.problem.q_heads = object.integer("heads", 0, kMaxElements);
  c.problem.batch = 1;
  c.problem.seq = object.integer("columns", 1, kMaxElements);
  check_size(object, c.problem.q_heads, c.problem.spec.layout.head_dim);
  check_size(object, c.problem.q_heads * c.problem.spec.layout.head_dim,
             c.problem.seq);
  const std::int64_t rows = c.problem.q_heads * c.problem.spec.layout.head_dim;
  c.problem.q =
      tensors.read(object, "in", "in", rows, c.problem.seq, c.problem.dtype);
  c.golden.q = tensors.read(object, "expected", "expected", rows, c.problem.seq,
                            c.problem.dtype);
}

void read_case(text::StrictObject& object, TensorReader& tensors, Case& c) {
  if (c.problem.task == Task::kRotate) {
    read_rotation(object, tensors, c);
  } else {
    read_permutation(object, tensors, c);
  }
}

void read_case(text::StrictObject& object, TensorReader& /*no tensors*/,
               RejectCase& c) {
  read_head(object, c);
  c.of = object.text("of");
  c.defect = object.word("defect", kDefectWords);
}

void read_case(text::StrictObject& object, TensorReader& /*no tensors*/,
               SequenceCase& c) {
  read_head(object, c);
  c.calls = object.texts("calls");
  if (c.calls.empty()) object.fail("calls", "expected case ids");
}

// Every target of a case has its meaning in the group; no id occurs twice.
void check_cases(const Group& group, const std::string& file) {
  std::set<std::string> ids;
  for_each_case(group, [&](const auto& c) {
    if (!ids.insert(c.id).second) {
      throw text::FileError(file + ": case id " + c.id + " occurs twice");
    }
    for (const std::string& key : c.targets) {
      if (!group.targets.contains(key)) {
        throw text::FileError(file + ": " + c.id + ".targets: \"" + key +
                              "\" is not among the group's targets");
      }
    }
  });
}

// Lower-case words with dashes; a case's id ends in a number.
bool is_name(const std::string& name) {
  return !name.empty() && name.size() <= 64 &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") ==
             std::string::npos;
}

template <class AnyCase>
void read_cases(const json& nodes, const std::string& file,
                TensorReader& tensors, const AnyCase& empty,
                std::vector<AnyCase>& cases) {
  for (const json& node : nodes) {
    text::StrictObject item(node, file);
    AnyCase c = empty;
    c.id = item.text("id");
    if (!is_name(c.id)) item.fail("id", "expected a-z, 0-9 and -, at most 64");
    text::StrictObject named(node, file + ": " + c.id);
    named.text("id");
    read_case(named, tensors, c);
    named.finish();
    cases.push_back(std::move(c));
  }
}

// The side file, which the group's JSON names with its size and digest.
TensorReader open_payload(text::StrictObject& object, const Group& group,
                          std::span<const std::byte> payload) {
  if (!group.is_bulk) {
    if (!payload.empty()) {
      object.fail("payload", "missing, but the group has a side file");
    }
    return {};
  }
  text::StrictObject entry(object.get("payload"), object.at("payload"));
  const std::string name = payload_name(group.name);
  entry.expect("file", name);
  const std::int64_t bytes = entry.integer("bytes", 0, std::int64_t{1} << 40);
  if (payload.size() != static_cast<std::uint64_t>(bytes)) {
    entry.fail("bytes", "is " + std::to_string(bytes) + "; " + name + " has " +
                            std::to_string(payload.size()));
  }
  const std::string_view content(reinterpret_cast<const char*>(payload.data()),
                                 payload.size());
  if (text::sha256(content) != entry.text("sha256")) {
    entry.fail("sha256", "differs from that of " + name);
  }
  entry.finish();
  return {payload, name, group.name};
}

}  // namespace

Group read_group(const std::string& text, std::span<const std::byte> payload,
                 const std::string& file) {
  const json document = text::parse_json(text, file);
  text::StrictObject object(document, file);
  object.expect("format", kVectorFormat);
  Group group;
  group.name = object.text("group");
  if (!is_name(group.name) ||
      std::filesystem::path(file).stem().string() != group.name) {
    object.fail("group", "differs from the file's name");
  }
  group.tier = object.word("tier", kTierWords);
  const std::string type = object.text("type");
  group.description = object.text("description");
  const json& targets = object.get("targets");
  if (!targets.is_object()) object.fail("targets", "expected an object");
  for (const auto& [key, value] : targets.items()) {
    if (!value.is_string()) object.fail("targets", "expected strings");
    group.targets[key] = value.get<std::string>();
  }
  group.is_bulk = object.find("payload") != nullptr;
  TensorReader tensors = open_payload(object, group, payload);
  const json& cases = object.array("cases");
  bool is_known = false;
  for_each_type(group, [&](const std::string& known, auto& list) {
    if (type != known) return;
    is_known = true;
    typename std::decay_t<decltype(list)>::value_type empty;
    if constexpr (requires { empty.problem; }) {
      if (&list == &group.permute_cases) empty.problem.task = Task::kPermute;
    }
    read_cases(cases, file, tensors, empty, list);
  });
  if (!is_known) {
    object.fail("type", "expected rope, permute, reject or sequence");
  }
  object.finish();
  check_cases(group, file);
  if (!tensors.is_all()) {
    object.fail("payload", "the side file is not these tensors back to back");
  }
  return group;
}

}  // namespace ropeproof::conformance::cases
