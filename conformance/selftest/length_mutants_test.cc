// Which mistakes of length core-lengths and core-calls notice.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdio>
#include <memory>

#include "conformance/cases/test_corpus.h"
#include "conformance/check/runner.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::selftest {
namespace {

// What a kernel knows of lengths when a call comes.
struct Lengths {
  double call, first_row, trained;
  double kept;  // what a Length said of the call before
};
using Length = double (*)(const Lengths&);

// Computes dynamic NTK and LongRoPE for the length that `length` says.
wrong::Pipeline pipeline_of(Length length) {
  const auto kept = std::make_shared<double>(0);
  wrong::Pipeline pipeline = wrong::exact_pipeline();
  pipeline.misread = [=](const ropeproof_problem& p) {
    if (p.scaling == nullptr) return;
    Lengths lengths{0, 0, p.scaling->original_length, *kept};
    for (std::int64_t b = 0; b < p.batch; ++b) {
      for (std::int64_t s = 0; s < p.seq; ++s) {
        const auto at = p.positions[b * p.position_batch_stride + s];
        const auto own = static_cast<double>(at + 1);
        lengths.call = std::max(lengths.call, own);
        if (b == 0) lengths.first_row = std::max(lengths.first_row, own);
      }
    }
    *kept = length(lengths);
  };
  pipeline.frequency = [=](const ropeproof_problem& p, std::int64_t j) {
    const double theta = wrong::power(p.base, j, p.rotary_dim);
    if (p.scaling == nullptr) return theta;
    const ropeproof_scaling& s = *p.scaling;
    if (s.kind == ROPEPROOF_LONG_ROPE) {
      const bool is_long = *kept > s.original_length;
      return theta / (is_long ? s.long_factor : s.short_factor)[j];
    }
    const double alpha = s.factor * *kept / s.original_length - s.factor + 1;
    const auto exponent =
        static_cast<double>(2 * j) / static_cast<double>(p.rotary_dim - 2);
    return theta * std::pow(alpha, -exponent);
  };
  return pipeline;
}

struct Failures {
  int alone = 0, in_a_row = 0;
};

Failures failures(Length length) {
  plugin::Description description = wrong::full_description(ROPEPROOF_A1);
  description.features &= ~std::uint32_t{ROPEPROOF_INV_FREQ};
  description.scalings = ROPEPROOF_DYNAMIC_NTK | ROPEPROOF_LONG_ROPE;
  wrong::PipelineKernel kernel(description, pipeline_of(length));
  check::Selection selection;
  for (const cases::Group& group : cases::committed().groups) {
    if (group.name != "core-lengths" && group.name != "core-calls") continue;
    cases::for_each_case(
        group, [&](const auto& c) { selection.cases.push_back(c.id); });
  }
  selection.operations = {"rope"};
  Failures found;
  for (const check::Check& check :
       check::run_suite(kernel, cases::committed(), selection).checks) {
    if (check.verdict != check::Verdict::kFail) continue;
    ++(check.case_id.starts_with("core-calls") ? found.in_a_row : found.alone);
  }
  return found;
}

// From the trained length on, as dynamic NTK has it.
double clamped(double length, const Lengths& of) {
  return std::max(length, of.trained);
}

TEST_CASE("mistakes of length fail", "[conformance][core][mutants]") {
  const Failures honest =
      failures([](const Lengths& l) { return clamped(l.call, l); });
  CHECK(honest.alone == 0);
  CHECK(honest.in_a_row == 0);

  struct Row {
    const char* bug;
    Length length;
    bool is_kept = false;  // from call to call
  };
  const Row rows[] = {
      {"that of the first batch row",
       [](const Lengths& l) { return clamped(l.first_row, l); }},
      {"rounded up to a multiple of 64",
       [](const Lengths& l) {
         return clamped(std::ceil(l.call / 64) * 64, l);
       }},
      {"the longest so far",
       [](const Lengths& l) { return clamped(std::max(l.call, l.kept), l); },
       true},
      {"the longest so far, forgotten below the trained length only",
       [](const Lengths& l) {
         if (l.call < l.trained) return l.trained;
         return clamped(std::max(l.call, l.kept), l);
       },
       true}};
  for (const Row& row : rows) {
    CAPTURE(row.bug);
    const Failures found = failures(row.length);
    std::printf("%-62s %3d alone %3d in a row\n", row.bug, found.alone,
                found.in_a_row);
    CHECK(found.alone > 0);
    CHECK((found.in_a_row > 0 || !row.is_kept));
  }
}

}  // namespace
}  // namespace ropeproof::conformance::selftest
