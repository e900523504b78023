// The values of formed cases show what they are there for.
#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <cmath>
#include <functional>
#include <vector>

#include "conformance/call/call.h"
#include "conformance/cases/families/choices.h"
#include "conformance/cases/form_golden.h"
#include "conformance/cover/values.h"
#include "conformance/judge/judge.h"
#include "conformance/judge/pair_bounds.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/test_outcomes.h"
#include "conformance/wrong/pipeline_kernel.h"
#include "reference/rope.h"

namespace ropeproof::conformance::check {
namespace {

using cases::Case;
using cover::Values;
using reference::Format;
using reference::Pairing;
using wrong::Pipeline;

// 384 elements that are rotated, and 24 copies.
Case formed(Format dtype, Pairing pairing, Values values,
            const std::vector<double>& positions = {1, 3, 17, 259},
            double amplitude = 1) {
  Case c;
  c.problem = cases::with_amplitude(
      amplitude, cases::make_problem(dtype, cases::window(34, 32, 1, pairing),
                                     1e4, 1, 4, 3, 0, positions));
  cases::GoldenFormer former(c.problem, reference::best_oracle(),
                             cases::Effort::kCertified);
  fill_values(c.problem, former.tables(), values, 7);
  c.golden = std::move(former).rotate(c.problem);
  return c;
}

plugin::Description description(Format dtype) {
  plugin::Description d = wrong::full_description(ROPEPROOF_A0);
  d.operations = ROPEPROOF_ROPE;
  d.dtypes = plugin::abi_dtype(dtype);
  if (dtype == Format::kF64) d.claims[0].table_dtype = ROPEPROOF_F64;
  return d;
}

Pipeline honest(Format dtype) {
  Pipeline pipeline = wrong::exact_pipeline();
  pipeline.uses_low_part = dtype == Format::kF64;
  pipeline.table = dtype == Format::kF64 ? Format::kF64 : Format::kF32;
  return pipeline;
}

judge::Output output_of(const Case& c, const Pipeline& pipeline) {
  wrong::PipelineKernel kernel(description(c.problem.dtype), pipeline);
  judge::Output output;
  call::Call call(kernel, ROPEPROOF_ROPE, c, pipeline.table);
  REQUIRE(call.run(output).outcome == plugin::Outcome::kOk);
  return output;
}

judge::Measurement judged(const Case& c, const Pipeline& pipeline) {
  return judge::judge(
      c.problem, c.golden, ROPEPROOF_ROPE,
      judge::claim_of(description(c.problem.dtype), c.problem.dtype),
      output_of(c, pipeline));
}

// How many rotated elements are beyond 1.2 bounds.
int count_beyond(const Case& c, const Pipeline& pipeline) {
  const judge::Output output = output_of(c, pipeline);
  const judge::Claim claim =
      judge::claim_of(description(c.problem.dtype), c.problem.dtype);
  judge::PairBounds bounds(c.problem, c.golden, claim, ROPEPROOF_ROPE);
  int count = 0;
  for (std::int64_t row = 0; row < c.problem.tokens() * c.problem.q_heads;
       ++row) {
    const auto at = [&](std::int64_t channel) {
      return static_cast<std::size_t>(row * c.problem.spec.layout.head_dim +
                                      channel);
    };
    const auto& terms = bounds.at(row / c.problem.q_heads);
    for (std::int64_t j = 0; j < c.problem.pairs(); ++j) {
      const reference::Pair from = source_pair(c.problem.spec, j),
                            to = target_pair(c.problem.spec, j);
      const double u = std::abs(
                       decode(c.problem.dtype, c.problem.q[at(from.u)])),
                   v = std::abs(
                       decode(c.problem.dtype, c.problem.q[at(from.v)]));
      const judge::Terms& t = terms[static_cast<std::size_t>(j)];
      for (const std::int64_t channel : {to.u, to.v}) {
        const double y = std::bit_cast<double>(c.golden.q[at(channel)]);
        if (!std::isfinite(y)) continue;  // as special rules say
        const double bound = t.amplitude * std::sqrt(u * u + v * v) * t.claim +
                             t.result * std::abs(y) +
                             underflow_error(claim, u + v);
        const double error =
            std::abs(decode(c.problem.dtype, output.q[at(channel)]) - y);
        if (error > 1.2 * bound) ++count;
      }
    }
  }
  return count;
}

struct Fault {
  const char* name;
  std::vector<Format> dtypes;
  std::function<void(Pipeline&)> make;
};

auto with_table(Format table) {
  return [table](Pipeline& k) {
    k.adjust_rotation = [table](auto&, auto& r) {
      r = {round_to(table, r.c), round_to(table, r.s)};
    };
  };
}

const std::vector<Fault> kFaults = {
    {"three roundings",
     {Format::kF16, Format::kBF16},
     [](Pipeline& k) { k.round_each = true; }},
    {"truncation",
     {Format::kF16, Format::kBF16},
     [](Pipeline& k) { k.truncates = true; }},
    {"table in f16",
     {Format::kF32, Format::kF16, Format::kBF16, Format::kF64},
     with_table(Format::kF16)},
    {"table in bf16",
     {Format::kF32, Format::kF16, Format::kBF16, Format::kF64},
     with_table(Format::kBF16)},
    {"table in f32", {Format::kF64}, with_table(Format::kF32)},
    {"arithmetic in f32", {Format::kF64}, [](Pipeline& k) {
       k.is_f32 = true;
     }}};

TEST_CASE("wrong roundings show in 20 elements, beyond 1.2 bounds",
          "[conformance][cover]") {
  const auto [dtype, pairing] = GENERATE(
      Catch::Generators::from_range(cases::every_dtype_with(cases::kPairings)));
  const Case c = formed(dtype, pairing, Values::kCancelling);
  CAPTURE(dtype, pairing);
  CHECK(judged(c, honest(dtype)).pass());
  for (const Fault& fault : kFaults) {
    if (std::find(fault.dtypes.begin(), fault.dtypes.end(), dtype) ==
        fault.dtypes.end()) {
      continue;
    }
    CAPTURE(fault.name);
    Pipeline pipeline = honest(dtype);
    fault.make(pipeline);
    const int shown = count_beyond(c, pipeline);
    CHECK(shown >= 20);
    CHECK(judged(c, pipeline).wrong >= shown);
  }
}

// Elements of q, but for the first batch row, that are unlike the one above
// them.
int count_unlike(const cases::Problem& problem) {
  const std::size_t row =
      problem.q.size() / static_cast<std::size_t>(problem.batch);
  int count = 0;
  for (std::size_t i = row; i < problem.q.size(); ++i) {
    if (problem.q[i] != problem.q[i - row]) ++count;
  }
  return count;
}

TEST_CASE("flushed subnormal numbers show in 20 elements, beyond 1.2 bounds",
          "[conformance][cover]") {
  const auto [dtype, pairing] = GENERATE(
      Catch::Generators::from_range(cases::every_dtype_with(cases::kPairings)));
  CAPTURE(dtype, pairing);
  const Case c = formed(dtype, pairing, Values::kSpecial);
  CHECK(judged(c, honest(dtype)).pass());
  for (const auto flush : {wrong::Flush::kInputs, wrong::Flush::kProducts,
                           wrong::Flush::kOutputs}) {
    // f32 has normal numbers for every product of two of f16.
    if (flush == wrong::Flush::kProducts && dtype == Format::kF16) continue;
    CAPTURE(flush);
    Pipeline pipeline = honest(dtype);
    pipeline.flush = flush;
    const int shown = count_beyond(c, pipeline);
    CHECK(shown >= 20);
    CHECK(judged(c, pipeline).wrong >= shown);
  }
}

TEST_CASE("ties show to level L3 alone whether half goes to even",
          "[conformance][cover]") {
  const Format dtype = GENERATE(Format::kF16, Format::kBF16);
  const Case c = formed(dtype, Pairing::kHalfSplit, Values::kCancelling,
                        {0, 0, 5, 9}, 1.5);
  const judge::Measurement even = judged(c, honest(dtype));
  Pipeline pipeline = honest(dtype);
  pipeline.round_half_away = true;
  const judge::Measurement away = judged(c, pipeline);
  CHECK(even.pass());
  CHECK(away.pass());
  CHECK(away.not_nearest >= even.not_nearest + 20);
}

TEST_CASE("heads of any size leave room for products and sums in any order",
          "[conformance][cover]") {
  const Format dtype =
      GENERATE(Format::kF32, Format::kBF16, Format::kF16, Format::kF64);
  cases::Problem p =
      cases::make_problem(dtype, cases::window(16, 16, 0, cases::kHalf), 1e4, 8,
                          8, 4, 4, std::vector<double>(64, 3));
  // Elements of f16 that are not resized allow no more (frequencies.cc).
  p.spec.frequencies.amplitude = dtype == Format::kF16 ? 16 : 1500;
  const cases::GoldenFormer former(p, reference::best_oracle(),
                                   cases::Effort::kFast);
  fill_values(p, former.tables(), Values::kUnlike, 1);
  // |c| + |s| is at most sqrt(2) |m|, but for the rounding of the table.
  const double factor = 1.4143 * p.spec.frequencies.amplitude;
  double largest = 0;
  for (std::int64_t row = 0; row < 64 * 4; ++row) {
    for (std::int64_t j = 0; j < 8; ++j) {
      const auto at = static_cast<std::size_t>(16 * row + j);
      largest = std::max(largest, std::abs(decode(dtype, p.q[at])) +
                                      std::abs(decode(dtype, p.q[at + 8])));
    }
  }
  const double most =
      decode(dtype, dtype == Format::kF16    ? 0x7bff
                    : dtype == Format::kBF16 ? 0x7f7f
                    : dtype == Format::kF32  ? 0x7f7fffff
                                             : 0x7fefffffffffffff);
  CHECK(2 * factor * largest <= most);
  if (dtype != Format::kF16) CHECK(largest > 0x1p60);
}

TEST_CASE("batch rows are alike where they have to be, and only there",
          "[conformance][cover]") {
  cases::Problem p =
      cases::make_problem(Format::kBF16, cases::window(12, 8, 2, cases::kHalf),
                          1e4, 3, 2, 2, 1, {1, 2, 3, 4, 5, 6});
  const cases::GoldenFormer former(p, reference::best_oracle(),
                                   cases::Effort::kCertified);
  for (const Values values :
       {Values::kRandom, Values::kCancelling, Values::kUnlike}) {
    p.storage.spacing = cases::Spacing::kBroadcast;
    fill_values(p, former.tables(), values, 1);
    cover::mark_copies(p, 1);
    CHECK(count_unlike(p) == 0);
    p.storage.spacing = cases::Spacing::kDense;
    fill_values(p, former.tables(), values, 1);
    CHECK(count_unlike(p) > 50);
  }
}

TEST_CASE("a permutation of numbers shows beside one of bits",
          "[conformance][cover]") {
  // Not of f64, whose numbers keep their bits here.
  for (const Format dtype : {Format::kF32, Format::kF16, Format::kBF16}) {
    CAPTURE(dtype);
    cases::Case c;
    c.problem = cover::random_permutation(
        dtype, cases::window(64, 64, 0, Pairing::kHalfSplit), 2, 5, 1);
    c.golden = cases::form_golden(c.problem, reference::best_oracle());
    plugin::Description permuting = description(dtype);
    permuting.operations |= ROPEPROOF_PERMUTE;
    Pipeline pipeline = honest(dtype);
    pipeline.permutes_numbers = true;
    wrong::PipelineKernel kernel(permuting, pipeline);
    judge::Output output;
    call::Call call(kernel, ROPEPROOF_PERMUTE, c, dtype);
    REQUIRE(call.run(output).outcome == plugin::Outcome::kOk);
    CHECK(
        judge::judge(c.problem, c.golden, ROPEPROOF_PERMUTE, {}, output).wrong >
        10);
  }
}

}  // namespace
}  // namespace ropeproof::conformance::check
