#include "conformance/models/profiles.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <set>

#include "conformance/check/runner.h"
#include "conformance/report/report.h"
#include "conformance/selftest/test_kernel.h"

namespace ropeproof::conformance::models {
namespace {

using Catch::Matchers::ContainsSubstring;
using reference::Format;

const std::filesystem::path kPresets =
    std::filesystem::path(ROPEPROOF_VECTORS_DIR) / "models";

report::Report judge_profile(const std::string& name,
                             const plugin::Description& description,
                             const selftest::Knobs& knobs) {
  cases::Corpus corpus;
  corpus.groups = {proved_profile(find_profile(name), kPresets)};
  check::Selection selection;
  selection.profile = name;
  selection.values_only = true;
  selftest::TestKernel kernel(description, knobs);
  report::Report report = check::run_suite(kernel, corpus, selection);
  report.is_whole_tier = true;
  return report;
}

TEST_CASE(
    "there are profiles of at least 12 models, each with cases of its own",
    "[conformance][profiles]") {
  CHECK(profiles().size() >= 12);
  std::set<std::string> ids;
  std::size_t count = 0;
  for (const Profile& profile : profiles()) {
    CAPTURE(profile.name);
    const cases::Group group = profile_cases(profile, kPresets);
    CHECK(group.rope_cases.size() >= 5);
    for (const cases::RopeCase& c : group.rope_cases) {
      ids.insert(c.id);
      ++count;
      CHECK(c.id.starts_with("profile-" + std::string(profile.name) + "-"));
      CHECK(c.dtype == profile.dtype);
      for (const double p : c.positions) {
        CHECK(p < static_cast<double>(profile.positions));
      }
    }
    CHECK_FALSE(summary(profile, kPresets).empty());
  }
  CHECK(ids.size() == count);
}

TEST_CASE("a profile has the parameters of its model",
          "[conformance][profiles]") {
  const auto spec_of = [](const char* name) {
    return profile_cases(find_profile(name), kPresets).rope_cases[0].spec;
  };
  const auto llama = spec_of("llama3-f32-128k");
  const auto* scaling =
      std::get_if<reference::Llama3>(&llama.frequencies.scaling);
  REQUIRE(scaling != nullptr);
  CHECK(scaling->factor == 8);
  CHECK(llama.frequencies.base == 5e5);
  CHECK(spec_of("deepseek-v3-bf16-160k").layout.rotary_offset == 128);
  CHECK(spec_of("gemma3-local-bf16-32k").frequencies.base == 1e4);
  CHECK(spec_of("gemma3-global-bf16-128k").frequencies.base == 1e6);
  CHECK(spec_of("qwen2-vl-bf16-32k").axes.count == 3);
  CHECK(spec_of("phi2-f16-2k").layout.rotary_dim == 32);
  CHECK(spec_of("llama3-f32-8k-backward").direction ==
        reference::Direction::kAdjoint);
}

TEST_CASE("a profile with a length has the length of each call",
          "[conformance][profiles]") {
  int long_calls = 0, short_calls = 0;
  for (const cases::RopeCase& c :
       profile_cases(find_profile("phi3-longrope-bf16-128k"), kPresets)
           .rope_cases) {
    const auto& scaling =
        std::get<reference::LongRope>(c.spec.frequencies.scaling);
    CHECK(static_cast<double>(scaling.seq_len) ==
          std::ranges::max(c.positions) + 1);
    ++(scaling.seq_len > scaling.original_length ? long_calls : short_calls);
  }
  CHECK(long_calls > 2);
  CHECK(short_calls > 2);
}

TEST_CASE("a profile reaches the last position and crosses powers of two",
          "[conformance][profiles]") {
  const cases::Group group =
      profile_cases(find_profile("llama3-f32-128k"), kPresets);
  std::set<double> positions;
  for (const cases::RopeCase& c : group.rope_cases) {
    positions.insert(c.positions.begin(), c.positions.end());
  }
  for (const double p : {0., 1., 255., 256., 257., 2049., 65535., 131071.}) {
    CAPTURE(p);
    CHECK(positions.contains(p));
  }
}

TEST_CASE("a kernel that does all of a profile conforms and is stated",
          "[conformance][profiles]") {
  report::Report report =
      judge_profile("llama2-f32-4k", selftest::full_description(ROPEPROOF_A1),
                    selftest::f32_knobs());
  report.suite_version = "0.1.0";
  const report::Totals totals = report::total(report);
  CHECK(exit_status(totals) == 0);
  CHECK(conformance_statement(report, totals) ==
        "engine test 1: ropeproof 0.1.0, level L1, profile llama2-f32-4k, "
        "angle A1, 0 waivers");
}

TEST_CASE("what a profile asks for and a kernel lacks does not conform",
          "[conformance][profiles]") {
  plugin::Description description = selftest::full_description(ROPEPROOF_A1);
  description.features &= ~std::uint32_t{ROPEPROOF_PARTIAL};
  const report::Report report =
      judge_profile("phi2-f16-2k", description, selftest::f32_knobs());
  const report::Totals totals = report::total(report);
  CHECK(totals.of(check::Verdict::kPass) == 0);
  CHECK(exit_status(totals) == 1);
  CHECK(conformance_statement(report, totals).empty());
}

TEST_CASE("a kernel that only rotates is judged on that",
          "[conformance][profiles]") {
  plugin::Description description = selftest::full_description(ROPEPROOF_A1);
  description.operations = ROPEPROOF_ROTATE;
  CHECK(exit_status(report::total(judge_profile("vit-2d-f32-64", description,
                                                selftest::f32_knobs()))) == 0);
}

TEST_CASE("half-precision positions fail a profile",
          "[conformance][profiles]") {
  selftest::Knobs knobs = selftest::f32_knobs();
  knobs.angle = [](double p, double theta) {
    return decode(Format::kBF16, encode(Format::kBF16, p)) * theta;
  };
  CHECK(exit_status(report::total(judge_profile(
            "llama2-f32-4k", selftest::full_description(ROPEPROOF_A1),
            knobs))) == 1);
}

TEST_CASE("an unknown profile is named with those there are",
          "[conformance][profiles]") {
  CHECK_THROWS_WITH(
      find_profile("llama9"),
      ContainsSubstring("llama9") && ContainsSubstring("llama3-f32-128k"));
}

}  // namespace
}  // namespace ropeproof::conformance::models
