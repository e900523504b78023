#include "conformance/cover/shapes.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "conformance/cases/counter_generator.h"
#include "conformance/text/strict_json.h"

namespace ropeproof::conformance::cover {
namespace {

constexpr std::int64_t kMaxLength = 1 << 20;
// Elements of q and k up to which core asks a shape in every dtype.
constexpr std::int64_t kEveryDtype = 1 << 17;
// And up to which core asks it varied.
constexpr std::int64_t kVariedInCore = 1 << 18;

std::int64_t elements(const Shape& shape) {
  return shape.batch * shape.seq * (shape.q_heads + shape.k_heads) * 2 *
         shape.pairs;
}

// A loop of `count` rounds, among others of a few.
Shape loop_of(const std::string& loop, std::int64_t count) {
  Shape shape{loop + "-" + std::to_string(count), "core", true, 2, 3, 2, 1, 5};
  std::int64_t& size = loop == "batch"     ? shape.batch
                       : loop == "seq"     ? shape.seq
                       : loop == "q_heads" ? shape.q_heads
                       : loop == "k_heads" ? shape.k_heads
                                           : shape.pairs;
  size = count;
  return shape;
}

// The class of a size; of 4 and beyond, that of 4, so that no rule about large
// calls applies.
std::uint8_t class_of_size(const std::vector<Range>& ranges,
                           std::int64_t size) {
  std::uint8_t c = 0;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].low <= std::min<std::int64_t>(size, 4)) {
      c = static_cast<std::uint8_t>(i);
    }
  }
  return c;
}

// One shape as one question; `dtype` is its class. Of `drawn` dimensions the
// classes alternate, the others are plain.
Question question_of_shape(const Model& model, const Masks& offered,
                           const Shape& shape, std::uint64_t random,
                           std::uint8_t dtype,
                           std::span<const char* const> drawn) {
  Row row(model.size(), kOpen);
  const auto offers = [&](std::string_view dimension, std::string_view word) {
    const std::size_t d = model.at(dimension);
    return (offered[d] >> model.at(d, word) & 1) != 0;
  };
  row[model.at("dtype")] = dtype;
  for (const auto& [dimension, word] : shape.of) {
    const std::size_t d = model.at(dimension);
    row[d] = model.at(d, word);
  }
  const std::string window = text::word(kWindowClasses, shape.window);
  const std::size_t w = model.at("window");
  if (offers("window", window)) row[w] = model.at(w, window);
  const std::pair<const char*, std::int64_t> sizes[] = {
      {"batch", shape.batch},
      {"seq", shape.seq},
      {"q_heads", shape.q_heads},
      {"k_heads", shape.k_heads},
      {"pairs", shape.pairs}};
  for (const auto& [name, size] : sizes) {
    const std::size_t d = model.at(name);
    row[d] = class_of_size(model.dimensions()[d].ranges, size);
  }
  std::vector<std::size_t> chosen;
  for (const char* name : drawn) {
    const std::size_t d = model.at(name);
    const std::vector<std::uint8_t> classes = classes_in(offered[d]);
    if (row[d] != kOpen) continue;
    random = cases::random_bits(random, d);
    const std::uint8_t c = classes[random % classes.size()];
    // A row of these takes a page, and shapes have many.
    const std::string& word = model.dimensions()[d].classes[c];
    if (word == "wide" || word == "far") continue;
    row[d] = c;
    chosen.push_back(d);
  }
  std::optional<Row> whole = model.complete(row, offered);
  for (; !whole && !chosen.empty(); whole = model.complete(row, offered)) {
    row[chosen.back()] = kOpen;
    chosen.pop_back();
  }
  if (!whole) {
    row.assign(model.size(), 0);
    row[model.at("dtype")] = dtype;
    whole = row;
  }
  Question q = question_of(model, *whole);
  q.batch = {shape.batch, shape.batch};
  q.seq = {shape.seq, shape.seq};
  q.q_heads = {shape.q_heads, shape.q_heads};
  q.k_heads = {shape.k_heads, shape.k_heads};
  q.pairs = {shape.pairs, shape.pairs};
  q.head_dim = shape.head_dim;
  // 4096 tokens need as many positions.
  if (offers("magnitude", "2^16") && !shape.of.contains("magnitude")) {
    q.magnitude = 16;
  }
  return q;
}

// What alternates where a shape is asked plainly, and where it is not.
constexpr const char* kPlain[] = {"pairing", "layout", "place"};
constexpr const char* kVaried[] = {"pairing", "layout",  "place", "direction",
                                   "scaling", "axes",    "order", "sign",
                                   "rows",    "strides", "base"};

void read_of(text::StrictObject& object, Shape& shape) {
  const nlohmann::json* const of = object.find("of");
  if (of == nullptr) return;
  if (!of->is_object()) object.fail("of", "no object");
  for (const auto& [name, word] : of->items()) {
    const KnownDimension* const known = find_dimension(name);
    if (known == nullptr || !word.is_string() ||
        std::ranges::count(known->classes, word.get<std::string>()) == 0) {
      object.fail("of", "\"" + name + "\" has no class " + word.dump());
    }
    shape.of.emplace(name, word.get<std::string>());
  }
}

// Whether each class of a shape is one of those offered.
bool are_offered(const Model& model, const Masks& offered,
                 const std::map<std::string, std::string>& of) {
  for (const auto& [dimension, word] : of) {
    const std::size_t d = model.at(dimension);
    if ((offered[d] >> model.at(d, word) & 1) == 0) return false;
  }
  return true;
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
    s.tier = object.text("tier");
    if (s.tier != "core" && s.tier != "full") {
      object.fail("tier", "\"" + s.tier + "\"; expected core or full");
    }
    s.batch = object.integer("batch", 1, kMaxLength);
    s.seq = object.integer("seq", 1, kMaxLength);
    s.q_heads = object.integer("q_heads", 1, kMaxLength);
    s.k_heads = object.integer("k_heads", 0, kMaxLength);
    s.pairs = object.integer("pairs", 1, kMaxLength);
    s.window = object.word("window", kWindowClasses);
    if (object.find("head_dim") != nullptr) {
      s.head_dim = object.integer("head_dim", 2 * s.pairs + 1, kMaxLength);
    }
    read_of(object, s);
    object.finish();
    shapes.push_back(std::move(s));
  }
  text::StrictObject sizes(root.get("sizes"), root.at("sizes"));
  const std::int64_t from = sizes.integer("from", 1, kMaxLength);
  const std::int64_t to = sizes.integer("to", from, kMaxLength);
  for (const std::string& loop : sizes.texts("loops")) {
    if (loop != "batch" && loop != "seq" && loop != "q_heads" &&
        loop != "k_heads" && loop != "pairs") {
      sizes.fail("loops", "\"" + loop + "\" is no size of a call");
    }
    for (std::int64_t count = from; count <= to; ++count) {
      shapes.push_back(loop_of(loop, count));
    }
  }
  sizes.finish();
  root.finish();
  return shapes;
}

std::vector<ShapeQuestion> shape_questions(const Model& model,
                                           const Masks& offered,
                                           const std::vector<Shape>& shapes) {
  const std::vector<std::uint8_t> dtypes =
      classes_in(offered[model.at("dtype")]);
  std::vector<ShapeQuestion> questions;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Shape& shape = shapes[i];
    if (!are_offered(model, offered, shape.of)) continue;
    // Of no pattern: a size must not always meet the same dtype.
    const std::uint64_t random = cases::random_bits(shapes.size(), i);
    const std::size_t chosen = random % dtypes.size();
    for (std::size_t d = 0; d < dtypes.size(); ++d) {
      const bool is_chosen = d == chosen;
      if (shape.tier == "full" && !is_chosen) continue;
      ShapeQuestion one{shape.name, shape.tier,
                        question_of_shape(model, offered, shape, random + d,
                                          dtypes[d], kPlain)};
      one.name += "-" + text::word(text::kFormatWords, one.question.dtype);
      const bool is_cheap = shape.is_loop ? shape.name.starts_with("pairs")
                                          : elements(shape) <= kEveryDtype;
      if (!is_chosen && !is_cheap) one.tier = "full";
      // A prompt begins at 0.
      if (random % 2 == 0) one.question.order = OrderClass::kFromZero;
      if (is_chosen && !shape.is_loop && shape.of.empty()) {
        const bool is_large = elements(shape) > kVariedInCore;
        questions.push_back({shape.name + "-varied",
                             is_large ? "full" : shape.tier,
                             question_of_shape(model, offered, shape, ~random,
                                               dtypes[d], kVaried)});
      }
      questions.push_back(std::move(one));
    }
  }
  return questions;
}

}  // namespace ropeproof::conformance::cover
