#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <memory>
#include <optional>
#include <sstream>
#include <vector>

#include "conformance/bench/limits.h"
#include "conformance/bench/speed_report.h"
#include "conformance/bench/workload.h"
#include "conformance/cases/test_corpus.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::bench {
namespace {

using cases::committed;
using reference::Format;
using Status = KernelSpeed::Status;

// One round of one run each: what is measured matters to no test.
const Options kHasty{.repetitions = 1, .schedule = {0, 1, 0, 1, 1}};

Row row_named(const std::string& name) {
  for (const Row& row : all_rows()) {
    if (row.name == name) return row;
  }
  FAIL("no row " << name);
  return {};
}

// A kernel that offers everything.
TimedKernel exact(std::uint32_t lacking = 0) {
  plugin::Description description = wrong::full_description(ROPEPROOF_A0);
  description.features &= ~lacking;
  const auto kernel = std::make_shared<wrong::PipelineKernel>(
      description, wrong::exact_pipeline());
  return {description, [kernel](const ropeproof_problem& p) {
            return kernel->run(p).outcome == plugin::Outcome::kOk
                       ? ROPEPROOF_OK
                       : ROPEPROOF_INVALID;
          }};
}

using Run = std::function<std::int32_t(ropeproof_problem)>;
TimedKernel plain(const Run& run = plain_run) {
  return {plain_description(), run};
}

KernelSpeed speed_of(const TimedKernel& kernel, const Row& row) {
  return measure(row, {&kernel, 1}, kHasty).kernels.at(0);
}

TEST_CASE("a row counts the bytes that are read and those that are written",
          "[bench]") {
  CHECK(row_named("rotate/f16/half_split/64of128/512").bytes() ==
        2 * 512 * 40 * 64 * 2);
  CHECK(row_named("table/f32/128/131072").bytes() == 131072 * 128 * 4);
}

TEST_CASE("what a kernel does not declare is unsupported and never called",
          "[bench]") {
  TimedKernel kernel = plain([](const ropeproof_problem&) {
    FAIL("called");
    return ROPEPROOF_OK;
  });
  kernel.description.dtypes = ROPEPROOF_F32;
  kernel.description.claims[0].table_dtype = ROPEPROOF_BF16;
  kernel.shares_memory = false;
  for (const auto& [row, reason] :
       {std::pair("rope/f16/half_split/128/1", "dtype f16"),
        std::pair("table/f32/128/4096", "table in f32"),
        std::pair("rotate/f32/half_split/128/1/2threads",
                  "threads of this process")}) {
    const KernelSpeed speed = speed_of(kernel, row_named(row));
    CHECK(speed.status == Status::kUnsupported);
    CHECK(speed.reason == reason);
  }
}

TEST_CASE("right kernels are measured, in every row of one token", "[bench]") {
  std::vector<Row> rows = all_rows();
  std::erase_if(rows, [](const Row& row) {
    return row.problem.seq > 1 && row.name != "rope/f32/half_split/64/512";
  });
  const auto layout =
      reference::leading(64, 64, reference::Pairing::kHalfSplit);
  rows.push_back(make_row(ROPEPROOF_ROTATE, Format::kF32, layout, 5, true));
  rows.push_back(
      make_row(ROPEPROOF_ROTATE, Format::kBF16, layout, 5, false, 2));
  for (const Row& row : rows) {
    const TimedKernel kernels[] = {plain(), exact(), exact(ROPEPROOF_IN_PLACE),
                                   exact(ROPEPROOF_KEYS)};
    const RowSpeed speed = measure(row, kernels, kHasty);
    CHECK(speed.kernels[0].status ==
          (row.is_head_major() ? Status::kUnsupported : Status::kMeasured));
    for (const KernelSpeed& one : speed.kernels) {
      CAPTURE(row.name, one.reason);
      if (one.status == Status::kUnsupported) continue;
      CHECK(one.status == Status::kMeasured);
      CHECK(one.is_in_place == (&one != &speed.kernels[2]));
      CHECK(one.worst <= 1);
      CHECK(one.figures.ns_per_token > 0);
      CHECK(one.figures.of_one_thread.has_value() == (row.threads > 1));
    }
  }
}

TEST_CASE("work that was not done, or done wrong, has no figures", "[bench]") {
  int calls = 0;
  const struct {
    std::string what, row;
    Run cheat;
  } cases[] = {
      {"does nothing", "rope/f32/half_split/128/1",
       [](const auto&) { return ROPEPROOF_OK; }},
      {"does nothing", "table/f32/128/4096",
       [](const auto&) { return ROPEPROOF_OK; }},
      {"leaves out the last token", "rope/f32/half_split/64/512",
       [](ropeproof_problem p) {
         --p.seq;
         return plain_run(p);
       }},
      {"leaves out k", "rotate/f16/interleaved/64/1",
       [](ropeproof_problem p) {
         p.k.heads = 0;
         return plain_run(p);
       }},
      {"rotates twice as far", "rotate/bf16/half_split/256/1",
       [](const auto& p) {
         plain_run(p);
         return plain_run(p);
       }},
      {"is right once only", "rope/f32/half_split/128/1",
       [&](const auto& p) {
         return calls++ == 0 ? plain_run(p) : ROPEPROOF_OK;
       }},
      {"does its work and calls it invalid", "rope/f32/half_split/128/1",
       [](const auto& p) {
         plain_run(p);
         return ROPEPROOF_INVALID;
       }},
  };
  for (const auto& c : cases) {
    CAPTURE(c.what, c.row);
    const TimedKernel kernels[] = {plain(c.cheat), plain()};
    const RowSpeed speed = measure(row_named(c.row), kernels, kHasty);
    CHECK(speed.kernels[0].status == Status::kWrong);
    CHECK_FALSE(speed.kernels[0].reason.empty());
    CHECK(speed.kernels[0].figures.ns_per_token == 0);
    CHECK(speed.kernels[1].status == Status::kMeasured);
    CHECK_FALSE(speed.kernels[1].figures.of_first);  // the first has no time
  }
}

TEST_CASE("a kernel that skips calls that it has seen is found by its speed",
          "[bench]") {
  std::optional<float> seen;
  const TimedKernel skipping = plain([&](const ropeproof_problem& p) {
    const auto* cos = static_cast<float*>(p.cos);
    if (seen != cos[1]) plain_run(p);
    seen = cos[1];
    return ROPEPROOF_OK;
  });
  const Options options{.repetitions = 2, .schedule = {0, 1, 0, 9, 9}};
  const KernelSpeed speed =
      measure(row_named("table/f32/128/4096"), {&skipping, 1}, options)
          .kernels.at(0);
  CHECK(speed.status == Status::kWrong);
  CHECK(speed.reason.starts_with("faster than memory"));
}

// Rotates those heads of q whose numbers are not those of the last call.
std::int32_t rotate_what_is_new(const Run& run, const ropeproof_problem& all,
                                std::size_t width,
                                std::vector<std::byte>& seen) {
  const auto head = static_cast<std::size_t>(all.head_dim) * width;
  const auto* const in = static_cast<const std::byte*>(all.q.in);
  seen.resize(head * static_cast<std::size_t>(all.seq * all.q.heads));
  for (std::int64_t i = 0; i < all.seq * all.q.heads; ++i) {
    const std::size_t at = static_cast<std::size_t>(i) * head;
    if (std::memcmp(in + at, &seen[at], head) == 0) continue;
    const std::int64_t token = i / all.q.heads;
    const auto row = static_cast<std::size_t>(token * all.table_token_stride) *
                     plugin::bytes_of(plugin::format_of(all.table_dtype));
    ropeproof_problem one = all;
    one.seq = one.q.heads = 1;
    one.k.heads = 0;
    if (one.positions != nullptr) one.positions += token;
    one.q.in = in + at;
    one.q.out = static_cast<std::byte*>(all.q.out) + at;
    if (one.cos != nullptr) {
      one.cos = static_cast<std::byte*>(all.cos) + row;
      one.sin = static_cast<std::byte*>(all.sin) + row;
    }
    run(one);
  }
  std::memcpy(seen.data(), in, seen.size());
  ropeproof_problem keys = all;
  keys.q = all.k;
  keys.k.heads = 0;
  return run(keys);
}

TEST_CASE("what is changed before a call is judged after it", "[bench]") {
  const auto leaves_out_a_head = [](ropeproof_problem p) {
    (p.q.heads > 0 ? p.q : p.k).heads -= 1;
    return plain_run(p);
  };
  const auto leaves_out_the_last_token = [](ropeproof_problem p) {
    --p.seq;
    return plain_run(p);
  };
  for (const char* name :
       {"rope/f32/half_split/64/16", "rope/f16/interleaved/128/1",
        "rotate/bf16/half_split/64of128/16", "table/f32/128/4096"}) {
    CAPTURE(name);
    const Row row = row_named(name);
    for (const std::uint32_t lacking : {0u, ROPEPROOF_IN_PLACE + 0u}) {
      const TimedKernel right = exact(lacking);
      Workload work(row);
      // How many of so many calls are not right.
      const auto wrong_calls = [&](const Run& run, int calls) {
        int wrong = 0;
        for (int i = 0; i < calls; ++i) {
          work.change(right.description);
          for (const auto& p : work.problems(right.description)) run(p);
          wrong += work.judge_changed(right.description) ? 1 : 0;
        }
        return wrong;
      };
      constexpr int kCalls = 40;
      CHECK(wrong_calls(right.run, kCalls) == 0);
      const auto nothing = [](const auto&) { return ROPEPROOF_OK; };
      // At position 0 what was rotated in place is what was there.
      CHECK(wrong_calls(nothing, kCalls) > kCalls / 2);
      std::vector<std::byte> seen;
      const auto what_is_new = [&](const ropeproof_problem& p) {
        return rotate_what_is_new(right.run, p, row.element_bytes(), seen);
      };
      if (!row.is_table()) CHECK(wrong_calls(what_is_new, kCalls) > 2);
      work.refresh();
      CHECK(wrong_calls(right.run, kCalls) == 0);
      if (lacking != 0 || row.is_table()) continue;  // as plain C++ rotates
      constexpr int kMany = 2000;
      CHECK(wrong_calls(leaves_out_a_head, kMany) > 0);
      CHECK(wrong_calls(leaves_out_the_last_token, kMany) > 0);
    }
  }
}

TEST_CASE("a kernel is judged in the dtypes that are asked for alone",
          "[bench]") {
  wrong::Pipeline pipeline = wrong::exact_pipeline();
  pipeline.misread = [](ropeproof_problem& p) {
    if (p.dtype != ROPEPROOF_F32) p.direction = -p.direction;
  };
  plugin::Description description = wrong::full_description(ROPEPROOF_A0);
  wrong::PipelineKernel kernel(description, pipeline);
  const Admission f32 = admit(kernel, committed(), {Format::kF32});
  CHECK(f32.refusal == "");
  CHECK(f32.found_class == "A0");
  CHECK(admit(kernel, committed(), {Format::kF32, Format::kBF16})
            .refusal.starts_with("it fails the smoke tier: "));
  // Smoke asks nothing in f16.
  CHECK(admit(kernel, committed(), {Format::kF16})
            .refusal.starts_with("it fails the core tier: "));
  description.operations = ROPEPROOF_ROPE;
  description.dtypes = ROPEPROOF_F64;
  wrong::PipelineKernel other(description, pipeline);
  CHECK(admit(other, committed(), {Format::kF32}).refusal ==
        "nothing of it is judged");
}

TEST_CASE("the table fits into 100 columns", "[bench]") {
  const Figures widest{1234567.8, 1234.5, 0.001, 123.4, 1, 999999};
  RowSpeed speed{row_named("rotate/bf16/interleaved/64of128/4096"),
                 {{"touch", widest}, {"fmt ahead", widest}},
                 "fmt ahead",
                 1234567.8,
                 {{.is_in_place = false, .figures = widest},
                  {.status = Status::kUnsupported, .reason = "no"},
                  {.status = Status::kWrong, .reason = std::string(150, 'x')}}};
  plugin::Description long_version = plain_description();
  long_version.version = "20.10.30-rc1";
  std::vector<Entry> entries = {
      {"twelve-chars", long_version, "--lib a", {"", "", "L3+E+M+D+B", "A0"}},
      {"b", plain_description(), "--lib ./b.so", {"", "", "L1", "none"}},
      {"b (2)", plain_description(), "--lib ./c.so", {"", "", "none", "A1"}}};
  std::istringstream text(speed_heading(entries) +
                          speed_group(speed.row, entries) +
                          speed_lines(speed, entries, true));
  std::size_t lines = 0;
  for (std::string line; std::getline(text, line); ++lines) {
    CAPTURE(line);
    CHECK(line.size() <= 100);
  }
  CHECK(lines == 9 + 3 + 5);

  entries[0].label = "a-kernel-with-a-long-name";  // is not cut
  CHECK(speed_lines(speed, entries, false).find(entries[0].label) !=
        std::string::npos);
}

}  // namespace
}  // namespace ropeproof::conformance::bench
