#include "conformance/cases/families/families.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>

#include "conformance/cases/bug_class.h"
#include "conformance/cases/corpus.h"
#include "conformance/cases/coverage.h"
#include "conformance/cases/families/choices.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/axis_map.h"
#include "conformance/plugin/scalings.h"
#include "reference/spec.h"

namespace ropeproof::conformance::cases {
namespace {

TEST_CASE("the cases to be refused are of every dtype, with keys and a copy",
          "[conformance][core]") {
  const Group rich = core_rich();
  std::set<reference::Format> dtypes;
  for (const RejectCase& c : core_reject().reject_cases) {
    for (const Case& valid : rich.rope_cases) {
      if (valid.id != c.of) continue;
      dtypes.insert(valid.problem.dtype);
      CHECK(valid.problem.k_heads > 0);
      CHECK(valid.problem.spec.layout.rotary_dim <
            valid.problem.spec.layout.head_dim);
    }
  }
  CHECK(dtypes.size() == 4);
}

TEST_CASE("every pair rotates at positions of every size up to 2^24",
          "[conformance][core][coverage]") {
  std::vector<Group> groups = core_families();
  const Coverage coverage = coverage_of(groups);
  CHECK(empty_cells(coverage) == std::vector<std::string>{});

  SECTION("and without the cases that see to it, the empty cells are named") {
    std::erase_if(groups, [](const Group& group) {
      return group.name == "core-coverage";
    });
    const auto empty = empty_cells(coverage_of(groups));
    CHECK(std::find(empty.begin(), empty.end(),
                    "pair 127, positions from 2^23") != empty.end());
  }
}

// The length that a scaling is told; 0 for others.
std::int64_t length_of(const reference::Scaling& scaling) {
  return std::visit(
      [](const auto& s) {
        std::int64_t length = 0;
        if constexpr (requires { s.seq_len; }) length = s.seq_len;
        return length;
      },
      scaling);
}

TEST_CASE("no length is less than the positions of its call need",
          "[conformance][core]") {
  for (const Group& group : core_families()) {
    for (const Case& c : group.rope_cases) {
      const std::int64_t length = length_of(c.problem.spec.frequencies.scaling);
      if (length == 0) continue;
      CAPTURE(c.id);
      CHECK(static_cast<double>(length) >
            std::ranges::max(c.problem.positions));
    }
  }
}

// What a kernel must declare to be asked a plain case: one of each.
using Cell = std::tuple<reference::Format, reference::Pairing, std::string>;

// Whether a kernel with no feature at all, and tables of 2048 rows, is asked
// it.
bool is_plain(const Case& c) {
  const reference::Layout& layout = c.problem.spec.layout;
  const reference::Frequencies& f = c.problem.spec.frequencies;
  const std::int64_t length = length_of(f.scaling);
  const bool has_other_length =
      length != 0 &&
      static_cast<double>(length) != std::ranges::max(c.problem.positions) + 1;
  return layout.rotary_dim == layout.head_dim && layout.head_dim % 2 == 0 &&
         layout.pair_distance == 0 && c.problem.storage == kDense &&
         !c.problem.is_special && c.problem.tokens() > 0 &&
         f.inv_freq.empty() && !f.xpos && f.amplitude == 1 &&
         c.problem.spec.axes.weights.empty() && !has_other_length &&
         std::ranges::all_of(c.problem.positions, [](double p) {
           return p >= 0 && p < 2048 && p == std::floor(p);
         });
}

TEST_CASE(
    "whoever offers one dtype, pairing, scaling, axis map is judged thrice",
    "[conformance][core][coverage]") {
  std::map<Cell, int> counts;
  for (const Group& group : core_families()) {
    for (const Case& c : group.rope_cases) {
      if (!is_plain(c)) continue;
      const auto count = [&](const std::string& what) {
        ++counts[{c.problem.dtype, c.problem.spec.layout.pairing, what}];
      };
      const std::string scaling =
          plugin::scaling_word(c.problem.spec.frequencies.scaling);
      const std::uint32_t map = plugin::axis_map_of(c.problem.spec);
      const bool has_formula = c.problem.spec.frequencies.exponents.empty() ||
                               map == ROPEPROOF_AXES_GRID;
      if (!has_formula) continue;
      if (c.problem.spec.direction == reference::Direction::kAdjoint) {
        if (scaling.empty()) count("adjoint");
      } else if (map == 0) {
        count("scaling " + scaling);
      } else if (scaling.empty()) {
        count("axis map " + text::word(plugin::kAxisMapWords, map));
      }
    }
  }
  constexpr std::size_t kAdjoint = 1;
  CHECK(counts.size() == 4 * 4 *
                             (std::variant_size_v<reference::Scaling> +
                              plugin::kAxisMapWords.size() + kAdjoint));
  for (const auto& [cell, count] : counts) {
    CAPTURE(std::get<0>(cell), std::get<1>(cell), std::get<2>(cell));
    CHECK(count >= 3);
  }
}

// Cases of f16 and f64 are formed at run time: the shapes of models.
bool has_heads(reference::Format dtype) {
  return dtype == reference::Format::kF32 || dtype == reference::Format::kBF16;
}

TEST_CASE("every dtype meets every pairing, scaling, memory and boundary",
          "[conformance][core][coverage]") {
  constexpr std::size_t kBoundaryCount = 23;
  constexpr std::size_t kScalings = std::variant_size_v<reference::Scaling>;
  for (const reference::Format dtype : kDtypes) {
    std::vector<Group> groups = core_families();
    for (Group& group : groups) {
      std::erase_if(group.rope_cases,
                    [&](const Case& c) { return c.problem.dtype != dtype; });
    }
    const Coverage coverage = coverage_of(groups);
    const auto kinds = [&](const std::string& prefix) {
      return static_cast<std::size_t>(std::count_if(
          coverage.cases.begin(), coverage.cases.end(),
          [&](const auto& entry) { return entry.first.starts_with(prefix); }));
    };
    CAPTURE(coverage_text(coverage));
    CHECK(kinds("dtype and pairing: ") == std::size(kPairings));
    CHECK(kinds("scaling: ") == kScalings + 2);  // xPos, given frequencies
    CHECK(kinds("memory: ") == std::size(kStorages));
    CHECK(kinds("axis map: ") == plugin::kAxisMapWords.size());
    CHECK(kinds("boundary: ") - kinds("boundary: -") == kBoundaryCount);
    CHECK(kinds("boundary: -") > kBoundaryCount / 3);
    for (const char* kind :
         {"axes: 2", "axes: 3", "axes: 4", "axes: weights", "values: special",
          "positions: real", "direction: adjoint", "sizes: empty",
          "axes: several, with gaps", "wide: more than 128 pairs",
          "wide: more than 256 tokens"}) {
      CHECK(kinds(kind) == 1);
    }
    CHECK(kinds("wide: more than 16 heads") == (has_heads(dtype) ? 1 : 0));
  }
}

TEST_CASE("every bug class is the target of a case", "[conformance][core]") {
  std::set<std::string> targets;
  std::vector<Group> groups = core_families();
  for (Group& group : smoke_families()) groups.push_back(std::move(group));
  for (const Group& group : groups) {
    for (const auto& [key, meaning] : group.targets) targets.insert(key);
  }
  for (const BugClass& one : kBugClasses) {
    // A race shows in repeated calls of any case; a document's numbers in the
    // worked example.
    const Bug bug = Bug::named(one.key);
    if (bug == Bug("memory/race") || bug == Bug("source/numbers-not-exact")) {
      continue;
    }
    CAPTURE(one.key);
    CHECK(targets.contains(bug.key()));
  }
}

TEST_CASE("the full tier adds 2,586 valid cases with ids of their own",
          "[conformance][full]") {
  std::set<std::string> ids;
  for (const Group& group : core_families()) {
    for (const Case& c : group.rope_cases) ids.insert(c.id);
  }
  const std::size_t core = ids.size();
  std::size_t rows = 0;
  for (const Group& group : full_families()) {
    CHECK(group.tier == Tier::kFull);
    for (const Case& c : group.rope_cases) {
      CAPTURE(c.id);
      CHECK(ids.insert(c.id).second);
      CHECK_NOTHROW(reference::validate(c.problem.spec));
      if (c.problem.tokens() > 65536) ++rows;
    }
  }
  CHECK(ids.size() - core == 2586);
  CHECK(rows == 2);
}

TEST_CASE("a case of the full tier is proved alone when it is asked for",
          "[conformance][full]") {
  Corpus corpus;
  add_full_tier(corpus, reference::Oracle::kBinFloat, {"full-dims-017"});
  std::size_t cases = 0;
  for (const Group& group : corpus.groups) {
    for (const Case& c : group.rope_cases) {
      ++cases;
      CHECK(c.golden.q.size() == c.problem.q.size());
    }
  }
  CHECK(cases == 1);
  const std::size_t groups = corpus.groups.size();
  add_full_tier(corpus, reference::Oracle::kBinFloat, {});
  CHECK(corpus.groups.size() == groups);  // it has one already
}

}  // namespace
}  // namespace ropeproof::conformance::cases
