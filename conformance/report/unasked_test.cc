#include "conformance/report/unasked.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstddef>
#include <cstdlib>

#include "conformance/cases/test_corpus.h"
#include "conformance/check/test_formed.h"
#include "conformance/report/declined.h"
#include "conformance/report/report.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::report {
namespace {

plugin::Description plain() {
  plugin::Description d = wrong::full_description(ROPEPROOF_A0);
  d.operations = ROPEPROOF_ROPE;
  d.dtypes = ROPEPROOF_F32;
  d.pairings = ROPEPROOF_HALF_SPLIT;
  d.features = ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_INV_FREQ;
  d.axis_maps = d.caches = 0;
  d.max_position = 1 << 20;
  return d;
}

// Whether a dense problem of rope has no defect.
bool is_sound(const ropeproof_problem& p) {
  const auto* in = static_cast<const std::byte*>(p.q.in);
  const auto* out = static_cast<const std::byte*>(p.q.out);
  const bool has_tensors =
      p.q.heads <= 0 || (in != nullptr && out != nullptr &&
                         (in == out || std::abs(out - in) >= p.head_dim) &&
                         (p.seq < 2 || p.q.out_token_stride >= p.head_dim));
  return p.batch >= 0 && p.rotary_dim >= 2 && p.rotary_dim % 2 == 0 &&
         p.rotary_offset + p.rotary_dim <= p.head_dim && p.direction != 0 &&
         std::isfinite(p.base) && p.positions != nullptr && has_tensors &&
         (p.inv_freq == nullptr || std::isfinite(p.inv_freq[0]));
}

Report judged(const plugin::Description& d,
              const std::function<bool(const ropeproof_problem&)>& takes = {}) {
  struct Choosy : wrong::PipelineKernel {
    using PipelineKernel::PipelineKernel;
    bool has_supports() const override { return takes != nullptr; }
    plugin::Answer supports(const ropeproof_problem& p) override {
      return {takes(p) ? plugin::Outcome::kOk : plugin::Outcome::kDeclined, ""};
    }
    plugin::Answer run(const ropeproof_problem& p) override {
      const bool validates =
          (description().features & ROPEPROOF_VALIDATES) != 0;
      if (validates && !is_sound(p)) return {plugin::Outcome::kInvalid, ""};
      return PipelineKernel::run(p);
    }
    std::function<bool(const ropeproof_problem&)> takes;
  };
  Choosy kernel(d, wrong::exact_pipeline());
  kernel.takes = takes;
  return check::run_suite(kernel, cases::committed(), {});
}

TEST_CASE("a kernel that is asked for all it declares has nothing unasked",
          "[conformance][report]") {
  plugin::Description d = plain();
  // The kernel takes no call that a committed defect is in.
  d.features |= ROPEPROOF_VALIDATES;
  const Report report = judged(d);
  CHECK(unasked(report).empty());
  CHECK(exit_status(total(report)) == 0);
}

TEST_CASE("what is declared and never judged keeps a level partial",
          "[conformance][report]") {
  plugin::Description d = plain();
  d.max_position = 5;
  const Report few = judged(
      d, [](const ropeproof_problem& p) { return p.head_dim == 1 << 20; });
  CHECK(unasked(few) == std::vector<std::string>{"rope", "f32", "half_split",
                                                 "positions up to 5",
                                                 "out_of_place", "inv_freq"});
  CHECK(exit_status(total(few)) == 2);

  // Without inv_freq the kernel gets parameters; it takes none of YaRN.
  d = plain();
  d.features = ROPEPROOF_OUT_OF_PLACE;
  d.scalings = ROPEPROOF_LINEAR | ROPEPROOF_YARN;
  const Report report = judged(d, [](const ropeproof_problem& p) {
    return p.scaling == nullptr || p.scaling->kind != ROPEPROOF_YARN;
  });
  CHECK(unasked(report) ==
        std::vector<std::string>{"yarn x half_split", "yarn x f32"});
  const Totals totals = total(report);
  CHECK(exit_status(totals) == 6);
  CHECK(conformance_statement(report, totals).empty());
  const std::string text = text_report(report, 1);
  CHECK(text.find("CONFORMS IN PART  level L2") != std::string::npos);
  CHECK(text.find(" (partial: yarn x half_split and 1 more not judged)") !=
        std::string::npos);
  // A policy forgives what it does not demand, and says that it was not judged.
  Report forgiven = report, demanding = report;
  forget_unasked({}, forgiven);
  CHECK(forgiven.kernel.scalings == ROPEPROOF_LINEAR);
  CHECK(exit_status(total(forgiven)) == 0);
  forget_unasked({.scalings = ROPEPROOF_YARN}, demanding);
  CHECK(demanding.kernel.scalings == report.kernel.scalings);
  CHECK(exit_status(total(demanding)) == 6);
  const auto declined = declined_cases(report);
  REQUIRE(declined.size() == 1);
  CHECK(declined[0].words == "scaling is yarn");
}

TEST_CASE(
    "smoke asks each dtype, pairing, direction, axis map, scaling and "
    "feature",
    "[conformance][report]") {
  plugin::Description d = plain();
  d.operations |= ROPEPROOF_PERMUTE;
  d.dtypes |= ROPEPROOF_F16;
  d.pairings |= ROPEPROOF_NESTED_HALF_SPLIT;
  d.features |= ROPEPROOF_ADJOINT;
  d.axis_maps = ROPEPROOF_AXES_SECTIONS;
  d.scalings = ROPEPROOF_YARN;
  wrong::PipelineKernel kernel(d, wrong::exact_pipeline());
  check::Selection smoke = check::core();
  smoke.tier = cases::Tier::kSmoke;
  const Report all = check::run_suite(kernel, cases::committed(), smoke);
  CHECK(unasked(all).empty());
  CHECK(exit_status(total(all)) == 0);

  // Without the arrays nothing is formed.
  smoke.arrays = nullptr;
  const Report few = check::run_suite(kernel, cases::committed(), smoke);
  CHECK(unasked(few) == std::vector<std::string>{
                            "permute", "f16", "nested_half_split", "adjoint",
                            "yarn", "axis map sections", "inv_freq"});
  CHECK(exit_status(total(few)) == 6);
}

TEST_CASE("smoke asks a kernel that only permutes each of its dtypes",
          "[conformance][report]") {
  plugin::Description d = plain();
  d.operations = ROPEPROOF_PERMUTE;
  d.dtypes = ROPEPROOF_F32 | ROPEPROOF_F16 | ROPEPROOF_BF16;
  wrong::PipelineKernel kernel(d, wrong::exact_pipeline());
  check::Selection smoke = check::core();
  smoke.tier = cases::Tier::kSmoke;
  CHECK(unasked(check::run_suite(kernel, cases::committed(), smoke)).empty());

  struct OnlyF32 : wrong::PipelineKernel {
    using PipelineKernel::PipelineKernel;
    bool has_supports() const override { return true; }
    plugin::Answer supports(const ropeproof_problem& p) override {
      return {p.dtype == ROPEPROOF_F32 ? plugin::Outcome::kOk
                                       : plugin::Outcome::kDeclined,
              ""};
    }
  };
  OnlyF32 picky(d, wrong::exact_pipeline());
  CHECK(unasked(check::run_suite(picky, cases::committed(), smoke)) ==
        std::vector<std::string>{"f16", "bf16"});
}

TEST_CASE("of a kernel that only permutes no feature of rotations is wanted",
          "[conformance][report]") {
  plugin::Description d = plain();
  d.operations = ROPEPROOF_PERMUTE;
  d.pairings |= ROPEPROOF_INTERLEAVED;
  d.features = ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_PARTIAL;
  const Report report = judged(d);
  CHECK(unasked(report).empty());
  CHECK(exit_status(total(report)) == 0);
}

TEST_CASE("what is declined inside a profile does not conform",
          "[conformance][report]") {
  plugin::Description d = plain();
  d.features |= ROPEPROOF_PARTIAL;
  Report report =
      judged(d, [](const ropeproof_problem& p) { return p.head_dim % 4 == 0; });
  CHECK(exit_status(total(report)) == 0);
  REQUIRE(declined_cases(report).size() == 1);
  CHECK(declined_cases(report)[0].words == "head_dim is no multiple of 4");
  report.profile = "any";
  CHECK(exit_status(total(report)) == 1);
}

TEST_CASE("positions of a profile that a claim says nothing of are not judged",
          "[conformance][report]") {
  for (const std::uint32_t angle : {ROPEPROOF_A0, ROPEPROOF_A3}) {
    plugin::Description d = plain();
    for (ropeproof_claim& claim : d.claims) {
      claim.angle_class = angle;
      claim.angle_dtype = angle == ROPEPROOF_A3 ? ROPEPROOF_BF16 : 0;
    }
    Report report = judged(d);
    std::erase_if(report.checks,
                  [](const check::Check& check) { return !check.passes(); });
    report.profile = "any";
    const Totals totals = total(report);
    const bool is_told = angle == ROPEPROOF_A0;
    CHECK(exit_status(totals) == (is_told ? 0 : 6));
    if (!is_told) {
      CHECK(totals.unasked == std::vector<std::string>{"positions beyond 2^8"});
    }
  }
}

}  // namespace
}  // namespace ropeproof::conformance::report
