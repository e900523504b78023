#include "conformance/cover/shapes.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "conformance/cases/counter_generator.h"
#include "conformance/cover/dimension.h"
#include "conformance/text/strict_json.h"

namespace ropeproof::conformance::cover {
namespace {

constexpr std::int64_t kMaxLength = 1 << 20;
constexpr const char* kSizeNames[] = {"batch", "seq", "q_heads", "k_heads",
                                      "pairs"};
// The most elements of q and k of a shape that core asks in every dtype.
std::int64_t most_in_every_dtype(Sized sized) {
  switch (sized) {
    case Sized::kAsModel:
      return 1 << 17;
    case Sized::kByPairs:
      return 2400;
    case Sized::kByOthers:
      return 0;
  }
  return 0;
}
// The most elements of q and k of a shape that core varies.
constexpr std::int64_t kVariedInCore = 1 << 16;

bool offers(const Model& model, const Masks& offered,
            std::string_view dimension, std::string_view word) {
  const std::size_t d = model.at(dimension);
  return (offered[d] >> model.at(d, word) & 1) != 0;
}

// A loop of `count` rounds, among others of a few; of many, of two tokens.
Shape loop_of(const std::string& loop, std::int64_t count, bool are_many) {
  Shape shape{
      loop + "-" + std::to_string(count),
      cases::Tier::kCore,
      {{"batch", 2}, {"seq", 3}, {"q_heads", 2}, {"k_heads", 1}, {"pairs", 5}},
      loop == "pairs" ? Sized::kByPairs : Sized::kByOthers,
      "full"};
  if (are_many) {
    shape.sizes = {{"batch", 1}, {"seq", 2}, {"q_heads", 1}, {"k_heads", 1}};
  }
  shape.sizes[loop] = count;
  return shape;
}

// A shape as a whole row; `dtype` is its class. Of `drawn` dimensions the
// classes alternate, the others are plain.
Row row_of(const Model& model, const Masks& offered, const Shape& shape,
           std::uint64_t random, std::uint8_t dtype,
           std::span<const char* const> drawn) {
  Row row(model.size(), kOpen);
  row[model.at("dtype")] = dtype;
  for (const auto& [dimension, word] : shape.of) {
    const std::size_t d = model.at(dimension);
    row[d] = model.at(d, word);
  }
  if (offers(model, offered, "window", shape.window)) {
    const std::size_t w = model.at("window");
    row[w] = model.at(w, shape.window);
  }
  for (const auto& [name, size] : shape.sizes) {
    // Of 4 and beyond the class of 4, so that no rule about large calls
    // applies.
    const std::size_t d = model.at(name);
    row[d] = model.dimensions()[d].find(std::min<std::int64_t>(size, 4));
  }
  std::vector<std::size_t> chosen;
  for (const char* name : drawn) {
    const std::size_t d = model.at(name);
    const std::vector<std::uint8_t> classes = classes_in(offered[d]);
    if (row[d] != kOpen) continue;
    random = cases::random_bits(random, d);
    const std::uint8_t c = classes[random % classes.size()];
    const auto is = [&](const auto& of, auto... values) {
      const std::string& word = model.dimensions()[d].classes[c];
      return name == of.dimension &&
             ((word == text::word(of.words, values)) || ...);
    };
    // A row of these takes a page, and shapes have many.
    if (is(kStrides, cases::Spacing::kWide, cases::Spacing::kFar) ||
        is(kRows, cases::RowSpacing::kWide, cases::RowSpacing::kFar)) {
      continue;
    }
    row[d] = c;
    chosen.push_back(d);
  }
  std::optional<Row> whole = model.complete(row, offered);
  for (; !whole && !chosen.empty(); whole = model.complete(row, offered)) {
    row[chosen.back()] = kOpen;
    chosen.pop_back();
  }
  if (!whole) {
    whole.emplace(model.size(), 0);
    whole->at(model.at("dtype")) = dtype;
  }
  // 4096 tokens need as many positions.
  if (offers(model, offered, "magnitude", "2^16") &&
      !shape.of.contains("magnitude")) {
    const std::size_t d = model.at("magnitude");
    whole->at(d) = model.at(d, "2^16");
  }
  return *whole;
}

// What alternates where a shape is asked plainly, and where it is not.
constexpr const char* kPlain[] = {"pairing", "layout", "place"};
constexpr const char* kVaried[] = {"pairing", "layout",  "place", "direction",
                                   "scaling", "axes",    "order", "sign",
                                   "rows",    "strides", "base"};

// The sections of a model in every pairing, since kernels have a path of their
// own for some; the dtypes take turns.
void add_sections(const Model& model, const Masks& offered, const Shape& shape,
                  std::span<const std::uint8_t> dtypes,
                  std::vector<Recipe>& recipes) {
  const std::size_t pairing = model.at("pairing");
  for (const std::uint8_t c : classes_in(offered[pairing])) {
    Shape own = shape;
    const std::string& word = model.dimensions()[pairing].classes[c];
    own.of.emplace("pairing", word);
    const std::uint64_t random = cases::random_bits(
        static_cast<std::uint64_t>(shape.sections.front()), c);
    const Row row = row_of(model, offered, own, random,
                           dtypes[random % dtypes.size()], kPlain);
    if (row[pairing] != c) continue;  // nothing has these sections in it
    recipes.push_back({.model = &model,
                       .row = row,
                       .source = Source::kShapes,
                       .id = shape.name + "-" + word,
                       .tier = shape.tier,
                       .sizes = shape.sizes,
                       .sections = shape.sections});
  }
}

void read_of(text::StrictObject& object, Shape& shape) {
  const nlohmann::json* const of = object.find("of");
  if (of == nullptr) return;
  if (!of->is_object()) object.fail("of", "no object");
  for (const auto& [name, word] : of->items()) {
    const Dimension* const known = find_dimension(name);
    if (known == nullptr || !word.is_string() ||
        std::ranges::count(known->classes, word.get<std::string>()) == 0) {
      object.fail("of", "\"" + name + "\" has no class " + word.dump());
    }
    shape.of.emplace(name, word.get<std::string>());
  }
}

}  // namespace

std::vector<Shape> read_shapes(const std::string& text,
                               const std::string& file) {
  const nlohmann::json json = text::parse_json(text, file);
  text::StrictObject root(json, file);
  root.expect("format", "ropeproof-shapes/1");
  std::vector<Shape> shapes;
  for (const auto& node : root.array("shapes")) {
    text::StrictObject object(
        node, root.at("shapes[" + std::to_string(shapes.size()) + "]"));
    Shape s;
    s.name = object.text("name");
    s.tier = object.word("tier", cases::kTierWords);
    for (const std::string name : kSizeNames) {
      const std::int64_t least = name == "k_heads" ? 0 : 1;
      s.sizes[name] = object.integer(name, least, kMaxLength);
    }
    s.window = text::word(kWindow.words, object.word("window", kWindow.words));
    if (object.has("head_dim")) {
      s.head_dim =
          object.integer("head_dim", 2 * s.sizes["pairs"] + 1, kMaxLength);
    }
    if (object.has("sections")) {
      s.sections = object.integers("sections", 1, kMaxLength);
    }
    read_of(object, s);
    object.finish();
    shapes.push_back(std::move(s));
  }
  text::StrictObject sizes(root.get("sizes"), root.at("sizes"));
  const std::int64_t from = sizes.integer("from", 1, kMaxLength);
  const std::int64_t to = sizes.integer("to", from, kMaxLength);
  for (const std::string& loop : sizes.texts("loops")) {
    if (std::ranges::count(kSizeNames, loop) == 0) {
      sizes.fail("loops", "\"" + loop + "\" is no size of a call");
    }
    for (std::int64_t count = from; count <= to; ++count) {
      shapes.push_back(loop_of(loop, count, false));
    }
  }
  std::int64_t before = to;
  for (const auto& node : sizes.array("more_pairs")) {
    text::StrictObject more(node, sizes.at("more_pairs"));
    const std::int64_t step = more.integer("step", 1, kMaxLength);
    const std::int64_t last = more.integer("to", before + step, kMaxLength);
    more.finish();
    for (before += step; before <= last; before += step) {
      shapes.push_back(loop_of("pairs", before, true));
    }
    before = last;
  }
  sizes.finish();
  root.finish();
  return shapes;
}

std::int64_t Shape::elements() const {
  return sizes.at("batch") * sizes.at("seq") *
         (sizes.at("q_heads") + sizes.at("k_heads")) * 2 * sizes.at("pairs");
}

std::vector<Recipe> shape_recipes(const Model& model, const Masks& offered,
                                  const std::vector<Shape>& shapes) {
  const std::vector<std::uint8_t> dtypes =
      classes_in(offered[model.at("dtype")]);
  std::vector<Recipe> recipes, of_sections;
  // Shapes with sections leave the numbers of the others as they are.
  std::size_t i = 0;
  const auto count = static_cast<std::uint64_t>(std::ranges::count_if(
      shapes, &std::vector<std::int64_t>::empty, &Shape::sections));
  for (const Shape& shape : shapes) {
    // The dtypes follow no pattern: a size must not always meet the same one.
    const std::uint64_t random = cases::random_bits(count, i);
    if (shape.sections.empty()) ++i;
    const bool is_offered = std::ranges::all_of(shape.of, [&](const auto& of) {
      return offers(model, offered, of.first, of.second);
    });
    if (!is_offered) continue;
    const std::size_t chosen = random % dtypes.size();
    const auto add = [&](const std::string& name, cases::Tier tier, Row row,
                         bool begins_at_zero) {
      recipes.push_back({.model = &model,
                         .row = std::move(row),
                         .source = Source::kShapes,
                         .id = name,
                         .tier = tier,
                         .sizes = shape.sizes,
                         .head_dim = shape.head_dim,
                         .begins_at_zero = begins_at_zero});
    };
    if (!shape.sections.empty()) {
      add_sections(model, offered, shape, dtypes, of_sections);
      continue;
    }
    const bool is_model = shape.sized == Sized::kAsModel;
    for (std::size_t d = 0; d < dtypes.size(); ++d) {
      const bool is_chosen = d == chosen;
      if (shape.tier == cases::Tier::kFull && !is_chosen) continue;
      if (is_chosen && is_model && shape.of.empty()) {
        add(shape.name + "-varied",
            shape.elements() > kVariedInCore ? cases::Tier::kFull : shape.tier,
            row_of(model, offered, shape, ~random, dtypes[d], kVaried), false);
      }
      const bool is_cheap =
          shape.elements() <= most_in_every_dtype(shape.sized);
      const Dimension& dtype = model.dimensions()[model.at("dtype")];
      add(shape.name + "-" + dtype.classes[dtypes[d]],
          is_chosen || is_cheap ? shape.tier : cases::Tier::kFull,
          row_of(model, offered, shape, random + d, dtypes[d], kPlain),
          random % 2 == 0);  // as a prompt does
    }
  }
  std::ranges::move(of_sections, std::back_inserter(recipes));
  return recipes;
}

}  // namespace ropeproof::conformance::cover
