#include "conformance/cover/drawn.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "conformance/cover/class_words.h"
#include "conformance/cover/dimension.h"
#include "conformance/cover/form.h"
#include "conformance/cover/recipes.h"

namespace ropeproof::conformance::cover {
namespace {

using cases::Problem;

std::int64_t largest_position(const Problem& p) {
  double largest = 0;
  for (const double x : p.positions)
    largest = std::max(largest, std::ceil(std::abs(x)));
  return static_cast<std::int64_t>(largest);
}

// Reads the size that the ranges of a dimension are about.
struct Quantity {
  std::string_view dimension;
  std::int64_t (*read)(const Problem&);
};
constexpr Quantity kQuantities[] = {
    {"pairs", [](const Problem& p) { return p.pairs(); }},
    {"batch", [](const Problem& p) { return p.batch; }},
    {"seq", [](const Problem& p) { return p.seq; }},
    {"q_heads", [](const Problem& p) { return p.q_heads; }},
    {"k_heads", [](const Problem& p) { return p.k_heads; }},
    {kMagnitude.dimension, largest_position}};

// The sizes of each class of a dimension.
std::vector<Range> ranges_of(const Dimension& dimension) {
  std::vector<Range> ranges = dimension.ranges;
  if (!ranges.empty()) return ranges;
  for (const auto& [power, word] : kMagnitude.words) {
    ranges.push_back(magnitude_range(power));
  }
  return ranges;
}

bool is_power(std::int64_t size) {
  return size > 0 && std::has_single_bit(static_cast<std::uint64_t>(size));
}

}  // namespace

std::int64_t DrawnClass::edges() const {
  return std::ranges::count_if(sizes, [](std::int64_t size) {
    return is_power(size - 1) || is_power(size + 1);
  });
}

std::string DrawnClass::text() const {
  const std::string begin = dimension + " " + name + ": ";
  if (sizes.empty()) return begin + "never drawn";
  const std::string all = begin + std::to_string(*sizes.begin()) + " to " +
                          std::to_string(*sizes.rbegin()) + ", " +
                          std::to_string(sizes.size()) + " of " +
                          std::to_string(range.high - range.low + 1) + " sizes";
  if (range.high < 4096) return all;
  return all + ", of them " +
         std::to_string(std::ranges::count_if(sizes, is_power)) +
         " powers of two and " + std::to_string(edges()) + " beside one";
}

std::vector<DrawnClass> drawn_classes(const Model& model,
                                      const std::vector<Row>& rows,
                                      std::uint64_t seeds) {
  // By dimension and class.
  std::map<std::pair<std::size_t, std::size_t>, std::set<std::int64_t>> drawn;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    for (const Row& row : rows) {
      const Problem problem =
          outline({.model = &model, .row = row, .seed = seed_of(row, seed)}, 0);
      for (const Quantity& quantity : kQuantities) {
        const std::size_t d = model.at(quantity.dimension);
        drawn[{d, row[d]}].insert(quantity.read(problem));
      }
    }
  }
  std::vector<DrawnClass> classes;
  for (std::size_t d = 0; d < model.size(); ++d) {
    const Dimension& dimension = model.dimensions()[d];
    if (std::ranges::find(kQuantities, dimension.name, &Quantity::dimension) ==
        std::end(kQuantities)) {
      continue;
    }
    const std::vector<Range> ranges = ranges_of(dimension);
    for (std::size_t c = 0; c < ranges.size(); ++c) {
      classes.push_back(
          {dimension.name, dimension.classes[c], ranges[c], drawn[{d, c}]});
    }
  }
  return classes;
}

}  // namespace ropeproof::conformance::cover
