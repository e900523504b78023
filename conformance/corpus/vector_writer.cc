#include "conformance/corpus/bits_json.h"
#include "conformance/corpus/spec_json.h"
#include "conformance/corpus/vector_file.h"
#include "conformance/corpus/words.h"

namespace ropeproof::conformance {
namespace {

using Json = nlohmann::ordered_json;
using reference::Format;

// [axes][batch][seq], without the first where there is one axis.
Json positions(const RopeCase& c) {
  Json all = Json::array();
  for (std::int64_t a = 0; a < c.spec.axes.count; ++a) {
    Json rows = Json::array();
    for (std::int64_t b = 0; b < c.batch; ++b) {
      Json row = Json::array();
      for (std::int64_t s = 0; s < c.seq; ++s) {
        const double p = c.position(a, b * c.seq + s);
        if (c.has_real_positions()) {
          row.push_back(hex(p));
        } else {
          row.push_back(static_cast<std::int64_t>(p));
        }
      }
      rows.push_back(row);
    }
    all.push_back(rows);
  }
  return c.spec.axes.count == 1 ? all[0] : all;
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

Json rope_case(const RopeCase& c) {
  const std::int64_t d = c.spec.layout.head_dim;
  Json json = {
      {"id", c.id},
      {"comment", c.comment},
      {"targets", c.targets},
      {"dtype", word(kFormatWords, c.dtype)},
      {"pairing", word(kPairingWords, c.spec.layout.pairing)},
      {"direction", word(kDirectionWords, c.spec.direction)},
      {"head_dim", d},
      {"rotary_dim", c.spec.layout.rotary_dim},
      {"rotary_offset", c.spec.layout.rotary_offset},
      {"base", hex(c.spec.frequencies.base)},
      {"amplitude", hex(c.spec.frequencies.amplitude)},
      {"batch", c.batch},
      {"seq", c.seq},
      {"q_heads", c.q_heads},
      {"k_heads", c.k_heads},
      {"memory", word(kMemoryWords, c.memory)},
      {"positions", positions(c)},
      {"q", hex_rows(c.q, d, c.dtype)},
      {"k", hex_rows(c.k, d, c.dtype)},
      {"expected",
       {{"precision_bits", c.precision_bits},
        {"inv_freq_hi", hex_rows(c.inv_freq_hi, c.pairs(), Format::kF64)},
        {"inv_freq_lo", hex_rows(c.inv_freq_lo, c.pairs(), Format::kF64)},
        {"cos", hex_rows(c.cos, c.pairs(), Format::kF64)},
        {"sin", hex_rows(c.sin, c.pairs(), Format::kF64)},
        {"q", hex_rows(c.q_out, d, Format::kF64)},
        {"k", hex_rows(c.k_out, d, Format::kF64)}}}};
  write_variant(c.spec, json);
  if (c.amplitude != c.spec.frequencies.amplitude) {
    json["expected"]["amplitude"] = hex(c.amplitude);
  }
  if (!c.pair_amplitude.empty()) {
    json["expected"]["pair_amplitude"] =
        hex_rows(c.pair_amplitude, c.pairs(), Format::kF64);
  }
  if (c.printed) json["printed"] = printed(*c.printed);
  return json;
}

Json permute_case(const PermuteCase& c) {
  return {{"id", c.id},
          {"comment", c.comment},
          {"targets", c.targets},
          {"dtype", word(kFormatWords, c.dtype)},
          {"pairing", word(kPairingWords, c.layout.pairing)},
          {"head_dim", c.layout.head_dim},
          {"rotary_dim", c.layout.rotary_dim},
          {"rotary_offset", c.layout.rotary_offset},
          {"heads", c.heads},
          {"columns", c.columns},
          {"in", hex_rows(c.in, c.columns, c.dtype)},
          {"expected", hex_rows(c.out, c.columns, c.dtype)}};
}

}  // namespace

std::string write_group(const Group& group) {
  Json cases = Json::array();
  for (const RopeCase& c : group.rope_cases) cases.push_back(rope_case(c));
  for (const PermuteCase& c : group.permute_cases) {
    cases.push_back(permute_case(c));
  }
  const Json json = {{"format", kVectorFormat},
                     {"group", group.name},
                     {"tier", group.tier},
                     {"type", group.permute_cases.empty() ? "rope" : "permute"},
                     {"description", group.description},
                     {"targets", group.targets},
                     {"cases", cases}};
  return json.dump(1) + "\n";
}

}  // namespace ropeproof::conformance
