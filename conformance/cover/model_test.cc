#include "conformance/cover/model.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <set>
#include <string>
#include <utility>

#include "conformance/cases/corpus_files.h"
#include "conformance/cases/test_groups.h"
#include "conformance/cover/arrays.h"
#include "conformance/cover/choose.h"
#include "conformance/cover/dimension.h"
#include "conformance/cover/drawn.h"
#include "conformance/cover/recipes.h"
#include "conformance/cover/suite_model.h"
#include "conformance/plugin/scalings.h"
#include "conformance/text/file.h"

namespace ropeproof::conformance::cover {
namespace {

using Catch::Matchers::ContainsSubstring;

// The first two classes of a dimension.
Dimension few(const char* name) {
  Dimension d = *find_dimension(name);
  d.classes.resize(2);
  if (!d.ranges.empty()) d.ranges.resize(2);
  return d;
}

Model model_of(const Rules& rules) {
  return {{few("dtype"), few("place"), few("batch")}, rules};
}

TEST_CASE("a model that makes no sense is refused in a line that says why",
          "[conformance][cover]") {
  CHECK(model_of({}).size() == 3);
  const std::pair<Rules, const char*> rows[] = {
      {{.never = {{{{"shape", {"a"}}, {"dtype", {"f32"}}}, "x"}}},
       "\"shape\" is no dimension"},
      {{.never = {{{{"place", {"up"}}, {"dtype", {"f32"}}}, "x"}}},
       "\"up\" is no class of place"},
      {{.never = {{{{"place", {"in", "out"}}, {"dtype", {"bf16"}}}, "x"}}},
       "no row can have dtype bf16"},
      {{.masking = {{{{"place", {"out"}}}, "x"}}}, "hides nothing"},
      {{.at_most = {{{"batch", "dtype"}, 4, "x"}}}, "dtype has no sizes"}};
  for (const auto& [rules, error] : rows) {
    CHECK_THROWS_WITH(model_of(rules), ContainsSubstring(error));
  }
}

TEST_CASE("the committed model, of which the rows are made, is the program's",
          "[conformance][cover]") {
  CHECK(text::read_file(ROPEPROOF_VECTORS_DIR "/coverage/model.json") ==
        suite_model_json());
  CHECK(suite_model().size() == known_dimensions().size());
}

TEST_CASE("rows of another model are refused", "[conformance][cover]") {
  const cases::Folder folder;
  cases::write_corpus({{"pairs.txt", "# model.json SHA-256 0\n0\n"}},
                      folder.path() / "coverage");
  CHECK_THAT(cases::refusal([&] { load_arrays(folder.path()); }),
             ContainsSubstring("pairs.txt: of another model"));
}

TEST_CASE("rows that are none, or contradict themselves, are refused by line",
          "[conformance][cover]") {
  const Model model =
      model_of({.never = {{{{"place", {"in"}}, {"dtype", {"bf16"}}}, "why"}}});
  CHECK(read_rows(model, "# head\n000\n101\n", "rows.txt").size() == 2);
  const auto fault = [&](const std::string& text) {
    return cases::refusal([&] { read_rows(model, text, "rows.txt"); });
  };
  CHECK_THAT(fault("000\n0000\n"), ContainsSubstring("rows.txt:2"));
  CHECK_THAT(fault("00\n"), ContainsSubstring("each of 3 dimensions"));
  CHECK_THAT(fault("002\n"), ContainsSubstring("rows.txt:1"));
  CHECK_THAT(fault("110\n"), ContainsSubstring("contradicts itself: why"));
  CHECK_THAT(fault("# nothing\n"), ContainsSubstring("no row"));
}

TEST_CASE("a row with a masking class stands for combinations with it alone",
          "[conformance][cover]") {
  const Model model = model_of({.masking = {{{{"place", {"in"}}}, "x"}}});
  Combinations pairs(model, 2);
  pairs.add({1, 1, 0});  // bf16, in, batch 1
  CHECK(pairs.has({1, 1, kOpen}));
  CHECK(pairs.has({kOpen, 1, 0}));
  CHECK_FALSE(pairs.has({1, kOpen, 0}));
  pairs.add({1, 0, 0});
  CHECK(pairs.has({1, kOpen, 0}));
  CHECK(pairs.count() == 5);
}

TEST_CASE("a class or dimension that comes last changes no row that there was",
          "[conformance][cover]") {
  Dimension batch = *find_dimension("batch");  // 1, 2, 3-7 ...
  batch.ranges = {{1, 1}, {2, 2}, {8, 63}, {3, 7}};
  CHECK(batch.find(2) == 1);
  CHECK(batch.find(9) == 2);
  CHECK(batch.find(100) == 2);
  CHECK(batch.find(7) == 3);
  CHECK(batch.find(0) == kOpen);

  const Row row(suite_model().size(), 1);
  const auto with = [&](const Row& later) {
    Row grown = row;
    grown.insert(grown.end(), later.begin(), later.end());
    return seed_of(grown, 7);
  };
  CHECK(with({0}) == seed_of(row, 7));
  const std::set<std::uint64_t> unlike = {with({0, 0}), with({0, 1}),
                                          with({1, 0}), with({1, 1}),
                                          with({2, 0}), with({0, 2})};
  CHECK(unlike.size() == 6);
  // The last of the first dimensions counts with its plain class, too.
  Row plain = row;
  plain.back() = 0;
  const Row without(plain.begin(), plain.end() - 1);
  CHECK(seed_of(plain, 7) != seed_of(without, 7));
}

TEST_CASE("the seeds draw each class of sizes from end to end",
          "[conformance][cover]") {
  const Arrays arrays = load_arrays(ROPEPROOF_VECTORS_DIR);
  std::set<std::string> asked;
  for (const DrawnClass& drawn :
       drawn_classes(arrays.model, arrays.pairs, 40)) {
    CAPTURE(drawn.text());
    asked.insert(drawn.dimension);
    const Range& range = drawn.range;
    REQUIRE_FALSE(drawn.sizes.empty());
    const std::int64_t least = *drawn.sizes.begin(),
                       most = *drawn.sizes.rbegin();
    CHECK(least >= range.low);
    CHECK(most <= range.high);
    if (drawn.dimension == kMagnitude.dimension) {
      // Classes of positions begin at a power of two or at 0.
      CHECK(most == range.high);
      CHECK(least <= std::max<std::int64_t>(range.low + 1, 16));
      std::int64_t octaves = 0;
      for (std::int64_t p = range.high;
           p > std::max(range.low, std::int64_t{1}); p /= 2) {
        ++octaves;
      }
      CHECK(drawn.edges() >= octaves - 1);
    } else {
      const std::int64_t all = range.high - range.low + 1;
      CHECK(least == range.low);
      CHECK(most >= range.high - all / 8);
      CHECK(std::ssize(drawn.sizes) >=
            std::min<std::int64_t>(all * 3 / 5, 200));
    }
  }
  CHECK(asked.size() == 6);
}

TEST_CASE("every scaling is a class of the model", "[conformance][cover]") {
  std::set<std::uint32_t> asked;
  for (const reference::Frequencies& example : scaling_examples()) {
    asked.insert(plugin::scaling_bit(example.scaling));
  }
  for (const auto& [bit, word] : plugin::kScalingWords) {
    CAPTURE(word);
    CHECK(asked.contains(bit));
  }
}

}  // namespace
}  // namespace ropeproof::conformance::cover
