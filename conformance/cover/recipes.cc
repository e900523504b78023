#include "conformance/cover/recipes.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string_view>
#include <utility>

#include "conformance/cases/counter_generator.h"
#include "conformance/cases/draw.h"
#include "conformance/cover/offer.h"
#include "conformance/text/format.h"

namespace ropeproof::conformance::cover {

std::uint64_t seed_of(const Row& row, std::uint64_t seed) {
  // The dimensions of the first arrays count with every class. Of a later one
  // the plain class does not: the rows that there were have it, and stay what
  // they are.
  constexpr std::size_t kFirst = 23;
  for (std::size_t d = 0; d < row.size(); ++d) {
    if (d < kFirst) {
      seed = cases::random_bits(seed, row[d]);
    } else if (row[d] != 0) {
      seed = cases::random_bits(seed, d << 8 | row[d]);
    }
  }
  return seed;
}

namespace {

constexpr std::string_view kFresh = "fresh";

std::string id_of(Source source, const std::string& name, std::uint64_t seed) {
  return (seed == 0 ? "" : std::string(kFresh) + std::to_string(seed) + "-") +
         text::word(kSourceWords, source) + "-" + name;
}

std::string digits_of(const Row& row) {
  return text::format("%08x", static_cast<unsigned>(seed_of(row, 0) >> 32));
}

// A kernel that offers little has few rows of classes: they are asked again,
// with other numbers, while they are fewer than this. Rows whose classes make
// large calls, an eighth of them with most of the elements, are asked once.
constexpr std::size_t kFewRows = 400, kMostRounds = 10;

// What a small case of smoke is beside its class, where the kernel offers it.
struct Single {
  Sizes sizes;
  std::vector<std::pair<std::string_view, std::string_view>> of;
};

// 12 and 24 pairs: any grid divides them, and eight sections find room.
const Single kSingle[kSingles] = {
    {{{"batch", 2}, {"seq", 3}, {"q_heads", 2}, {"k_heads", 1}, {"pairs", 12}},
     {{"magnitude", "2^12"}, {"order", "shuffled"}}},
    {{{"batch", 3}, {"seq", 1}, {"q_heads", 3}, {"k_heads", 2}, {"pairs", 12}},
     {{"magnitude", "2^16"}, {"values", "cancelling"}}},
    {{{"batch", 1}, {"seq", 7}, {"q_heads", 4}, {"k_heads", 1}, {"pairs", 24}},
     {{"values", "unlike"}}}};

}  // namespace

std::vector<Recipe> single_recipes(const Model& model, const Masks& offered,
                                   const std::vector<Row>& wanted) {
  std::vector<Recipe> recipes;
  const auto add = [&](const Row& classes, const Single& single) {
    Row row(model.size(), kOpen);
    Sizes sizes = single.sizes;
    std::erase_if(sizes, [&](const auto& one) {
      const std::size_t d = model.at(one.first);
      const std::uint8_t chosen = model.dimensions()[d].find(one.second);
      const bool is_offered = (offered[d] >> chosen & 1) != 0;
      if (is_offered) row[d] = chosen;
      return !is_offered;
    });
    for (const auto& [name, word] : single.of) {
      const std::size_t d = model.at(name);
      const std::uint8_t chosen = model.at(d, word);
      if ((offered[d] >> chosen & 1) != 0) row[d] = chosen;
    }
    for (std::size_t d = 0; d < row.size(); ++d) {
      if (classes[d] != kOpen) row[d] = classes[d];
    }
    const std::optional<Row> whole = model.complete(row, offered);
    if (!whole) return;
    recipes.push_back({.model = &model,
                       .row = *whole,
                       .seed = seed_of(*whole, 1),  // no other row's numbers
                       .source = Source::kSingles,
                       .id = id_of(Source::kSingles, digits_of(*whole), 0),
                       .tier = cases::Tier::kSmoke,
                       .text = model.text(*whole),
                       .sizes = std::move(sizes)});
  };
  for (const Row& classes : wanted) {
    for (const Single& single : kSingle) add(classes, single);
  }
  return recipes;
}

std::vector<Recipe> recipes_for(const Arrays& arrays,
                                const plugin::Description& description,
                                bool shares_memory, cases::Tier tier,
                                std::uint64_t seed, const Takes& takes,
                                const cases::Problem* like) {
  const Model& model = arrays.model;
  Masks masks = offered(model, description, shares_memory);
  if (like != nullptr) masks = fixed(model, masks, like->pairs());
  std::vector<Recipe> recipes;
  const auto add = [&](Source source, cases::Tier own,
                       const std::vector<Row>& rows, int strength) {
    const std::vector<Row> chosen = choose(model, rows, masks, strength, takes);
    const std::size_t rounds = std::clamp<std::size_t>(
        kFewRows / std::max<std::size_t>(chosen.size(), 1), 1, kMostRounds);
    for (std::size_t round = 1; round <= rounds; ++round) {
      const std::string again = round == 1 ? "" : "-" + std::to_string(round);
      for (const Row& row : chosen) {
        const Recipe recipe{
            .model = &model,
            .row = row,
            .seed = seed_of(
                row, round == 1 ? seed : cases::random_bits(seed, round)),
            .source = source,
            .id = id_of(source, digits_of(row) + again, seed),
            .tier = own,
            .text = model.text(row),
            .like = like};
        if (round > 1 && recipe.least_elements() > recipe.elements) continue;
        recipes.push_back(recipe);
      }
    }
  };
  add(Source::kPairs, cases::Tier::kCore, arrays.pairs, 2);
  if (like != nullptr) return recipes;
  if (tier == cases::Tier::kFull)
    add(Source::kTriples, cases::Tier::kFull, arrays.triples, 3);
  std::uint64_t number = 0;
  for (Recipe& shape : shape_recipes(model, masks, arrays.shapes)) {
    ++number;
    if (shape.tier > tier) continue;
    shape.seed = cases::random_bits(~seed, number);
    shape.text = "the shape " + shape.id;
    shape.id = id_of(Source::kShapes, shape.id, seed);
    recipes.push_back(std::move(shape));
  }
  return recipes;
}

Recipe drawn_recipe(const Model& model, const Masks& offered,
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
  const std::string text = model.text(row);
  return {.model = &model,
          .row = std::move(row),
          .seed = draw.bits(),
          .source = Source::kStress,
          .id = text::format("stress-%llu-%03llu",
                             static_cast<unsigned long long>(seed),
                             static_cast<unsigned long long>(index)),
          .tier = cases::Tier::kFull,
          .text = text};
}

std::optional<IdKind> kind_of_id(std::string_view id) {
  if (id.starts_with(kFresh)) return IdKind{.is_fresh = true};
  for (const auto& [source, word] : kSourceWords) {
    const bool is_asked = source != Source::kStress;  // by a search alone
    if (is_asked && id.starts_with(std::string(word) + "-")) {
      return IdKind{.source = source};
    }
  }
  return std::nullopt;
}

}  // namespace ropeproof::conformance::cover
