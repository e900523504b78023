// The hardest roundings that a search has found.
#include "conformance/cases/counter_generator.h"
#include "conformance/cases/families/choices.h"
#include "conformance/cases/families/families.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/text/hex.h"
#include "conformance/text/strict_json.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::cases {
namespace {

using nlohmann::json;
using reference::Format;

std::uint64_t pattern(text::StrictObject& object, const std::string& key,
                      const json& node, Format format) {
  const std::size_t digits = 2 * plugin::bytes_of(format);
  const std::string text = node.is_string() ? node.get<std::string>() : "";
  const auto bits = text::parse_hex(text);
  if (!bits || text.size() != digits) {
    object.fail(key, "expected " + std::to_string(digits) + " hex digits");
  }
  return *bits;
}

// The case of one finding: the pair is the one that was found, and the others
// are random. A cosine or sine comes out of the pair (1, 0).
Problem hard_case(text::StrictObject& object, std::uint64_t seed) {
  const Format dtype = object.word("dtype", text::kFormatWords);
  const double base = reference::decode(
      Format::kF64, pattern(object, "base", object.get("base"), Format::kF64));
  const std::int64_t r = object.integer("rotary_dim", 2, 256);
  const std::int64_t j = object.integer("pair", 0, r / 2 - 1);
  const std::int64_t position =
      object.integer("position", 0, reference::kMaxPosition);
  Problem problem = make_problem(
      dtype, reference::leading(r, r, reference::Pairing::kHalfSplit), base, 1,
      1, 1, 0, {static_cast<double>(position)});
  for (std::int64_t i = 0; i < r; ++i) {
    problem.q.push_back(
        random_number(dtype, seed, static_cast<std::uint64_t>(i)));
  }
  auto& u = problem.q[static_cast<std::size_t>(j)];
  auto& v = problem.q[static_cast<std::size_t>(j + r / 2)];
  u = reference::encode(dtype, 1);
  v = 0;
  if (const json* x = object.find("x")) {
    if (!x->is_array() || x->size() != 2) object.fail("x", "expected a pair");
    u = pattern(object, "x", (*x)[0], dtype);
    v = pattern(object, "x", (*x)[1], dtype);
  }
  return problem;
}

}  // namespace

Group core_hard(const std::string& source_text, const std::string& file) {
  const json document = text::parse_json(source_text, file);
  text::StrictObject object(document, file);
  object.expect("format", "ropeproof-hard/1");
  const json& cases = object.array("cases");
  object.finish();
  Family family(Tier::kCore, "core-hard",
                "Results next to a boundary between two roundings, the hardest "
                "that a search has found in each dtype: more bits than any "
                "table of cosines holds decide them.");
  std::uint64_t seed = 0x68617264;
  for (const json& node : cases) {
    text::StrictObject found(node, file);
    const Problem problem = hard_case(found, ++seed);
    family.add(problem, {"angle/rounded-to-f32", "output/rounded-wrongly"},
               found.text("what") + " of pair " +
                   std::to_string(found.integer("pair", 0, 127)) + ": 2^" +
                   found.text("distance_log2") +
                   " ulp from a rounding boundary");
    found.finish();
  }
  Group group = family.take();
  group.is_bulk = true;
  return group;
}

}  // namespace ropeproof::conformance::cases
