#include "conformance/check/formed.h"

#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "conformance/cases/test_corpus.h"
#include "conformance/report/merge.h"
#include "conformance/report/report.h"
#include "conformance/text/test_words.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::check {
namespace {

using Catch::Matchers::ContainsSubstring;

plugin::Description plain() {
  plugin::Description d = wrong::full_description(ROPEPROOF_A0);
  d.operations = ROPEPROOF_ROPE;
  d.dtypes = ROPEPROOF_F32;
  d.pairings = ROPEPROOF_HALF_SPLIT;
  d.features = ROPEPROOF_OUT_OF_PLACE;
  d.scalings = d.axis_maps = d.caches = 0;
  d.max_position = 1 << 20;
  return d;
}

// Without the prompts of models: nearly all elements are theirs.
Selection core(std::uint64_t seed = 0) {
  static const auto kArrays = [] {
    cover::Arrays arrays = cover::load_arrays(cases::kVectors);
    std::erase_if(arrays.shapes, [](const cover::Shape& shape) {
      constexpr std::int64_t kMostElements = 1 << 14;
      const cover::Sizes& n = shape.sizes;
      return n.at("batch") * n.at("seq") * n.at("q_heads") * n.at("pairs") * 2 >
             kMostElements;
    });
    return std::make_shared<const cover::Arrays>(std::move(arrays));
  }();
  Selection selection;
  selection.arrays = kArrays;
  selection.seed = seed;
  return selection;
}

// The committed cases of one family: the formed ones are what is looked at
// here.
const cases::Corpus& few() {
  static const cases::Corpus kFew = [] {
    cases::Corpus corpus = cases::committed();
    corpus.groups.resize(1);
    return corpus;
  }();
  return kFew;
}

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
  const auto own = recipes_of(kernel, core());
  const auto seven = recipes_of(kernel, core(7));
  const auto eight = recipes_of(kernel, core(8));
  REQUIRE(own.size() > 20);
  CHECK(ids_of(recipes_of(kernel, core(7))) == ids_of(seven));
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

TEST_CASE("smoke, profiles and vectors without arrays ask no formed case",
          "[conformance][formed]") {
  wrong::PipelineKernel kernel(plain(), wrong::exact_pipeline());
  Selection selection = core();
  selection.tier = cases::Tier::kSmoke;
  CHECK(recipes_of(kernel, selection).empty());
  selection.cases = {"pairs-00000000"};
  CHECK_FALSE(recipes_of(kernel, selection).empty());
  selection.profile = "any";
  CHECK(recipes_of(kernel, selection).empty());
  CHECK(recipes_of(kernel, {}).empty());
}

TEST_CASE("a case that this kernel is not asked is refused by name",
          "[conformance][formed]") {
  wrong::PipelineKernel kernel(plain(), wrong::exact_pipeline());
  Selection selection = core();
  selection.cases = {"pairs-00000000"};
  CHECK_THROWS_WITH(
      run_suite(kernel, few(), selection),
      ContainsSubstring("no case \"pairs-00000000\" for this kernel"));
  selection.cases = {recipes_of(kernel, core())[3].id};
  CHECK(run_suite(kernel, few(), selection).dealt == selection.cases);
  selection.cases = {recipes_of(kernel, core(7))[3].id};
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
  CHECK_FALSE(recipes_of(kernel, core()).empty());
  CHECK(kernel.most_rows > 100);
  Selection selection = core();
  selection.cases = {recipes_of(kernel, core())[3].id};
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
  const auto judged = [&](Selection selection) -> report::Report {
    selection.shard = {1, 8};
    return run_suite(kernel, few(), selection);
  };
  judged(core());
  kernel.is_learning = false;
  const report::Report known = judged(core());
  CHECK(exit_status(total(known)) == 0);
  CHECK(total(known).of(Verdict::kPass) > 50);
  const report::Report fresh = judged(core(7));
  CHECK(exit_status(total(fresh)) == 1);
  CHECK(fresh.selection.starts_with("tier core, fresh 7, "));
  for (const Check& check : fresh.checks) {
    if (!check.case_id.starts_with("fresh7-"))
      CHECK(!is_failure(check.verdict));
  }
}

TEST_CASE("a fresh run is the same every time, in one piece or in shards",
          "[conformance][formed]") {
  wrong::PipelineKernel kernel(plain(), wrong::f32_pipeline());
  const auto judged = [&](const Shard& shard) {
    Selection selection = core(7);
    selection.shard = shard;
    report::Report report = run_suite(kernel, few(), selection);
    report.kernel_argument = "--lib ./x.so --fresh 7";
    return report;
  };
  const report::Report whole = judged({});
  const std::string json = json_report(whole);
  CHECK_THAT(json, ContainsSubstring(R"("seed": 7,)"));
  CHECK_THAT(junit_report(whole),
             ContainsSubstring(R"(<property name="seed" value="7"/>)"));
  std::vector<report::NamedReport> shards;
  for (std::int64_t i = 3; i >= 1; --i) {
    const std::string file = std::to_string(i) + ".json";
    shards.push_back(
        {file, report::read_report(json_report(judged({i, 3})), file)});
  }
  CHECK(json_report(merge_reports(std::move(shards))) == json);
}

TEST_CASE("all that a plain kernel declares is asked, whatever its positions",
          "[conformance][formed]") {
  for (const std::int64_t largest : {100, 1 << 28}) {
    CAPTURE(largest);
    plugin::Description d = plain();
    d.max_position = largest;
    wrong::PipelineKernel kernel(d, wrong::exact_pipeline());
    const report::Report report = run_suite(kernel, cases::committed(), core());
    CHECK(total(report).unasked == std::vector<std::string>{});
    CHECK(exit_status(total(report)) == 0);
  }
}

TEST_CASE("all that a kernel with one operation declares is asked",
          "[conformance][formed]") {
  for (const std::uint32_t operation :
       {ROPEPROOF_ROTATE, ROPEPROOF_LOOKUP, ROPEPROOF_TABLE}) {
    CAPTURE(operation);
    plugin::Description d = plain();
    d.operations = operation;
    if (operation == ROPEPROOF_TABLE) d.features = 0;
    if (operation == ROPEPROOF_LOOKUP) {
      d.caches = wrong::full_description(ROPEPROOF_A0).caches;
    }
    wrong::PipelineKernel kernel(d, wrong::exact_pipeline());
    const report::Report report = run_suite(kernel, cases::committed(), core());
    CHECK(total(report).unasked == std::vector<std::string>{});
    CHECK(exit_status(total(report)) == 0);
  }
}

}  // namespace
}  // namespace ropeproof::conformance::check
