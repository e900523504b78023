#include "conformance/cases/bits_json.h"
#include "conformance/cases/case_words.h"
#include "conformance/cases/spec_json.h"
#include "conformance/cases/tensors.h"
#include "conformance/cases/vector_file.h"
#include "conformance/text/sha256.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::cases {
namespace {

using Json = nlohmann::ordered_json;
using reference::Format;

// [axes][batch][seq], without the first where there is one axis.
Json positions(const Case& c) {
  Json all = Json::array();
  for (std::int64_t a = 0; a < c.problem.spec.axes.count; ++a) {
    Json rows = Json::array();
    for (std::int64_t b = 0; b < c.problem.batch; ++b) {
      Json row = Json::array();
      for (std::int64_t s = 0; s < c.problem.seq; ++s) {
        const double p = c.problem.position(a, b * c.problem.seq + s);
        if (c.problem.has_real_positions()) {
          row.push_back(hex(p));
        } else {
          row.push_back(static_cast<std::int64_t>(p));
        }
      }
      rows.push_back(row);
    }
    all.push_back(rows);
  }
  return c.problem.spec.axes.count == 1 ? all[0] : all;
}

Json printed(const Printed& p) {
  Json errata = Json::array();
  for (const Erratum& e : p.errata) {
    errata.push_back({{"tensor", e.tensor},
                      {"index", e.index},
                      {"printed", e.printed},
                      {"correct", e.correct}});
  }
  return {{"source", p.source},
          {"tolerance", p.tolerance},
          {"inv_freq", p.inv_freq},
          {"cos", p.cos},
          {"sin", p.sin},
          {"q", p.q},
          {"k", p.k},
          {"errata", errata}};
}

Json expected(const Case& c, TensorWriter& tensors) {
  Json object = {{"precision_bits", c.golden.precision_bits}};
  for (const GoldenTensor& golden : golden_tensors(c.problem)) {
    if (!golden.is_present) continue;
    object[golden.key] =
        tensors.write(std::string("expected.") + golden.key,
                      c.golden.*golden.bits, golden.row, Format::kF64);
  }
  if (c.golden.amplitude != c.problem.spec.frequencies.amplitude) {
    object["amplitude"] = hex(c.golden.amplitude);
  }
  return object;
}

template <class AnyCase>
Json head(const AnyCase& c) {
  return {{"id", c.id}, {"comment", c.comment}, {"targets", c.targets}};
}

Json write_rotation(const Case& c, TensorWriter& tensors) {
  const std::int64_t d = c.problem.spec.layout.head_dim;
  Json object = head(c);
  object.update({{"dtype", text::word(text::kFormatWords, c.problem.dtype)},
                 {"pairing", text::word(text::kPairingWords,
                                        c.problem.spec.layout.pairing)},
                 {"direction",
                  text::word(text::kDirectionWords, c.problem.spec.direction)},
                 {"head_dim", d},
                 {"rotary_dim", c.problem.spec.layout.rotary_dim},
                 {"rotary_offset", c.problem.spec.layout.rotary_offset},
                 {"base", hex(c.problem.spec.frequencies.base)},
                 {"amplitude", hex(c.problem.spec.frequencies.amplitude)},
                 {"batch", c.problem.batch},
                 {"seq", c.problem.seq},
                 {"q_heads", c.problem.q_heads},
                 {"k_heads", c.problem.k_heads},
                 {"memory", text::word(kStorageWords, c.problem.storage)},
                 {"positions", positions(c)},
                 {"q", tensors.write("q", c.problem.q, d, c.problem.dtype)},
                 {"k", tensors.write("k", c.problem.k, d, c.problem.dtype)},
                 {"expected", expected(c, tensors)}});
  write_variant(c.problem.spec, object);
  if (c.problem.is_special) object["is_special"] = true;
  if (c.printed) object["printed"] = printed(*c.printed);
  return object;
}

Json write_permutation(const Case& c, TensorWriter& tensors) {
  Json object = head(c);
  object.update(
      {{"dtype", text::word(text::kFormatWords, c.problem.dtype)},
       {"pairing",
        text::word(text::kPairingWords, c.problem.spec.layout.pairing)},
       {"head_dim", c.problem.spec.layout.head_dim},
       {"rotary_dim", c.problem.spec.layout.rotary_dim},
       {"rotary_offset", c.problem.spec.layout.rotary_offset},
       {"heads", c.problem.q_heads},
       {"columns", c.problem.seq},
       {"in", tensors.write("in", c.problem.q, c.problem.seq, c.problem.dtype)},
       {"expected", tensors.write("expected", c.golden.q, c.problem.seq,
                                  c.problem.dtype)}});
  return object;
}

Json write_case(const Case& c, TensorWriter& tensors) {
  return c.problem.task == Task::kRotate ? write_rotation(c, tensors)
                                         : write_permutation(c, tensors);
}

Json write_case(const RejectCase& c, TensorWriter& /*no tensors*/) {
  Json object = head(c);
  object.update({{"of", c.of}, {"defect", text::word(c.defect)}});
  return object;
}

Json write_case(const SequenceCase& c, TensorWriter& /*no tensors*/) {
  Json object = head(c);
  object["calls"] = c.calls;
  return object;
}

Json write_cases(const Group& group, TensorWriter& tensors) {
  Json cases = Json::array();
  for_each_case(
      group, [&](const auto& c) { cases.push_back(write_case(c, tensors)); });
  return cases;
}

std::string type_of(const Group& group) {
  std::string type = "rope";
  for_each_type(group, [&](const char* name, const auto& cases) {
    if (!cases.empty()) type = name;
  });
  return type;
}

template <class AnyCase>
std::string content(const AnyCase& c) {
  TensorWriter rows;
  return content_text(write_case(c, rows));
}

}  // namespace

std::string content_of(const Case& c) { return content(c); }
std::string content_of(const RejectCase& c) { return content(c); }
std::string content_of(const SequenceCase& c) { return content(c); }

std::string content_text(Json case_json) {
  for (const char* words : {"comment", "targets", "printed"}) {
    case_json.erase(words);
  }
  if (case_json.contains("expected") && case_json["expected"].is_object()) {
    case_json["expected"].erase("precision_bits");
  }
  return case_json.dump();
}

// A quarter of a bulk file were spaces.
std::string with_rows(const Json& document, const Json& cases) {
  std::string text = document.dump(1);
  text.resize(text.size() - std::string("\n}").size());
  text += ",\n \"cases\": [";
  const char* separator = "\n";
  for (const Json& c : cases) {
    text += separator + ("  " + c.dump());
    separator = ",\n";
  }
  return text + "\n ]\n}\n";
}

std::string payload_name(const std::string& group) {
  return group + ".safetensors";
}

GroupFiles write_group(const Group& group) {
  TensorWriter tensors =
      group.is_bulk ? TensorWriter(group.name) : TensorWriter();
  Json cases = write_cases(group, tensors);
  GroupFiles files;
  if (group.is_bulk) {
    tensors.lay_out();
    cases = write_cases(group, tensors);
    files.payload = tensors.bytes();
  }
  Json object = {{"format", kVectorFormat},
                 {"group", group.name},
                 {"tier", text::word(kTierWords, group.tier)},
                 {"type", type_of(group)},
                 {"description", group.description},
                 {"targets", group.targets}};
  if (group.is_bulk) {
    object["payload"] = {{"file", payload_name(group.name)},
                         {"bytes", files.payload.size()},
                         {"sha256", text::sha256(files.payload)}};
  }
  if (group.is_bulk) {
    files.json = with_rows(object, cases);
  } else {
    object["cases"] = std::move(cases);
    files.json = object.dump(1) + "\n";
  }
  return files;
}

}  // namespace ropeproof::conformance::cases
