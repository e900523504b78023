#include "conformance/report/requirement.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "conformance/cases/test_corpus.h"
#include "conformance/check/test_formed.h"
#include "conformance/report/report_reader.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::report {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("a requirement is a level, suffixes and an angle class, in any order",
          "[conformance][report]") {
  const auto is_read = [](const char* text, const char* as) {
    CAPTURE(text);
    CHECK(parse_requirement(text) == as);
  };
  is_read("L1", "L1");
  is_read("L3", "L3");
  is_read("A0", "A0");
  is_read("+M", "+M");
  is_read("L2+D+M", "L2+M+D");
  is_read("A1,L2", "L2,A1");
  is_read("A1,+B+E", "+E+B,A1");
  is_read("rope/f32/half_split/L1,A1/positions>=131072",
          "L1,A1,rope,f32,half_split,positions>=131072");
  is_read("declined<=0,axis_map=interleaved,scaling=yarn,adjoint,interleaved",
          "interleaved,adjoint,scaling=yarn,axis_map=interleaved,declined<=0");
}

TEST_CASE("what is no requirement is refused in one line",
          "[conformance][report]") {
  for (const char* text : {"",
                           ",",
                           "L",
                           "L0",
                           "L4",
                           "A3",
                           "A",
                           "l1",
                           "M",
                           "+",
                           "+X",
                           "L1+",
                           "L1M",
                           "L1+M+M",
                           "L1,L2",
                           "A0,A1",
                           "L1,+M",
                           "L1 ",
                           "L1,",
                           "L1\n",
                           "L11",
                           "f32,f32",
                           "yarn",
                           "positions>=",
                           "positions>=-1",
                           "positions>=8/positions>=9",
                           "declined<=x",
                           "rope//"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH(parse_requirement(text),
                      ContainsSubstring("--require \"") &&
                          ContainsSubstring("expected a level") &&
                          !ContainsSubstring("\n"));
  }
}

Report smoke_of(const plugin::Description& description,
                const check::Shard& shard = {}) {
  wrong::PipelineKernel kernel(description, wrong::exact_pipeline());
  check::Selection selection = check::core();
  selection.tier = cases::Tier::kSmoke;
  selection.shard = shard;
  return check::run_suite(kernel, cases::committed(), selection);
}

int status_of(Report report, const char* required) {
  report.required = parse_requirement(required);
  return exit_status(total(report));
}

TEST_CASE("a claim or level weaker than required does not conform",
          "[conformance][report]") {
  plugin::Description d = wrong::full_description(ROPEPROOF_A1);
  const Report f32 = smoke_of(d);
  REQUIRE(total(f32).level == Level::kL1);
  CHECK(status_of(f32, "L1") == 0);
  CHECK(status_of(f32, "L2") == 1);
  CHECK(status_of(f32, "A1") == 0);
  CHECK(status_of(f32, "A2") == 0);
  CHECK(status_of(f32, "L1,A0") == 1);
  CHECK(status_of(f32, "+B") == 0);

  d.features &= ~std::uint32_t{ROPEPROOF_ADJOINT};
  CHECK(status_of(smoke_of(d), "+B") == 1);
  CHECK(status_of(smoke_of(wrong::full_description(ROPEPROOF_A0)), "L2") == 0);
}

TEST_CASE("what is required and not offered does not conform",
          "[conformance][report]") {
  plugin::Description d = wrong::full_description(ROPEPROOF_A1);
  CHECK(status_of(smoke_of(d), "rope/f32/half_split/L1,A1") == 0);
  CHECK(status_of(smoke_of(d), "positions>=131072,declined<=0") == 0);
  d.max_position = 131071;
  CHECK(status_of(smoke_of(d), "positions>=131071") == 0);
  const auto fault_of = [&](const char* required) {
    Report report = smoke_of(d);
    report.required = parse_requirement(required);
    CHECK(exit_status(total(report)) == 1);
    return total(report).weaker;
  };
  CHECK_THAT(fault_of("positions>=131072"),
             ContainsSubstring("; positions only to 131071"));
  d.dtypes = ROPEPROOF_F32;
  d.pairings = ROPEPROOF_HALF_SPLIT;
  d.features &= ~std::uint32_t{ROPEPROOF_ADJOINT};
  CHECK_THAT(fault_of("f32/bf16/interleaved/adjoint"),
             ContainsSubstring("; does not offer bf16, interleaved, adjoint"));
  check::Check declined;
  declined.verdict = check::Verdict::kDeclined;
  Report report = smoke_of(d);
  report.checks.push_back(declined);
  CHECK(status_of(report, "declined<=1") == 0);
  CHECK(status_of(report, "declined<=0") == 1);
}

TEST_CASE("a claim that says nothing of required positions is not enough",
          "[conformance][report]") {
  plugin::Description d = wrong::full_description(ROPEPROOF_A1);
  d.dtypes = ROPEPROOF_F32;
  d.claims[0].angle_class = ROPEPROOF_A3;
  d.claims[0].angle_dtype = ROPEPROOF_BF16;
  Report report = smoke_of(d);
  report.required = parse_requirement("L1,positions>=131072");
  CHECK_THAT(total(report).weaker,
             ContainsSubstring("its claim says something of positions only"));
}

TEST_CASE("no requirement is met by a kernel with a check that fails",
          "[conformance][report]") {
  Report report = smoke_of(wrong::full_description(ROPEPROOF_A1));
  report.checks.front().verdict = check::Verdict::kFail;
  for (const char* required : {"A1", "L1", "rope/f32", "table=f32", "+B"}) {
    CAPTURE(required);
    report.required = parse_requirement(required);
    CHECK_THAT(text_report(report, 1),
               ContainsSubstring("DOES NOT CONFORM") &&
                   !ContainsSubstring(": holds") &&
                   ContainsSubstring("; what fails meets nothing"));
    CHECK_FALSE(total(report).weaker.empty());
  }
}

TEST_CASE("a table or rounding coarser than required does not conform",
          "[conformance][report]") {
  plugin::Description d = wrong::full_description(ROPEPROOF_A1);
  const auto lacks = [&d](const char* required) {
    Report report = smoke_of(d);
    report.required = parse_requirement(required);
    return total(report).weaker;
  };
  CHECK(lacks("table=f32") == "");
  CHECK(lacks("rounding=once") == "");
  for (ropeproof_claim& claim : d.claims) claim.table_dtype = ROPEPROOF_BF16;
  CHECK_THAT(lacks("table=f32"), ContainsSubstring("cos and sin in bf16"));
  CHECK_THAT(lacks("table=f16"), ContainsSubstring("cos and sin in bf16"));
  CHECK(lacks("table=bf16") == "");
  for (ropeproof_claim& claim : d.claims) {
    claim.rounding = ROPEPROOF_ROUND_EACH;
  }
  CHECK_THAT(lacks("rounding=once"), ContainsSubstring("rounding each"));
  CHECK(lacks("rounding=each") == "");
}

TEST_CASE("of claims that differ by dtype the weakest counts",
          "[conformance][report]") {
  plugin::Description d = wrong::full_description(ROPEPROOF_A0);
  ropeproof_claim weak = d.claims[0];
  weak.dtypes = ROPEPROOF_BF16;
  weak.angle_class = ROPEPROOF_A2;
  d.claims.insert(d.claims.begin(), weak);
  const Report report = smoke_of(d);
  CHECK(status_of(report, "A2") == 0);
  CHECK(status_of(report, "A1") == 1);
  CHECK(status_of(report, "L2") == 1);
}

TEST_CASE("a part of a tier falls short of a level, a shard not yet",
          "[conformance][report]") {
  const plugin::Description d = wrong::full_description(ROPEPROOF_A1);
  CHECK(status_of(smoke_of(d, {2, 8}), "L3") == 0);
  CHECK(status_of(smoke_of(d, {2, 8}), "A0") == 1);
  Report part = smoke_of(d);
  part.is_whole_tier = false;
  CHECK(status_of(part, "L1") == 1);
  CHECK(status_of(part, "A1") == 0);
  part.checks.clear();
  CHECK(status_of(part, "L1") == 2);
}

TEST_CASE("every report says what is required and what there is",
          "[conformance][report]") {
  Report report = smoke_of(wrong::full_description(ROPEPROOF_A1));
  const std::string stated = conformance_statement(report, total(report));
  CHECK_THAT(stated, ContainsSubstring("level L1"));
  report.required = "L2+M,A0";
  const std::string text = text_report(report, 1);
  CHECK_THAT(text,
             ContainsSubstring("DOES NOT CONFORM  level L1") &&
                 ContainsSubstring("required L2+M,A0: there is level L1") &&
                 ContainsSubstring("+M needs validates"));
  CHECK(conformance_statement(report, total(report)).empty());
  const std::string json = json_report(report);
  CHECK_THAT(json,
             ContainsSubstring(R"("required": "L2+M,A0")") &&
                 ContainsSubstring(R"("weaker_than_required": "level L1)"));
  CHECK(json_report(read_report(json, "a.json")) == json);
  CHECK_THAT(
      junit_report(report),
      ContainsSubstring(R"(<testcase classname="required" name="L2+M,A0">)") &&
          ContainsSubstring(R"(<failure message="there is level L1)"));
  report.required = "L1";
  CHECK_THAT(text_report(report, 1), ContainsSubstring("required L1: holds"));
  CHECK(conformance_statement(report, total(report)) == stated);
  report.waivers = {{{"smoke-*", "test", "known", "https://example.org/7",
                      parse_date("2027-03-31")},
                     {},
                     true}};
  CHECK_THAT(junit_report(report), ContainsSubstring("EXPIRED: ended on"));
}

TEST_CASE("of a description that is kept which is required",
          "[conformance][report]") {
  plugin::Description all = wrong::full_description(ROPEPROOF_A1);
  all.scalings = ROPEPROOF_YARN | ROPEPROOF_LLAMA3;
  all.features |= ROPEPROOF_VALIDATES | ROPEPROOF_DETERMINISTIC;
  const auto kept = [&](const std::string& required,
                        const Judged& judged = {}) {
    plugin::Description d = all;
    keep_required(required, judged, d);
    return d;
  };
  // Without operations, as for a profile, it names no scope.
  for (const char* text : {"L1", "L1,A1,declined<=0", "f32,positions>=9"}) {
    CHECK(kept(text).operations == all.operations);
    CHECK(kept(text).dtypes == all.dtypes);
    CHECK(kept(text).max_position == all.max_position);
  }
  const std::string least = "L1,rope,f32,half_split,positions>=4095";
  const plugin::Description d =
      kept(least, {ROPEPROOF_ADJOINT, ROPEPROOF_YARN, 0});
  CHECK(d.operations == ROPEPROOF_ROPE);
  CHECK(d.dtypes == ROPEPROOF_F32);
  CHECK(d.pairings == ROPEPROOF_HALF_SPLIT);
  CHECK(d.features ==
        (ROPEPROOF_ADJOINT | ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_IN_PLACE));
  CHECK(d.scalings == ROPEPROOF_YARN);
  CHECK(d.axis_maps == 0);
  CHECK(d.max_position == 4095);
  CHECK(d.name == all.name);
  // Where a list is left out, everything is judged that is offered.
  CHECK(kept(least).features == all.features);
  CHECK(kept(least).scalings == all.scalings);
  CHECK(kept(least).axis_maps == all.axis_maps);
  // What a suffix asks for is required.
  constexpr std::uint32_t kOfM = ROPEPROOF_STRIDED | ROPEPROOF_VALIDATES;
  const Judged bare{0, 0, ROPEPROOF_AXES_GRID};
  CHECK((kept("L1+M,rope", bare).features & kOfM) == kOfM);
  CHECK((kept("L1+D,rope", bare).features & ROPEPROOF_DETERMINISTIC) != 0);
  // Frequencies of a grid are given.
  CHECK((kept("rope", bare).features & ROPEPROOF_INV_FREQ) != 0);
  // Nothing is added to an offer, and something of it remains.
  plugin::Description few = all;
  few.dtypes = ROPEPROOF_F16;
  few.max_position = 7;
  few.features = ROPEPROOF_IN_PLACE;
  keep_required("rope,f32,half_split,adjoint,positions>=100", {}, few);
  CHECK(few.dtypes == ROPEPROOF_F16);
  CHECK(few.max_position == 7);
  CHECK(few.features == ROPEPROOF_IN_PLACE);
}

}  // namespace
}  // namespace ropeproof::conformance::report
