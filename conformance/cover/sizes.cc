// Numbers of pairs, rows, tokens and heads.
#include <algorithm>
#include <utility>

#include "conformance/cover/dimension.h"

namespace ropeproof::conformance::cover {
namespace {

using cases::Problem;

std::int64_t drawn(Drawing& d, std::string_view name) {
  const Range range = d.recipe.range(name);
  return d.draw.between(range.low, range.high);
}

// Pairs above this make tables and heads so large that only rows of few heads
// have them.
constexpr std::int64_t kManyPairs = 256;

// The most pairs for which no size of the others' classes makes the call larger
// than a recipe's.
std::int64_t most_pairs(const Recipe& recipe) {
  const Range pairs = recipe.range("pairs");
  const std::int64_t fitting =
      recipe.elements * pairs.low / recipe.least_elements();
  return std::min(std::max({fitting, kManyPairs, pairs.low}), pairs.high);
}

// Half of the heads are multiples of 8 channels, as those of models.
void draw_pairs(Drawing& d) {
  const Range range = d.recipe.range("pairs");
  std::int64_t pairs = d.draw.any_size(range.low, most_pairs(d.recipe));
  if (d.draw.one_in(2) && pairs / 4 * 4 >= range.low) pairs -= pairs % 4;
  const AxesClass axes = d.recipe.class_of(kAxes);
  const std::int64_t parts = axes == AxesClass::kGrid    ? 2
                             : axes == AxesClass::kGrid3 ? 3
                                                         : 1;
  pairs = pairs / parts * parts;
  if (pairs < range.low) pairs += parts;
  d.problem.spec.layout.rotary_dim = 2 * pairs;
}

void draw_seq(Drawing& d) {
  d.problem.seq = drawn(d, "seq");
  if (d.recipe.class_of(kOrder) != OrderClass::kAscending) {
    d.problem.seq = std::min(std::max<std::int64_t>(d.problem.seq, 3),
                             d.recipe.range("seq").high);
  }
}

// Sizes within their classes, smaller where the product is large.
void limit_elements(Drawing& d) {
  Problem& p = d.problem;
  const auto elements = [&] {
    return p.tokens() * std::max(p.q_heads, p.k_heads) * 2 * p.pairs();
  };
  const auto shrink = [&](std::int64_t& size, std::int64_t low) {
    while (elements() > d.recipe.elements && size > low) {
      size = low + (size - low) / 2;  // not at once to a power of two
    }
  };
  shrink(p.batch, d.recipe.range("batch").low);
  shrink(p.q_heads, d.recipe.range("q_heads").low);
  shrink(p.k_heads, d.recipe.range("k_heads").low);
  shrink(p.seq,
         std::max(d.recipe.range("seq").low, std::min<std::int64_t>(3, p.seq)));
}

std::string name_of(const Range& range) {
  const std::string low = std::to_string(range.low);
  return range.low == range.high ? low : low + "-" + std::to_string(range.high);
}

// The classes are the ranges, which lie apart.
Dimension size(
    std::string name, std::vector<Range> ranges, std::uint32_t operations,
    By decided,
    const std::function<std::int64_t(const ropeproof_problem&)>& read,
    const std::function<void(Drawing&)>& draw) {
  const auto is_offered = [](const Offer&, const Dimension&, std::uint8_t) {
    return true;
  };
  const auto class_of = [=](const ropeproof_problem& p, const Dimension& d) {
    return d.find(read(p));
  };
  std::vector<std::string> classes;
  for (const Range& range : ranges) classes.push_back(name_of(range));
  return {std::move(name), std::move(classes), std::move(ranges), operations,
          decided,         is_offered,         class_of,          draw};
}

}  // namespace

std::vector<Dimension> size_dimensions() {
  using P = const ropeproof_problem&;
  using plugin::kTensors;
  constexpr std::uint32_t kCalls = kTensors | ROPEPROOF_TABLE;
  constexpr std::uint32_t kPermute = ROPEPROOF_PERMUTE;
  const auto permutes = [](P p) { return p.operation == kPermute; };
  std::vector<Dimension> rows = {
      size(
          "pairs",
          {{1, 1},
           {2, 2},
           {3, 3},
           {4, 7},
           {8, 15},
           {16, 31},
           {32, 32},
           {33, 63},
           {64, 127},
           {128, 2048}},
          kCalls | ROPEPROOF_FREQUENCIES | kPermute, By::kModel,
          [](P p) { return p.rotary_dim / 2; }, draw_pairs),
      size(
          "batch", {{1, 1}, {2, 2}, {3, 7}, {8, 63}, {64, 70}}, kCalls,
          By::kCall, [](P p) { return p.batch; },
          [](Drawing& d) { d.problem.batch = drawn(d, "batch"); }),
      size(
          "seq", {{1, 1}, {2, 3}, {4, 15}, {16, 63}, {64, 255}, {256, 320}},
          kCalls | kPermute, By::kCall,
          [=](P p) { return permutes(p) ? p.permute_columns : p.seq; },
          draw_seq),
      size(
          "q_heads", {{1, 1}, {2, 7}, {8, 31}, {32, 32}, {33, 64}, {65, 128}},
          kTensors | kPermute, By::kCall,
          [=](P p) { return permutes(p) ? p.permute_heads : p.q.heads; },
          [](Drawing& d) { d.problem.q_heads = drawn(d, "q_heads"); }),
      size(
          "k_heads", {{0, 0}, {1, 1}, {2, 8}, {9, 32}, {33, 64}}, kTensors,
          By::kCall, [](P p) { return p.k.heads; },
          [](Drawing& d) {
            d.problem.k_heads = drawn(d, "k_heads");
            limit_elements(d);
          })};
  rows.front().is_offered = [](const Offer& offer, const Dimension& d,
                               std::uint8_t c) {
    const std::int64_t own = offer.kernel.rotary_dim / 2;
    return own == 0 || d.find(own) == c;
  };
  rows.back().is_offered = [](const Offer& offer, const Dimension& d,
                              std::uint8_t c) {
    return offer.takes({.has_keys = d.ranges[c].low > 0});
  };
  return rows;
}

}  // namespace ropeproof::conformance::cover
