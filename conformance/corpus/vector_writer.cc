#include <bit>

#include "conformance/corpus/vector_file.h"
#include "conformance/corpus/words.h"

namespace ropeproof::conformance {
namespace {

using Json = nlohmann::ordered_json;
using reference::Format;

std::string hex(std::uint64_t bits, Format format) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text(2 * bytes_of(format), '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit) {
    *digit = kDigits[bits & 15];
    bits >>= 4;
  }
  return text;
}

std::string hex(double value) {
  return hex(std::bit_cast<std::uint64_t>(value), Format::kF64);
}

// Rows of `row` elements, each one string of hex digits.
Json rows(const Bits& bits, std::int64_t row, Format format) {
  Json result = Json::array();
  std::string text;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    text += hex(bits[i], format);
    if ((i + 1) % static_cast<std::size_t>(row) == 0) {
      result.push_back(text);
      text.clear();
    }
  }
  return result;
}

Json positions(const RopeCase& c) {
  Json result = Json::array();
  for (std::int64_t b = 0; b < c.batch; ++b) {
    const auto begin = c.positions.begin() + b * c.seq;
    result.push_back(std::vector<std::int64_t>(begin, begin + c.seq));
  }
  return result;
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
  Json json = {{"id", c.id},
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
               {"q", rows(c.q, d, c.dtype)},
               {"k", rows(c.k, d, c.dtype)},
               {"expected",
                {{"precision_bits", c.precision_bits},
                 {"inv_freq_hi", rows(c.inv_freq_hi, c.pairs(), Format::kF64)},
                 {"inv_freq_lo", rows(c.inv_freq_lo, c.pairs(), Format::kF64)},
                 {"cos", rows(c.cos, c.pairs(), Format::kF64)},
                 {"sin", rows(c.sin, c.pairs(), Format::kF64)},
                 {"q", rows(c.q_out, d, Format::kF64)},
                 {"k", rows(c.k_out, d, Format::kF64)}}}};
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
          {"in", rows(c.in, c.columns, c.dtype)},
          {"expected", rows(c.out, c.columns, c.dtype)}};
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
