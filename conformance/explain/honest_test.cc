#include <catch2/catch_test_macros.hpp>
#include <random>

#include "conformance/explain/test_answers.h"

namespace ropeproof::conformance::explain {
namespace {

// A kernel that rounds within its claim, somehow.
Base honest_variant(std::mt19937& random) {
  const auto one_of = [&](std::uint32_t count) {
    return static_cast<std::uint32_t>(random() % count);
  };
  constexpr wrong::PowerForm kForms[] = {wrong::PowerForm::kReciprocal,
                                         wrong::PowerForm::kExp2,
                                         wrong::PowerForm::kIterated};
  const std::uint32_t angle = one_of(4);
  Base base{wrong::exact_pipeline(), wrong::full_description(ROPEPROOF_A0)};
  ropeproof_claim& claim = base.description.claims[0];
  if (angle > 0) {
    base.pipeline = wrong::f32_pipeline(kForms[angle - 1]);
    const auto form = static_cast<std::size_t>(kForms[angle - 1]);
    claim.angle_class = wrong::f32_powers()[form].angle_class;
    claim.power = wrong::f32_powers()[form].power;
  }
  base.pipeline.is_fused = one_of(2) == 0;
  const std::uint32_t tables = one_of(4);
  if (tables < 2) {
    base.pipeline.table = tables == 0 ? Format::kBF16 : Format::kF16;
    claim.table_dtype = tables == 0 ? ROPEPROOF_BF16 : ROPEPROOF_F16;
  }
  const std::uint32_t rounding = one_of(3);
  if (rounding == 1) {
    base.pipeline.round_each = true;
    base.pipeline.is_fused = false;
    claim.rounding = ROPEPROOF_ROUND_EACH;
  } else if (rounding == 2) {
    base.pipeline.truncates = true;
    claim.rounding = ROPEPROOF_TRUNCATE;
  }
  if (tables >= 2) {
    claim.trig_ulp = 1 + one_of(4);
    const auto most = static_cast<double>(claim.trig_ulp) - 1;
    const std::uint32_t seed = one_of(1 << 30);
    base.pipeline.adjust_rotation = [=](double& c, double& s, std::int64_t j,
                                        std::int64_t) {
      std::minstd_rand noise(seed + static_cast<std::uint32_t>(j));
      for (double* x : {&c, &s}) {
        const double part = static_cast<double>(noise() % 2001) / 1000 - 1;
        const double off = most * part * ulp(Format::kF32, *x);
        if (std::abs(*x) != 1) *x = round_to(Format::kF32, *x + off);
      }
    };
  }
  return base;
}

TEST_CASE("no answer of 1,000 honest kernels has an element to explain",
          "[conformance][diagnosis]") {
  std::mt19937 random(20);
  for (int i = 0; i < 1000; ++i) {
    const Base base = honest_variant(random);
    const RopeCase& c = tried()[random() % tried().size()];
    if (c.dtype == Format::kF64) continue;
    const std::uint32_t operation =
        random() % 4 == 0 ? ROPEPROOF_TABLE : ROPEPROOF_ROPE;
    CAPTURE(i, c.id, operation);
    const judge::Output output = answer(base, c, operation, nothing);
    CHECK(trial_of(base, c, operation, output).fit(nothing, false).wrong == 0);
  }
}

}  // namespace
}  // namespace ropeproof::conformance::explain
