// Every step of every pipeline matters: of another precision, it changes bits.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "reference/staged/pipelines/test_grid.h"

namespace ropeproof::reference::staged {
namespace {

constexpr Stage Pipeline::*kStages[] = {&Pipeline::frequency, &Pipeline::angle,
                                        &Pipeline::trig, &Pipeline::storage};

// No number of f32.
constexpr double kAmplitude = 1.2079441541679836;

// Whether two pipelines differ in any format, anywhere. Many bases that are no
// numbers of f32, because a rounding that moves a base by half an ulp, and
// base^(-2/r) by 2/r of that, seldom shows.
bool differ(const Pipeline& a, const Pipeline& b) {
  const bool has_m = std::ranges::any_of(
      a.storage, [](const Step& step) { return step.out == "m32"; });
  for (int i = 0; i < 80; ++i) {
    const Parameters parameters{3.1 + 977.7 * i, 4 + 2 * (i % 8),
                                has_m ? kAmplitude : 1};
    for (const Format t : a.formats) {
      const Engine engine_a(a, t, parameters), engine_b(b, t, parameters);
      const std::vector<double> x = random_numbers(t, 2, 6);
      for (const std::int64_t p : {99, 131071, 16777217}) {
        for (std::int64_t j = 0; j < parameters.rotary_dim / 2; ++j) {
          const CosSin in_a = engine_a.cos_sin(p, j),
                       in_b = engine_b.cos_sin(p, j);
          if (in_a.c != in_b.c || in_a.s != in_b.s) return true;
          const auto y = [&](const Engine& engine) {
            return engine.rotate(Output::kYu, Fused::kNone, in_a, x[0], x[1]);
          };
          if (y(engine_a) != y(engine_b)) return true;
        }
      }
    }
  }
  return false;
}

// Whether another precision cannot show, but for double rounding: a negation or
// a cast to f64 is exact, and a result that is only cast, truncated or negated
// may as well be rounded there.
bool is_idle(const Pipeline& pipeline, const Step& step) {
  if (step.op == Op::kNegate) return true;
  if (step.op == Op::kCast && step.format == StepFormat::kF64) return true;
  int readers = 0, casts = 0;
  for (const auto stage : kStages) {
    for (const Step& reader : (pipeline.*stage)) {
      if (std::ranges::find(reader.in, step.out) == reader.in.end()) continue;
      ++readers;
      casts += reader.op == Op::kNegate || reader.op == Op::kTruncate ||
               (reader.op == Op::kCast && reader.format != StepFormat::kF64);
    }
  }
  return readers > 0 && casts == readers;
}

TEST_CASE("a step of another precision changes bits, in every pipeline",
          "[reference][staged][mpfi]") {
  if (!available()) SKIP("built without MPFI");
  int mutants = 0;
  for (const Pipeline& pipeline : pipelines()) {
    CAPTURE(std::string(pipeline.name));
    CHECK_FALSE(differ(pipeline, pipeline));
    for (const auto stage : kStages) {
      const auto steps = (pipeline.*stage);
      for (std::size_t i = 0; i < steps.size(); ++i) {
        if (is_idle(pipeline, steps[i])) continue;
        std::vector<Step> changed(steps.begin(), steps.end());
        changed[i].format = changed[i].format == StepFormat::kF64
                                ? StepFormat::kF32
                                : StepFormat::kF64;
        Pipeline mutant = pipeline;
        (mutant.*stage) = changed;
        CAPTURE(std::string(steps[i].out));
        CHECK(differ(pipeline, mutant));
        ++mutants;
      }
    }
    Pipeline mutant = pipeline;
    mutant.arithmetic = pipeline.arithmetic == StepFormat::kF64
                            ? StepFormat::kF32
                            : StepFormat::kF64;
    CHECK(differ(pipeline, mutant));
  }
  CHECK(mutants > 90);
}

}  // namespace
}  // namespace ropeproof::reference::staged
