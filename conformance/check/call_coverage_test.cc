#include "conformance/check/call_coverage.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <set>
#include <string>

#include "conformance/call/call.h"
#include "conformance/cases/form_golden.h"
#include "conformance/check/declarations.h"
#include "conformance/check/formed.h"
#include "conformance/cover/form.h"
#include "conformance/cover/offer.h"
#include "conformance/cover/recipes.h"
#include "conformance/plugin/description.h"
#include "conformance/wrong/pipeline_kernel.h"
#include "reference/golden.h"

namespace ropeproof::conformance::check {
namespace {

const cover::Arrays& arrays() {
  static const cover::Arrays kArrays =
      cover::load_arrays(ROPEPROOF_VECTORS_DIR);
  return kArrays;
}

const cover::Takes kAll = [](const cover::Row&) { return true; };

cases::Problem outline(const cover::Row& row, std::uint64_t seed,
                       std::int64_t max_position = 0) {
  return cover::outline({.model = &arrays().model, .row = row, .seed = seed},
                        max_position);
}

// The possible pairs of offered classes that no row has.
std::vector<std::string> missing_pairs(const cover::Masks& masks,
                                       const std::vector<cover::Row>& rows) {
  const cover::Model& model = arrays().model;
  cover::Combinations seen(model, 2);
  for (const cover::Row& row : rows) seen.add(row);
  std::vector<std::string> missing;
  cover::for_each_combination(model, masks, 2, [&](const cover::Row& part) {
    if (!seen.has(part) && model.complete(part, masks)) {
      missing.push_back(model.words(part));
    }
  });
  return missing;
}

TEST_CASE("every declaration keeps every pair of the classes that it offers",
          "[conformance][cover]") {
  std::set<std::size_t> counts;
  for (const plugin::Description& d : typical_declarations()) {
    CAPTURE(d.name);
    for (const bool shares_memory : {true, false}) {
      const cover::Masks masks =
          cover::offered(arrays().model, d, shares_memory);
      const auto rows =
          cover::choose(arrays().model, arrays().pairs, masks, 2, kAll);
      CHECK(missing_pairs(masks, rows).empty());
      for (const cover::Row& row : rows) {
        CHECK(arrays().model.contradiction(row) == nullptr);
        for (std::size_t i = 0; i < row.size(); ++i) {
          CHECK((masks[i] >> row[i] & 1) != 0);
        }
      }
      counts.insert(rows.size());
    }
  }
  CHECK(counts.size() > 10);  // narrower ones are asked less
}

TEST_CASE("an array without one of its rows misses a pair, and gets it back",
          "[conformance][cover]") {
  const cover::Model& model = arrays().model;
  const cover::Masks masks = model.everything();
  std::vector<cover::Row> rows(arrays().pairs.begin() + 1,
                               arrays().pairs.end());
  CHECK_FALSE(missing_pairs(masks, rows).empty());
  CHECK(
      missing_pairs(masks, cover::choose(model, rows, masks, 2, kAll)).empty());
}

TEST_CASE("what a kernel declines by itself costs no pair of what it takes",
          "[conformance][cover]") {
  const cover::Model& model = arrays().model;
  const std::size_t window = model.at("window"), batch = model.at("batch");
  const auto even = [&](const cover::Row& row) {
    return model.dimensions()[window].classes[row[window]].find("odd") ==
               std::string::npos &&
           model.dimensions()[batch].classes[row[batch]] != "1";
  };
  const auto rows =
      cover::choose(model, arrays().pairs, model.everything(), 2, even);
  cover::Masks masks = model.everything();
  for (const char* odd : {"leading_odd", "middle_odd"}) {
    masks[window] &= ~(std::uint64_t{1} << model.at(window, odd));
  }
  masks[batch] &= ~(std::uint64_t{1} << model.at(batch, "1"));
  CHECK(missing_pairs(masks, rows).empty());
  CHECK(std::ranges::all_of(rows, even));
}

// Sees its problem and answers nothing.
class Eye : public wrong::PipelineKernel {
 public:
  Eye()
      : PipelineKernel(plugin::everything("everything"),
                       wrong::exact_pipeline()) {}
  plugin::Answer run(const ropeproof_problem& problem) override {
    seen = cover::classes_of(arrays().model, problem);
    return {plugin::Outcome::kMissing, ""};
  }
  cover::Row seen;
};

TEST_CASE("a call has the classes of the row that it was formed from",
          "[conformance][cover]") {
  const cover::Model& model = arrays().model;
  Eye eye;
  for (const std::uint64_t seed : {0u, 7u}) {
    // Every 8th triple, with one seed or the other.
    std::vector<cover::Row> rows = arrays().pairs;
    for (std::size_t i = seed == 0 ? 0 : 8; i < arrays().triples.size();
         i += 16) {
      rows.push_back(arrays().triples[i]);
    }
    for (const cover::Row& row : rows) {
      const cases::Problem p = outline(row, cover::seed_of(row, seed));
      CAPTURE(model.words(row), seed);
      judge::Output output;
      call::Call(eye, ROPEPROOF_ROPE, p, "", reference::Format::kF32,
                 call::Contents::kWritten)
          .run(output);
      cover::Row seen = eye.seen;
      for (const char* unseen : {"values", "edge"}) {
        seen[model.at(unseen)] = row[model.at(unseen)];
      }
      CHECK(model.words(seen) == model.words(row));
    }
  }
}

TEST_CASE("formed goldens are those of the oracle, bit for bit",
          "[conformance][cover]") {
  const cover::Model& model = arrays().model;
  for (std::size_t i = 0; i < arrays().pairs.size(); i += 12) {
    const cover::Row& row = arrays().pairs[i];
    const cover::Recipe recipe{.model = &model, .row = row, .seed = i};
    cases::Problem p = cover::outline(recipe, 0);
    if (p.q.size() + p.k.size() > 20000) continue;
    const cases::Golden golden =
        cover::fill(p, recipe, reference::best_oracle());
    const cases::Golden proved = cases::form_golden(p, reference::best_oracle(),
                                                    cases::Effort::kCertified);
    CAPTURE(model.words(row));
    CHECK(golden.inv_freq_hi == proved.inv_freq_hi);
    CHECK(golden.amplitude == proved.amplitude);
    CHECK(golden.pair_amplitude == proved.pair_amplitude);
    CHECK(golden.cos == proved.cos);
    CHECK(golden.sin == proved.sin);
    CHECK(golden.q == proved.q);
    CHECK(golden.k == proved.k);
  }
}

TEST_CASE("another seed forms other positions", "[conformance][cover]") {
  int same = 0;
  for (const cover::Row& row : arrays().pairs) {
    const cases::Problem seven = outline(row, cover::seed_of(row, 7));
    const cases::Problem eight = outline(row, cover::seed_of(row, 8));
    if (seven.positions == eight.positions) ++same;
  }
  CHECK(same < 20);  // short rows of constant positions may agree
}

TEST_CASE("the largest position that is declared is asked",
          "[conformance][cover]") {
  for (const std::int64_t limit : {100, 4095, 131071, 1 << 28}) {
    plugin::Description d = typical_declarations()[1];
    d.max_position = limit;
    const cover::Masks masks = cover::offered(arrays().model, d, true);
    double largest = 0;
    int reached = 0;
    for (const cover::Row& row :
         cover::choose(arrays().model, arrays().pairs, masks, 2, kAll)) {
      const cases::Problem p = outline(row, 1, limit);
      const double most = std::ranges::max(p.positions);
      largest = std::max(largest, most);
      if (most == static_cast<double>(limit)) ++reached;
    }
    CHECK(largest == static_cast<double>(limit));
    CHECK(reached >= 3);
  }
}

}  // namespace
}  // namespace ropeproof::conformance::check
