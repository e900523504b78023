// A verdict depends on nothing but the kernel and the case.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <random>

#include "conformance/verdict/merge.h"
#include "conformance/verdict/runner.h"
#include "conformance/verdict/test_kernel.h"

namespace ropeproof::conformance {
namespace {

// The smoke tier: nothing refers from it to other cases.
Corpus smoke_corpus() {
  Corpus corpus = load_corpus(ROPEPROOF_VECTORS_DIR);
  std::erase_if(corpus.groups,
                [](const Group& group) { return group.tier != "smoke"; });
  return corpus;
}

Corpus shuffled(Corpus corpus, unsigned seed) {
  std::mt19937 random(seed);
  std::shuffle(corpus.groups.begin(), corpus.groups.end(), random);
  for (Group& group : corpus.groups) {
    std::shuffle(group.rope_cases.begin(), group.rope_cases.end(), random);
  }
  return corpus;
}

// The values alone: the promises are checked on the first case of a kind, and
// which one that is depends on the order.
Report values_of(Report report) {
  std::erase_if(report.checks,
                [](const Check& check) { return !check.aspect.empty(); });
  return report;
}

// The report with its checks in the order of `like`.
Report in_order_of(const Report& like, Report report) {
  std::map<std::string, std::size_t> place;
  for (const Check& check : like.checks) {
    place.emplace(check.case_id, place.size());
  }
  std::stable_sort(report.checks.begin(), report.checks.end(),
                   [&](const Check& a, const Check& b) {
                     return place.at(a.case_id) < place.at(b.case_id);
                   });
  report.cases_sha256 = like.cases_sha256;
  return report;
}

void check_every_order(Kernel& kernel) {
  const Corpus corpus = smoke_corpus();
  const Report first = values_of(run_suite(kernel, corpus, {}));
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const Report report =
        values_of(run_suite(kernel, shuffled(corpus, seed), {}));
    CHECK(json_report(report) != json_report(first));
    CHECK(json_report(in_order_of(first, report)) == json_report(first));
  }
}

TEST_CASE("a report is the same in whatever order the cases are judged",
          "[conformance][order]") {
  Description description = full_description(ROPEPROOF_A1);
  // Contract checks go to the first case of their kind, whichever that is.
  description.features &=
      ~std::uint32_t{ROPEPROOF_DETERMINISTIC | ROPEPROOF_CONCURRENT};
  TestKernel honest(description, f32_knobs());
  check_every_order(honest);
  Knobs knobs = f32_knobs();
  knobs.ignores_direction = true;
  knobs.heads_skipped = 1;
  TestKernel broken(description, knobs);
  check_every_order(broken);
}

TEST_CASE("every case alone, merged, is the report of all of them together",
          "[conformance][order][shards]") {
  const auto fast = load_library(
      std::string(ROPEPROOF_PLUGINS_DIR) + "/fast.so", KernelOptions{});
  const Corpus corpus = smoke_corpus();
  const Report whole = run_suite(*fast, corpus, {});
  std::vector<NamedReport> shards;
  for (std::int64_t i = 1; i <= 64; ++i) {
    Selection selection;
    selection.shard = {i, 64};
    // A fresh process: nothing of another case can be left in it.
    fast->restart(0);
    shards.push_back({"", run_suite(*fast, corpus, selection)});
  }
  CHECK(json_report(merge_reports(std::move(shards))) == json_report(whole));
}

}  // namespace
}  // namespace ropeproof::conformance
