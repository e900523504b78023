#include "conformance/check/formed.h"

#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <set>
#include <string>
#include <utility>

#include "conformance/check/test_formed.h"
#include "conformance/cover/form.h"
#include "conformance/cover/recipes.h"
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

TEST_CASE("an object is asked about the head and the base that it is made for",
          "[conformance][formed]") {
  plugin::Description d = plain();
  d.features |= ROPEPROOF_PARTIAL;
  d.base = 123456;
  for (const std::int64_t head_dim : {64, 80}) {
    d.head_dim = head_dim, d.rotary_dim = 64;
    wrong::PipelineKernel kernel(d, wrong::exact_pipeline());
    Selection selection = core();
    for (const cases::Tier tier : {cases::Tier::kSmoke, cases::Tier::kCore}) {
      selection.tier = tier;
      const auto asked = recipes_of(kernel, cases::committed(), selection);
      CHECK(asked.size() >= kOfElements);
      for (const cover::Recipe& recipe : asked) {
        const cases::Problem p = cover::outline(recipe, d.max_position);
        CHECK(p.spec.layout.head_dim == head_dim);
        CHECK(p.spec.layout.rotary_dim == 64);
        CHECK(p.spec.frequencies.base == 123456);
      }
    }
  }
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

// The first formed cases, and of each what no other question would give.
std::string found_by(Selection selection, const wrong::Pipeline& pipeline) {
  constexpr std::size_t kCases = 12;
  wrong::PipelineKernel kernel(plain(), pipeline);
  for (const cover::Recipe& c : recipes_of(kernel, few(), selection)) {
    if (selection.cases.size() < kCases) selection.cases.push_back(c.id);
  }
  std::string text;
  for (const Check& check : run_suite(kernel, few(), selection).checks) {
    if (!check.measurement) continue;
    text += check.case_id + " " + text::word(check.verdict) + " " +
            std::to_string(check.measurement->elements) + " " +
            std::to_string(check.measurement->max_norm_ulp) + "\n";
  }
  return text;
}

TEST_CASE("what is kept for the next kernel is the same question",
          "[conformance][formed]") {
  const wrong::Pipeline exact = wrong::exact_pipeline();
  wrong::Pipeline broken = exact;
  broken.misread = [](ropeproof_problem& p) { p.direction = -p.direction; };
  const std::string right = found_by(core(7), exact),
                    bad = found_by(core(7), broken);
  CHECK(right != bad);
  // None of it fits, a part of it, all.
  std::size_t last = 0;
  for (const std::size_t most : {1u, 1u << 17, 1u << 28}) {
    CAPTURE(most);
    Selection selection = core(7);
    selection.formed = std::make_shared<FormedStore>(most);
    CHECK(found_by(selection, exact) == right);
    const std::size_t bytes = selection.formed->bytes();
    CHECK(bytes <= most);
    CHECK((most == 1 || bytes > last));
    last = bytes;
    CHECK(found_by(selection, broken) == bad);
    CHECK(selection.formed->bytes() == bytes);
    selection.formed->clear();
    CHECK(selection.formed->bytes() == 0);
  }
}

TEST_CASE("what is kept is not formed again", "[conformance][formed]") {
  wrong::PipelineKernel kernel(plain(), wrong::exact_pipeline());
  const auto recipes = recipes_of(kernel, few(), core(7));
  std::vector<const cover::Recipe*> some = {&recipes[0], &recipes[1],
                                            &recipes[2]};
  FormedStore store(std::size_t{1} << 28);
  const auto ask = [&](std::int64_t max_position) {
    plugin::Description d = plain();
    d.max_position = max_position;
    FormedCases formed(some, d, &store);
    std::vector<FormedList> all;
    for (std::size_t i = 0; i < some.size(); ++i) all.push_back(formed.next());
    return all;
  };
  const auto first = ask(1 << 20);
  CHECK(ask(1 << 20) == first);
  CHECK(ask(1 << 19) != first);
  std::swap(some[0], some[2]);
  CHECK(ask(1 << 20)[0] == first[2]);
}

}  // namespace
}  // namespace ropeproof::conformance::check
