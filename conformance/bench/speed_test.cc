#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "conformance/bench/admission.h"
#include "conformance/bench/limits.h"
#include "conformance/bench/measure.h"
#include "conformance/bench/speed_report.h"
#include "conformance/cases/test_corpus.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::bench {
namespace {

using cases::committed;
using reference::Format;
using reference::Pairing;
using Status = KernelSpeed::Status;

const std::set<Format> kAllDtypes{Format::kF32, Format::kF16, Format::kBF16};

// One round of one run each: what is measured matters to no test.
Options hasty() {
  Options options;
  options.repetitions = 1;
  options.schedule = {0, 1, 0, 1, 1};
  return options;
}

Row row_named(const std::string& name) {
  for (const Row& row : all_rows()) {
    if (row.name() == name) return row;
  }
  FAIL("no row " << name);
  return {};
}

TimedKernel with_pipeline(wrong::Pipeline pipeline, std::uint32_t angle_class) {
  const plugin::Description description = wrong::full_description(angle_class);
  const auto kernel =
      std::make_shared<wrong::PipelineKernel>(description, std::move(pipeline));
  return {description, [kernel](const ropeproof_problem& p) {
            return kernel->run(p).outcome == plugin::Outcome::kOk
                       ? ROPEPROOF_OK
                       : ROPEPROOF_INVALID;
          }};
}

TimedKernel plain() { return {plain_description(), plain_run}; }

KernelSpeed speed_of(const TimedKernel& kernel, const Row& row) {
  return measure(row, {&kernel, 1}, hasty()).kernels.at(0);
}

TEST_CASE("the rows are those that the documentation promises", "[bench]") {
  std::set<std::string> names;
  for (const Row& row : all_rows()) names.insert(row.name());
  CHECK(names.size() == 2 * 3 * 2 * 4 * 4 + 2 + 2 + 4);
  CHECK(names.size() == all_rows().size());
  for (const char* name :
       {"rope/bf16/interleaved/64of128/16", "table/f32/128/4096",
        "rotate/f32/interleaved/128/4096/head_major",
        "rotate/bf16/half_split/128/4096/2threads"}) {
    CHECK(names.contains(name));
  }

  // 40 heads of 128 f32, read and written; 131,072 x 64 x {cos, sin}, written.
  CHECK(row_named("rotate/f32/half_split/128/1").bytes() == 2 * 40 * 128 * 4);
  CHECK(row_named("rotate/f16/half_split/64of128/512").bytes() ==
        2 * 512 * 40 * 64 * 2);
  CHECK(row_named("table/f32/128/131072").bytes() == 131072 * 128 * 4);
}

TEST_CASE("what a kernel does not declare is unsupported and never called",
          "[bench]") {
  int calls = 0;
  const auto lacking = [&](auto change) {
    TimedKernel kernel{wrong::full_description(ROPEPROOF_A0),
                       [&](const ropeproof_problem&) {
                         ++calls;
                         return ROPEPROOF_OK;
                       }};
    change(kernel.description);
    return kernel;
  };
  const struct {
    std::string row, reason;
    TimedKernel kernel;
  } cases[] = {
      {"rope/f16/half_split/128/1", "dtype f16",
       lacking([](auto& d) { d.dtypes = ROPEPROOF_F32; })},
      {"rotate/f32/half_split/128/1", "operation rotate",
       lacking([](auto& d) { d.operations = ROPEPROOF_ROPE; })},
      {"rope/f32/half_split/64/4096", "positions above 2048",
       lacking([](auto& d) { d.max_position = 2048; })},
      {"table/f32/128/131072", "table in f32",
       lacking([](auto& d) { d.claims[0].table_dtype = ROPEPROOF_BF16; })},
  };
  for (const auto& c : cases) {
    const KernelSpeed speed = speed_of(c.kernel, row_named(c.row));
    CAPTURE(c.row);
    CHECK(speed.status == Status::kUnsupported);
    CHECK(speed.reason == c.reason);
    CHECK(speed.figures.ns_per_token == 0);
  }
  CHECK(calls == 0);
}

TEST_CASE("right kernels are measured: plain C++ in every row of one token",
          "[bench]") {
  for (const Row& row : all_rows()) {
    if (row.tokens > 1 && row.name() != "rope/f32/half_split/64/512") continue;
    const KernelSpeed speed = speed_of(plain(), row);
    CAPTURE(row.name(), speed.reason);
    CHECK(speed.status == Status::kMeasured);
    CHECK(speed.figures.ns_per_token > 0);
    CHECK(speed.worst > 0);
    CHECK(speed.worst <= 1);
    CHECK(*speed.figures.of_first == 1);
  }
}

TEST_CASE("heads before tokens, and several threads, are the same work",
          "[bench]") {
  const auto layout = reference::leading(64, 64, Pairing::kInterleaved);
  const Row rows[] = {{ROPEPROOF_ROTATE, Format::kF32, layout, 5, true},
                      {ROPEPROOF_ROTATE, Format::kBF16, layout, 5, false, 2}};
  for (const Row& row : rows) {
    const TimedKernel kernels[] = {
        plain(), with_pipeline(wrong::exact_pipeline(), ROPEPROOF_A0)};
    const RowSpeed speed = measure(row, kernels, hasty());
    const KernelSpeed& other = speed.kernels[1];
    CAPTURE(row.name(), other.reason);
    CHECK(speed.kernels[0].status ==
          (row.is_head_major ? Status::kUnsupported : Status::kMeasured));
    CHECK(other.status == Status::kMeasured);
    CHECK(other.figures.of_one_thread.has_value() == (row.threads > 1));
  }
}

TEST_CASE("right kernels are measured in place, out of place, q apart from k",
          "[bench]") {
  const Row row = row_named("rotate/bf16/interleaved/64of128/1");
  const std::uint32_t features[] = {0, ROPEPROOF_IN_PLACE,
                                    ROPEPROOF_OUT_OF_PLACE, ROPEPROOF_KEYS};
  for (const std::uint32_t lacking : features) {
    TimedKernel kernel = with_pipeline(wrong::exact_pipeline(), ROPEPROOF_A0);
    kernel.description.features &= ~lacking;
    const KernelSpeed speed = speed_of(kernel, row);
    CAPTURE(lacking, speed.reason);
    CHECK(speed.status == Status::kMeasured);
    CHECK(speed.is_in_place == (lacking != ROPEPROOF_IN_PLACE));
  }
}

TEST_CASE("work that was not done, or done wrong, has no figures", "[bench]") {
  const auto run = plain_run;
  const TimedKernel honest = plain();
  const auto cheating = [&](auto cheat) {
    return TimedKernel{honest.description, cheat};
  };
  int calls = 0;
  const struct {
    std::string what, row;
    TimedKernel kernel;
  } cases[] = {
      {"does nothing", "rope/f32/half_split/128/1",
       cheating([](const auto&) { return ROPEPROOF_OK; })},
      {"does nothing", "table/f32/128/131072",
       cheating([](const auto&) { return ROPEPROOF_OK; })},
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
      {"rotates twice as far", "rotate/bf16/half_split/256/1",
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
  };
  for (const auto& c : cases) {
    const KernelSpeed speed = speed_of(c.kernel, row_named(c.row));
    CAPTURE(c.what, c.row);
    CHECK(speed.status == Status::kWrong);
    CHECK_FALSE(speed.reason.empty());
    CHECK(speed.figures.ns_per_token == 0);
    CHECK(speed.figures.of_limit == 0);
  }
}

TEST_CASE("a kernel that is wrong does not disturb those beside it",
          "[bench]") {
  const TimedKernel kernels[] = {
      {plain_description(),
       [](const ropeproof_problem& p) {
         const int nan = 0xff;
         std::memset(p.q.out, nan, static_cast<std::size_t>(p.head_dim));
         return ROPEPROOF_OK;
       }},
      plain(),
      with_pipeline(wrong::exact_pipeline(), ROPEPROOF_A0)};
  const RowSpeed speed =
      measure(row_named("rope/f32/half_split/128/1"), kernels, hasty());
  CHECK(speed.kernels[0].status == Status::kWrong);
  for (const std::size_t i : {1u, 2u}) {
    CHECK(speed.kernels[i].status == Status::kMeasured);
    CHECK_FALSE(speed.kernels[i].figures.of_first);  // the first has no time
  }
}

TEST_CASE("a kernel that skips calls that it has seen is found by its speed",
          "[bench]") {
  std::optional<float> seen;
  const TimedKernel skipping{plain_description(),
                             [&](const ropeproof_problem& p) {
                               const auto* cos = static_cast<float*>(p.cos);
                               if (seen != cos[1]) plain_run(p);
                               seen = cos[1];
                               return ROPEPROOF_OK;
                             }};
  Options options = hasty();
  options.repetitions = 2;
  options.schedule = {0, 1, 0, 9, 9};
  const KernelSpeed speed =
      measure(row_named("table/f32/128/4096"), {&skipping, 1}, options)
          .kernels.at(0);
  CHECK(speed.status == Status::kWrong);
  CHECK(speed.reason.starts_with("faster than memory"));
}

TEST_CASE("where the smoke tier asks nothing, the core tier decides",
          "[bench]") {
  const plugin::Description description = wrong::full_description(ROPEPROOF_A0);
  wrong::PipelineKernel right(description, wrong::exact_pipeline());
  CHECK(admit(right, committed(), {Format::kF16}).refusal.empty());
  wrong::Pipeline pipeline = wrong::exact_pipeline();
  pipeline.ignores_direction = true;
  wrong::PipelineKernel wrong(description, pipeline);
  CHECK(admit(wrong, committed(), {Format::kF16})
            .refusal.starts_with("it fails the core tier: "));
}

TEST_CASE("a kernel none of which is judged is refused", "[bench]") {
  plugin::Description description = wrong::full_description(ROPEPROOF_A1);
  description.operations = ROPEPROOF_ROPE;
  description.dtypes = ROPEPROOF_F64;
  wrong::PipelineKernel kernel(description, wrong::f32_pipeline());
  CHECK(admit(kernel, committed(), {Format::kF32}).refusal ==
        "nothing of it is judged");
}

TEST_CASE("a kernel is judged in the dtypes that are asked for alone",
          "[bench]") {
  wrong::Pipeline pipeline = wrong::exact_pipeline();
  pipeline.misread = [](ropeproof_problem& p) {
    if (p.dtype == ROPEPROOF_BF16) p.direction = -p.direction;
  };
  wrong::PipelineKernel kernel(wrong::full_description(ROPEPROOF_A0), pipeline);
  const Admission f32 = admit(kernel, committed(), {Format::kF32});
  CHECK(f32.refusal.empty());
  CHECK(f32.found_class == "A0");
  CHECK_FALSE(admit(kernel, committed(), {Format::kF32, Format::kBF16})
                  .refusal.empty());
}

RowSpeed some_speed(const Row& row) {
  const Figures widest{1234567.8, 1234.5, 0.001, 123.4, 1, 999999};
  RowSpeed speed{row,
                 {{"touch", widest}, {"fmt ahead", widest}},
                 "fmt ahead",
                 1234567.8,
                 {}};
  speed.kernels.resize(3);
  speed.kernels[0].is_in_place = false;
  speed.kernels[0].figures = widest;
  speed.kernels[1].status = Status::kUnsupported;
  speed.kernels[1].reason = "pairing interleaved";
  speed.kernels[2].status = Status::kWrong;
  speed.kernels[2].reason = std::string(150, 'x');
  return speed;
}

const Row kWideRow = row_named("rotate/bf16/interleaved/64of128/4096");
plugin::Description with_long_version() {
  plugin::Description description = wrong::full_description(ROPEPROOF_A0);
  description.version = "20.10.30-rc1";
  return description;
}

const std::vector<Entry> kEntries = {
    {"twelve-chars",
     with_long_version(),
     "--lib ./a.so",
     {"", "", "L3+E+M+D+B", "A0"}},
    {"b", plain_description(), "--lib ./b.so", {"", "", "L1", "none"}},
    {"b (2)", plain_description(), "--lib ./c.so", {"", "", "none", "A1"}}};

TEST_CASE("the table fits into 100 columns, and long names are not cut",
          "[bench]") {
  const RowSpeed speed = some_speed(kWideRow);
  std::istringstream text(speed_heading(kEntries) +
                          speed_group(kWideRow, kEntries) +
                          speed_lines(speed, kEntries, true));
  std::size_t lines = 0;
  for (std::string line; std::getline(text, line); ++lines) {
    CAPTURE(line);
    CHECK(line.size() <= 100);
  }
  CHECK(lines == 9 + 3 + 5);
  std::vector<Entry> entries = kEntries;
  entries[0].label = "a-kernel-with-a-long-name";
  CHECK(speed_lines(speed, entries, false).find(entries[0].label) !=
        std::string::npos);
}

TEST_CASE("the JSON document has each figure under its own name", "[bench]") {
  const auto row = nlohmann::json::parse(
      speed_json("0.1.0", 3, kEntries, {some_speed(kWideRow)}))["rows"][0];
  CHECK(row["limit"] == "fmt ahead");
  CHECK(row["limits"]["touch"]["ns_per_token"] == 1234567.8);
  const auto& measured = row["kernels"][0];
  CHECK(measured["in_place"] == false);
  CHECK(measured["gb_per_s"] == 1234.5);
  CHECK(measured["of_limit"] == 0.001);
  CHECK(measured["of_plain"] == 123.4);
  CHECK(measured["of_first"] == 1);
  CHECK(measured["of_one_thread"] == 999999);
  const auto& wrong = row["kernels"][2];
  CHECK(wrong["status"] == "wrong");
  CHECK_FALSE(wrong.contains("ns_per_token"));
}

}  // namespace
}  // namespace ropeproof::conformance::bench
