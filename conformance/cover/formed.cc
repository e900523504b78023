#include "conformance/cover/formed.h"

#include <cstdio>

#include "conformance/cases/counter_generator.h"
#include "conformance/cover/form.h"
#include "conformance/cover/offer.h"

namespace ropeproof::conformance::cover {

std::uint64_t seed_of(const Row& row, std::uint64_t seed) {
  for (const std::uint8_t c : row) seed = cases::random_bits(seed, c);
  return seed;
}

namespace {

std::string id_of(const char* name, const Row& row, std::uint64_t seed) {
  char digits[16];
  std::snprintf(digits, sizeof digits, "%08x",
                static_cast<unsigned>(seed_of(row, 0) >> 32));
  return (seed == 0 ? std::string(name) : "fresh" + std::to_string(seed)) +
         "-" + digits;
}

}  // namespace

std::vector<FormedCase> formed_cases(const Arrays& arrays,
                                     const plugin::Description& description,
                                     bool shares_memory, bool with_triples,
                                     std::uint64_t seed, const Takes& takes) {
  const Masks masks = offered(arrays.model, description, shares_memory);
  std::vector<FormedCase> formed;
  const auto add = [&](const char* name, const char* tier,
                       const std::vector<Row>& rows, int strength) {
    for (const Chosen& chosen :
         choose(arrays.model, rows, masks, strength, takes)) {
      formed.push_back({id_of(name, chosen.row, seed), tier, chosen.row,
                        seed_of(chosen.row, seed)});
    }
  };
  add("pairs", "core", arrays.pairs, 2);
  if (with_triples) add("triples", "full", arrays.triples, 3);
  return formed;
}

cases::RopeCase outline(const Model& model, const FormedCase& formed,
                        std::int64_t max_position) {
  cases::RopeCase c =
      outline(question_of(model, formed.row), formed.seed, max_position);
  c.id = formed.id;
  c.comment = model.text(formed.row);
  return c;
}

cases::RopeCase form(const Model& model, const FormedCase& formed,
                     std::int64_t max_position, reference::Oracle oracle) {
  cases::RopeCase c = outline(model, formed, max_position);
  fill(c, question_of(model, formed.row), formed.seed, oracle);
  return c;
}

}  // namespace ropeproof::conformance::cover
