#include "conformance/cover/formed.h"

#include <bit>

#include "conformance/cases/counter_generator.h"
#include "conformance/cases/draw.h"
#include "conformance/cover/form.h"
#include "conformance/cover/offer.h"
#include "conformance/text/format.h"

namespace ropeproof::conformance::cover {

std::uint64_t seed_of(const Row& row, std::uint64_t seed) {
  for (const std::uint8_t c : row) seed = cases::random_bits(seed, c);
  return seed;
}

namespace {

std::string id_of(const std::string& kind, const std::string& name,
                  std::uint64_t seed) {
  return (seed == 0 ? "" : "fresh" + std::to_string(seed) + "-") + kind + "-" +
         name;
}

std::string digits_of(const Row& row) {
  return text::format("%08x", static_cast<unsigned>(seed_of(row, 0) >> 32));
}

}  // namespace

std::vector<FormedCase> formed_cases(const Arrays& arrays,
                                     const plugin::Description& description,
                                     bool shares_memory, bool with_triples,
                                     std::uint64_t seed, const Takes& takes,
                                     const cases::Problem* like) {
  const Model& model = arrays.model;
  Masks masks = offered(model, description, shares_memory);
  if (like != nullptr) masks = fixed(model, masks, like->pairs());
  std::vector<FormedCase> formed;
  const auto add = [&](const char* kind, const char* tier,
                       const std::vector<Row>& rows, int strength) {
    for (const Chosen& chosen : choose(model, rows, masks, strength, takes)) {
      const Row& row = chosen.row;
      formed.push_back({id_of(kind, digits_of(row), seed), tier,
                        model.text(row), question_of(model, row),
                        seed_of(row, seed), row, like});
    }
  };
  add("pairs", "core", arrays.pairs, 2);
  if (like != nullptr) return formed;
  if (with_triples) add("triples", "full", arrays.triples, 3);
  std::uint64_t number = 0;
  for (const ShapeQuestion& shape :
       shape_questions(model, masks, arrays.shapes)) {
    ++number;
    if (shape.tier == "full" && !with_triples) continue;
    formed.push_back({id_of("shapes", shape.name, seed),
                      shape.tier,
                      "the shape " + shape.name,
                      shape.question,
                      cases::random_bits(~seed, number),
                      {},
                      nullptr});
  }
  return formed;
}

FormedCase drawn_case(const Model& model, const Masks& offered,
                      std::uint64_t seed, std::uint64_t index) {
  cases::Draw draw(cases::random_bits(seed, index));
  const std::int64_t plain = draw.between(0, 7);  // eighths of the dimensions
  Row row(model.size(), kOpen);
  for (std::size_t d = 0; d < model.size(); ++d) {
    const std::vector<std::uint8_t> classes = classes_in(offered[d]);
    const std::uint64_t nth = draw.bits() % classes.size();
    Row with = row;
    with[d] = draw.between(1, 8) <= plain ? classes[0] : classes[nth];
    if (std::popcount(model.masking(with)) < 2 &&
        model.complete(with, offered)) {
      row = with;
    }
  }
  // A class that contradicts all others is left open.
  row = model.complete(row, offered).value_or(Row(model.size(), 0));
  const std::uint64_t number = draw.bits();
  return {
      text::format("stress-%llu-%03llu", static_cast<unsigned long long>(seed),
                   static_cast<unsigned long long>(index)),
      "full",
      model.text(row),
      question_of(model, row),
      number,
      row,
      nullptr};
}

cases::Problem outline(const FormedCase& formed, std::int64_t max_position) {
  return outline(formed.question, formed.seed, max_position, formed.model);
}

cases::Case form(const FormedCase& formed, std::int64_t max_position,
                 reference::Oracle oracle) {
  cases::Case c;
  c.id = formed.id;
  c.comment = formed.text;
  c.problem = outline(formed, max_position);
  // A model's numbers are no NaNs.
  const bool has_nans = formed.model == nullptr;
  c.golden = fill(c.problem, formed.question, formed.seed, oracle, has_nans);
  return c;
}

}  // namespace ropeproof::conformance::cover
