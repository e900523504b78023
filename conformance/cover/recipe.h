// recipe.h -- what a case is formed from: a row, a seed and the sizes of a
// shape.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/cases/problem.h"
#include "conformance/cases/tier.h"
#include "conformance/cover/class_words.h"
#include "conformance/cover/model.h"

namespace ropeproof::conformance::cover {

// Where a formed case comes from: a class by itself, a covering array, a shape,
// or a search.
enum class Source { kSingles, kPairs, kTriples, kShapes, kStress };
inline constexpr text::Words<Source, 5> kSourceWords{
    {{Source::kSingles, "singles"},
     {Source::kPairs, "pairs"},
     {Source::kTriples, "triples"},
     {Source::kShapes, "shapes"},
     {Source::kStress, "stress"}}};

// Sizes by the dimensions that have ranges: "batch", "pairs" ...
using Sizes = std::map<std::string, std::int64_t, std::less<>>;

// A case that is not formed yet.
struct Recipe {
  const Model* model = nullptr;  // of the row; outlives this
  Row row = {};                  // whole
  std::uint64_t seed = 0;        // of all numbers
  Source source = Source::kPairs;
  // "pairs-3f09c2ab", a function of the row and a fresh seed;
  // "shapes-batch-17-f16".
  std::string id = {};
  cases::Tier tier = cases::Tier::kCore;  // or full
  std::string text = {};                  // what it asks, in words
  // The sizes of a shape, in place of drawn ones.
  Sizes sizes = {};
  std::int64_t head_dim = 0;                // of a leading window; 0: drawn
  double base = 0;                          // 0: drawn
  std::vector<std::int64_t> sections = {};  // pairs of each axis; none: drawn
  bool begins_at_zero = false;              // whatever the order of its row
  // The most elements of q, or of k, where the classes of the sizes allow it:
  // what larger calls add is asked in the shapes of real models.
  std::int64_t elements = 1 << 14;
  // Where dtype and specification come from, if not from the row; outlives
  // this.
  const cases::Problem* like = nullptr;

  template <class Value, std::size_t kSize>
  Value class_of(const Classes<Value, kSize>& of) const {
    return text::find_word(of.words, model->word(row, of.dimension)).value();
  }
  Range range(std::string_view dimension) const {
    const auto size = sizes.find(dimension);
    if (size != sizes.end()) return {size->second, size->second};
    return model->range(row, dimension);
  }
  // Elements of q, or of k, where each size is the least of its class.
  std::int64_t least_elements() const {
    const auto low = [&](std::string_view name) { return range(name).low; };
    return low("batch") * low("seq") *
           std::max(low("q_heads"), low("k_heads")) * 2 * low("pairs");
  }
};

}  // namespace ropeproof::conformance::cover
