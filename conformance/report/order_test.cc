// A verdict depends on nothing but the kernel and the case.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <random>

#include "conformance/cases/test_corpus.h"
#include "conformance/check/runner.h"
#include "conformance/diagnosis/knob_kernel.h"
#include "conformance/report/merge.h"

namespace ropeproof::conformance::report {
namespace {

// The smoke tier: nothing refers from it to other cases.
cases::Corpus smoke_corpus() {
  cases::Corpus corpus = cases::committed();
  std::erase_if(corpus.groups, [](const cases::Group& group) {
    return group.tier != "smoke";
  });
  return corpus;
}

cases::Corpus shuffled(cases::Corpus corpus, unsigned seed) {
  std::mt19937 random(seed);
  std::shuffle(corpus.groups.begin(), corpus.groups.end(), random);
  for (cases::Group& group : corpus.groups) {
    std::shuffle(group.rope_cases.begin(), group.rope_cases.end(), random);
  }
  return corpus;
}

// The report with its checks in the order of `like`.
Report in_order_of(const Report& like, Report report) {
  std::map<std::string, std::size_t> place;
  for (const check::Check& check : like.checks) {
    place.emplace(check.case_id, place.size());
  }
  std::stable_sort(report.checks.begin(), report.checks.end(),
                   [&](const check::Check& a, const check::Check& b) {
                     return place.at(a.case_id) < place.at(b.case_id);
                   });
  report.cases_sha256 = like.cases_sha256;
  return report;
}

void check_every_order(plugin::Kernel& kernel) {
  const cases::Corpus& corpus = cases::committed();
  // The contract is checked on the first case of a kind, whichever that is.
  check::Selection values;
  values.values_only = true;
  const Report first = check::run_suite(kernel, corpus, values);
  for (unsigned seed = 1; seed <= 2; ++seed) {
    const Report report =
        check::run_suite(kernel, shuffled(corpus, seed), values);
    CHECK(json_report(report) != json_report(first));
    CHECK(json_report(in_order_of(first, report)) == json_report(first));
  }
}

TEST_CASE("a report is the same in whatever order the cases are judged",
          "[conformance][order]") {
  const plugin::Description description =
      diagnosis::full_description(ROPEPROOF_A1);
  diagnosis::KnobKernel honest(description, diagnosis::f32_knobs());
  check_every_order(honest);
  diagnosis::Knobs knobs = diagnosis::f32_knobs();
  knobs.ignores_direction = true;
  knobs.leaves = [](const auto& p, const auto& i) {
    return i.head == (i.is_key ? p.k : p.q).heads - 1;
  };
  diagnosis::KnobKernel broken(description, knobs);
  check_every_order(broken);
}

TEST_CASE("every case alone, merged, is the report of all of them together",
          "[conformance][order][shards]") {
  const auto fast = plugin::load_library(
      std::string(ROPEPROOF_PLUGINS_DIR) + "/fast.so", plugin::KernelOptions{});
  const cases::Corpus corpus = smoke_corpus();
  const Report whole = check::run_suite(*fast, corpus, {});
  std::vector<NamedReport> shards;
  for (std::int64_t i = 1; i <= 64; ++i) {
    check::Selection selection;
    selection.shard = {i, 64};
    // A fresh process: nothing of another case can be left in it.
    fast->restart(0);
    shards.push_back({"", check::run_suite(*fast, corpus, selection)});
  }
  CHECK(json_report(merge_reports(std::move(shards))) == json_report(whole));
}

}  // namespace
}  // namespace ropeproof::conformance::report
