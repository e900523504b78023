#include "conformance/check/formed.h"

#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <set>
#include <string>
#include <utility>

#include "conformance/check/test_formed.h"
#include "conformance/cover/recipes.h"
#include "conformance/text/test_words.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::check {
namespace {

using Catch::Matchers::ContainsSubstring;

std::vector<std::string> ids_of(const std::vector<cover::Recipe>& formed) {
  std::vector<std::string> ids;
  for (const cover::Recipe& c : formed) ids.push_back(c.id);
  return ids;
}

std::set<std::string> rows_of(const std::vector<cover::Recipe>& formed) {
  std::set<std::string> rows;
  for (const cover::Recipe& c : formed)
    rows.emplace(c.row.begin(), c.row.end());
  return rows;
}

TEST_CASE("a seed asks for the same pairs with other numbers, in another order",
          "[conformance][formed]") {
  wrong::PipelineKernel kernel(plain(), wrong::exact_pipeline());
  const auto own = recipes_of(kernel, few(), core());
  const auto seven = recipes_of(kernel, few(), core(7));
  const auto eight = recipes_of(kernel, few(), core(8));
  REQUIRE(own.size() > 20);
  CHECK(ids_of(recipes_of(kernel, few(), core(7))) == ids_of(seven));
  CHECK(rows_of(seven) == rows_of(own));
  CHECK(rows_of(eight) == rows_of(own));
  CHECK(seven[0].id.starts_with("fresh7-"));
  const auto order_of = [](std::vector<std::string> ids) {
    for (std::string& id : ids) id = id.substr(id.find('-'));
    return ids;
  };
  CHECK(order_of(ids_of(seven)) != order_of(ids_of(own)));
  CHECK(order_of(ids_of(seven)) != order_of(ids_of(eight)));
}

// Smoke asks those of elements of any kernel, since no call says which it has:
// random, cancelling, unlike.
constexpr std::size_t kOfElements = 3 * cover::kSingles;

TEST_CASE("profiles and vectors without arrays ask no formed case",
          "[conformance][formed]") {
  wrong::PipelineKernel kernel(plain(), wrong::exact_pipeline());
  Selection selection = core();
  selection.tier = cases::Tier::kSmoke;
  CHECK(recipes_of(kernel, cases::committed(), selection).size() ==
        kOfElements);
  selection.cases = {"pairs-00000000"};
  CHECK_FALSE(recipes_of(kernel, few(), selection).empty());
  selection.profile = "any";
  CHECK(recipes_of(kernel, few(), selection).empty());
  CHECK(recipes_of(kernel, few(), {}).empty());
}

TEST_CASE("smoke asks what its committed cases leave out, three cases of each",
          "[conformance][formed]") {
  plugin::Description d = plain();
  d.dtypes |= ROPEPROOF_F16;
  d.features |= ROPEPROOF_ADJOINT;
  wrong::PipelineKernel kernel(d, wrong::exact_pipeline());
  Selection selection = core();
  selection.tier = cases::Tier::kSmoke;
  const auto asked = recipes_of(kernel, cases::committed(), selection);
  CHECK(asked.size() == 2 * cover::kSingles + kOfElements);
  for (const cover::Recipe& recipe : asked) {
    CHECK(recipe.id.starts_with("singles-"));
    CHECK(recipe.tier == cases::Tier::kSmoke);
  }
  selection.cases = {asked[0].id};
  const Run run = run_suite(kernel, cases::committed(), selection);
  REQUIRE(run.checks.size() > 0);
  CHECK(run.checks[0].verdict == Verdict::kPass);
}

TEST_CASE("a case that this kernel is not asked is refused by name",
          "[conformance][formed]") {
  wrong::PipelineKernel kernel(plain(), wrong::exact_pipeline());
  Selection selection = core();
  selection.cases = {"pairs-00000000"};
  CHECK_THROWS_WITH(
      run_suite(kernel, few(), selection),
      ContainsSubstring("no case \"pairs-00000000\" for this kernel"));
  selection.cases = {recipes_of(kernel, few(), core())[3].id};
  CHECK(run_suite(kernel, few(), selection).dealt == selection.cases);
  selection.cases = {recipes_of(kernel, few(), core(7))[3].id};
  CHECK_THROWS_WITH(run_suite(kernel, few(), selection),
                    ContainsSubstring("--fresh"));
}

TEST_CASE("a kernel that reads caches is asked about those of its calls",
          "[conformance][formed]") {
  class Asked : public wrong::PipelineKernel {
   public:
    using PipelineKernel::PipelineKernel;
    std::int64_t most_rows = 0;

    bool has_supports() const override { return true; }
    plugin::Answer supports(const ropeproof_problem& p) override {
      most_rows = std::max(most_rows, p.cache_rows);
      return {p.cache_rows > p.batch * p.seq ? plugin::Outcome::kOk
                                             : plugin::Outcome::kDeclined,
              ""};
    }
  };
  plugin::Description d = plain();
  d.operations = ROPEPROOF_LOOKUP;
  d.caches = ROPEPROOF_CACHE_SPLIT;
  Asked kernel(d, wrong::exact_pipeline());
  CHECK_FALSE(recipes_of(kernel, few(), core()).empty());
  CHECK(kernel.most_rows > 100);
  Selection selection = core();
  selection.cases = {recipes_of(kernel, few(), core())[3].id};
  const Run run = run_suite(kernel, few(), selection);
  CHECK(run.checks[0].verdict == Verdict::kPass);
}

// Right where it has seen the first two elements of q.
class Memory : public wrong::PipelineKernel {
 public:
  Memory() : PipelineKernel(plain(), wrong::exact_pipeline()) {}

  bool is_learning = true;

  plugin::Answer run(const ropeproof_problem& problem) override {
    const plugin::Answer answer = PipelineKernel::run(problem);
    if (problem.q.in == nullptr || problem.batch * problem.seq == 0 ||
        problem.q.heads == 0) {
      return answer;
    }
    const float* in = static_cast<const float*>(problem.q.in);
    const auto seen = std::pair(std::bit_cast<std::uint32_t>(in[0]),
                                std::bit_cast<std::uint32_t>(in[1]));
    if (is_learning) {
      known_.insert(seen);
    } else if (!known_.contains(seen)) {
      static_cast<float*>(problem.q.out)[0] += 1;
    }
    return answer;
  }

 private:
  std::set<std::pair<std::uint32_t, std::uint32_t>> known_;
};

TEST_CASE("a kernel that knows the suite's inputs by heart fails fresh ones",
          "[conformance][formed]") {
  Memory kernel;
  const auto judged = [&](Selection selection) {
    selection.shard = {1, 8};
    return run_suite(kernel, few(), selection);
  };
  const auto fails = [](const Check& c) { return is_failure(c.verdict); };
  judged(core());
  kernel.is_learning = false;
  const Run known = judged(core());
  CHECK(std::ranges::none_of(known.checks, fails));
  CHECK(std::ranges::count(known.checks, Verdict::kPass, &Check::verdict) > 50);
  const Run fresh = judged(core(7));
  CHECK(std::ranges::any_of(fresh.checks, fails));
  CHECK(fresh.selection.starts_with("tier core, fresh 7, "));
  for (const Check& check : fresh.checks) {
    if (!check.case_id.starts_with("fresh7-"))
      CHECK(!is_failure(check.verdict));
  }
}

}  // namespace
}  // namespace ropeproof::conformance::check
