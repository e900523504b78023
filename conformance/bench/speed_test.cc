#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "conformance/bench/admission.h"
#include "conformance/bench/limits.h"
#include "conformance/bench/measure.h"
#include "conformance/bench/speed_report.h"
#include "conformance/selftest/test_kernel.h"

namespace ropeproof::conformance::bench {
namespace {

using reference::Format;
using reference::Pairing;
using Status = KernelSpeed::Status;

// One round of one run each: what is measured matters to no test.
SpeedOptions hasty() {
  SpeedOptions options;
  options.repetitions = 1;
  options.turns = {0, 1, 0, 1, 1};
  return options;
}

SpeedRow row_named(const std::string& name) {
  for (const SpeedRow& row : speed_rows()) {
    if (row.name() == name) return row;
  }
  FAIL("no row " << name);
  return {};
}

SpeedKernel with_knobs(selftest::Knobs knobs, std::uint32_t angle_class) {
  const plugin::Description description =
      selftest::full_description(angle_class);
  const auto kernel =
      std::make_shared<selftest::TestKernel>(description, std::move(knobs));
  return {description, [kernel](const ropeproof_problem& p) {
            return kernel->run(p).outcome == plugin::Outcome::kOk
                       ? ROPEPROOF_OK
                       : ROPEPROOF_INVALID;
          }};
}

SpeedKernel plain() { return {plain_description(), plain_run}; }

KernelSpeed speed_of(const SpeedKernel& kernel, const SpeedRow& row) {
  return measure(row, {&kernel, 1}, hasty()).kernels.at(0);
}

TEST_CASE("the rows are those that the documentation promises", "[speed]") {
  std::set<std::string> names;
  for (const SpeedRow& row : speed_rows()) names.insert(row.name());
  CHECK(names.size() == 2 * 3 * 2 * 3 * 4 + 1);
  CHECK(names.size() == speed_rows().size());
  CHECK(names.contains("rope/bf16/interleaved/64of128/4096"));

  // 40 heads of 128 f32, read and written; 131,072 x 64 x {cos, sin}, written.
  CHECK(row_named("rotate/f32/half_split/128/1").bytes() == 2 * 40 * 128 * 4);
  CHECK(row_named("rotate/f16/half_split/64of128/512").bytes() ==
        2 * 512 * 40 * 64 * 2);
  CHECK(row_named("table/f32/128/131072").bytes() == 131072 * 128 * 4);
}

TEST_CASE("what a kernel does not declare is unsupported and never called",
          "[speed]") {
  int calls = 0;
  const auto lacking = [&](auto change) {
    SpeedKernel kernel{selftest::full_description(ROPEPROOF_A0),
                       [&](const ropeproof_problem&) {
                         ++calls;
                         return ROPEPROOF_OK;
                       }};
    change(kernel.description);
    return kernel;
  };
  const struct {
    std::string row, reason;
    SpeedKernel kernel;
  } cases[] = {
      {"rope/f16/half_split/128/1", "dtype f16",
       lacking([](plugin::Description& d) { d.dtypes = ROPEPROOF_F32; })},
      {"rope/f32/interleaved/128/1", "pairing interleaved",
       lacking(
           [](plugin::Description& d) { d.pairings = ROPEPROOF_HALF_SPLIT; })},
      {"rope/f32/half_split/64of128/1", "rotary_dim < head_dim",
       lacking(
           [](plugin::Description& d) { d.features ^= ROPEPROOF_PARTIAL; })},
      {"rotate/f32/half_split/128/1", "operation rotate",
       lacking([](plugin::Description& d) { d.operations = ROPEPROOF_ROPE; })},
      {"rope/f32/half_split/64/4096", "positions above 2048",
       lacking([](plugin::Description& d) { d.max_position = 2048; })},
      {"table/f32/128/131072", "table in f32",
       lacking([](plugin::Description& d) { d.table_dtype = ROPEPROOF_BF16; })},
  };
  for (const auto& c : cases) {
    const KernelSpeed speed = speed_of(c.kernel, row_named(c.row));
    CAPTURE(c.row);
    CHECK(speed.status == Status::kUnsupported);
    CHECK(speed.reason == c.reason);
    CHECK(speed.ns_per_token == 0);
  }
  CHECK(calls == 0);
}

TEST_CASE("right kernels are measured: plain C++ in every row of one token",
          "[speed]") {
  for (const SpeedRow& row : speed_rows()) {
    if (row.tokens > 1 && row.name() != "rope/f32/half_split/64/512") continue;
    const KernelSpeed speed = speed_of(plain(), row);
    CAPTURE(row.name(), speed.reason);
    CHECK(speed.status == Status::kMeasured);
    CHECK(speed.ns_per_token > 0);
    CHECK(speed.worst > 0);
    CHECK(speed.worst <= 1);
    CHECK(*speed.of_first == 1);
  }
}

TEST_CASE("right kernels are measured in place, out of place, q apart from k",
          "[speed]") {
  const SpeedRow row = row_named("rotate/bf16/interleaved/64of128/1");
  const std::uint32_t features[] = {0, ROPEPROOF_IN_PLACE,
                                    ROPEPROOF_OUT_OF_PLACE, ROPEPROOF_KEYS};
  for (const std::uint32_t lacking : features) {
    SpeedKernel kernel = with_knobs(selftest::exact_knobs(), ROPEPROOF_A0);
    kernel.description.features &= ~lacking;
    const KernelSpeed speed = speed_of(kernel, row);
    CAPTURE(lacking, speed.reason);
    CHECK(speed.status == Status::kMeasured);
    CHECK(speed.is_in_place == (lacking != ROPEPROOF_IN_PLACE));
  }
}

TEST_CASE("work that was not done, or done wrong, has no figures", "[speed]") {
  const auto run = plain_run;
  const SpeedKernel honest = plain();
  const auto cheating = [&](auto cheat) {
    return SpeedKernel{honest.description, cheat};
  };
  int calls = 0;
  const struct {
    std::string what, row;
    SpeedKernel kernel;
  } cases[] = {
      {"does nothing", "rope/f32/half_split/128/1",
       cheating([](const ropeproof_problem&) { return ROPEPROOF_OK; })},
      {"does nothing", "table/f32/128/131072",
       cheating([](const ropeproof_problem&) { return ROPEPROOF_OK; })},
      {"leaves out the last token", "rope/f32/half_split/64/512",
       cheating([&](ropeproof_problem p) {
         --p.seq;
         return run(p);
       })},
      {"leaves out k", "rotate/f16/interleaved/64/1",
       cheating([&](ropeproof_problem p) {
         p.k.heads = 0;
         return run(p);
       })},
      {"turns twice as far", "rotate/bf16/half_split/256/1",
       cheating([&](const ropeproof_problem& p) {
         run(p);
         return run(p);
       })},
      {"is right once only", "rope/f32/half_split/128/1",
       cheating([&](const ropeproof_problem& p) {
         return calls++ == 0 ? run(p) : ROPEPROOF_OK;
       })},
      {"takes its neighbour's position", "rope/f32/half_split/64of128/1",
       cheating([&](ropeproof_problem p) {
         const std::int64_t position = p.positions[0] + 1;
         p.positions = &position;
         return run(p);
       })},
      {"does its work and calls it invalid", "rope/f32/half_split/128/1",
       cheating([&](const ropeproof_problem& p) {
         run(p);
         return ROPEPROOF_INVALID;
       })},
      {"refuses", "rope/f32/half_split/128/1",
       cheating([](const ropeproof_problem&) { return ROPEPROOF_INVALID; })},
  };
  for (const auto& c : cases) {
    const KernelSpeed speed = speed_of(c.kernel, row_named(c.row));
    CAPTURE(c.what, c.row);
    CHECK(speed.status == Status::kWrong);
    CHECK_FALSE(speed.reason.empty());
    CHECK(speed.ns_per_token == 0);
    CHECK(speed.of_touch == 0);
  }
}

TEST_CASE("a kernel that is wrong does not disturb those beside it",
          "[speed]") {
  const SpeedKernel kernels[] = {
      {plain_description(),
       [](const ropeproof_problem& p) {
         const int nan = 0xff;
         std::memset(p.q.out, nan, static_cast<std::size_t>(p.head_dim));
         return ROPEPROOF_OK;
       }},
      plain(),
      with_knobs(selftest::exact_knobs(), ROPEPROOF_A0)};
  const RowSpeed speed =
      measure(row_named("rope/f32/half_split/128/1"), kernels, hasty());
  CHECK(speed.is_measured());
  CHECK(speed.kernels[0].status == Status::kWrong);
  for (const std::size_t i : {1u, 2u}) {
    CHECK(speed.kernels[i].status == Status::kMeasured);
    CHECK_FALSE(speed.kernels[i].of_first);  // the first has no time
  }
}

cases::Corpus corpus() { return cases::load_corpus(ROPEPROOF_VECTORS_DIR); }

TEST_CASE("a kernel that fails the smoke tier is refused, by its first case",
          "[speed]") {
  selftest::Knobs knobs = selftest::f32_knobs();
  knobs.ignores_direction = true;
  selftest::TestKernel kernel(selftest::full_description(ROPEPROOF_A1), knobs);
  const Admission admission = admit(kernel, corpus());
  CHECK(admission.failing_case.starts_with("smoke-"));
  CHECK(admission.refusal.find(": " + admission.failing_case + ", r") !=
        std::string::npos);
  CHECK(admission.refusal.ends_with(": FAIL"));
  CHECK(admission.level.empty());
}

TEST_CASE("a kernel none of which is judged is refused", "[speed]") {
  plugin::Description description = selftest::full_description(ROPEPROOF_A1);
  description.operations = ROPEPROOF_ROPE;
  description.dtypes = ROPEPROOF_F64;
  description.pairings = ROPEPROOF_NESTED_HALF_SPLIT;
  selftest::TestKernel kernel(description, selftest::f32_knobs());
  CHECK(admit(kernel, corpus()).refusal == "nothing of it is judged");
}

// Figures as wide as they come.
RowSpeed some_speed() {
  RowSpeed speed{row_named("rotate/bf16/interleaved/64of128/4096"),
                 12345.6,
                 99999.9,
                 123456.7,
                 {}};
  speed.kernels.resize(3);
  speed.kernels[0] = {Status::kMeasured,
                      "",
                      false,
                      1234567.8,
                      1234.5,
                      0.001,
                      999999,
                      123.4,
                      1,
                      0.5};
  speed.kernels[1].status = Status::kUnsupported;
  speed.kernels[1].reason = "pairing interleaved";
  speed.kernels[2].status = Status::kWrong;
  speed.kernels[2].reason = std::string(150, 'x');
  return speed;
}

std::vector<SpeedEntry> some_entries() {
  return {{"a-kernel-with-a-long-name",
           "20.10.30-rc1",
           "--lib ./a.so",
           {"", "", "L3+E+M+D+B", "A0", "A0"}},
          {"b", "1", "--lib ./b.so", {"", "", "L1", "A1", "none"}},
          {"b (2)", "1", "--lib ./c.so", {"", "", "none", "A1", "A1"}}};
}

TEST_CASE("the table fits into 100 columns", "[speed]") {
  const auto entries = some_entries();
  const RowSpeed speed = some_speed();
  std::istringstream text(speed_heading(entries) + speed_group(speed.row) +
                          speed_group(row_named("table/f32/128/131072")) +
                          speed_lines(speed, entries));
  std::size_t lines = 0;
  for (std::string line; std::getline(text, line); ++lines) {
    CAPTURE(line);
    CHECK(line.size() <= 100);
  }
  CHECK(lines > 10);
}

TEST_CASE("figures are words and numbers in the JSON document", "[speed]") {
  const auto json = nlohmann::json::parse(
      speed_json("0.1.0", 3, some_entries(), {some_speed()}));
  CHECK(json["format"] == kSpeedFormat);
  CHECK(json["kernels"][1]["level"] == "L1");
  const auto& row = json["rows"][0];
  CHECK(row["row"] == "rotate/bf16/interleaved/64of128/4096");
  CHECK(row["ns_per_token"]["touch"] == 12345.6);
  CHECK(row["kernels"][0]["of_first"] == 1);
  CHECK(row["kernels"][0]["in_place"] == false);
  CHECK(row["kernels"][1]["status"] == "unsupported");
  CHECK(row["kernels"][2]["status"] == "wrong");
  CHECK_FALSE(row["kernels"][2].contains("ns_per_token"));
}

}  // namespace
}  // namespace ropeproof::conformance::bench
