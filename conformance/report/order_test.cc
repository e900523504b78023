// A verdict depends on nothing but the kernel and the case.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <random>

#include "conformance/cases/test_corpus.h"
#include "conformance/check/runner.h"
#include "conformance/report/report.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::report {
namespace {

cases::Corpus shuffled(cases::Corpus corpus) {
  std::mt19937 random(1);
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

TEST_CASE("a report is the same in whatever order the cases are judged",
          "[conformance][order]") {
  wrong::Pipeline pipeline = wrong::f32_pipeline();
  pipeline.ignores_direction = true;
  pipeline.leaves = [](const auto& p, const auto& i) {
    return i.head == (i.is_key ? p.k : p.q).heads - 1;
  };
  wrong::PipelineKernel broken(wrong::full_description(ROPEPROOF_A1), pipeline);
  const cases::Corpus& corpus = cases::committed();
  // The contract is checked on the first case of a kind, whichever that is.
  check::Selection values;
  values.values_only = true;
  const Report first = check::run_suite(broken, corpus, values);
  const Report report = check::run_suite(broken, shuffled(corpus), values);
  CHECK(json_report(report) != json_report(first));
  CHECK(json_report(in_order_of(first, report)) == json_report(first));
}

}  // namespace
}  // namespace ropeproof::conformance::report
