// What is refused, and in which words.
#include "reference/spec.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "reference/golden.h"
#include "reference/test_oracle.h"

namespace ropeproof::reference {
namespace {

Spec good() {
  return {leading(8, 4, Pairing::kInterleaved), {}, Direction::kForward};
}

using reference::refusal;

std::string refusal(const std::function<void(Spec&)>& change) {
  Spec spec = good();
  change(spec);
  const std::string why = refusal([&] { validate(spec); });
  // Every way in refuses the same.
  CHECK(refusal([&] { golden_frequencies(Oracle::kBinFloat, spec); }) == why);
  CHECK(refusal([&] { Goldens(Oracle::kBinFloat, spec, {}); }) == why);
  return why;
}

TEST_CASE("a specification out of range is refused by field, value and range",
          "[reference][spec]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(refusal([](Spec&) {}) == "accepted");
  CHECK(refusal([](Spec& s) { s.layout.head_dim = 1; }) ==
        "head_dim is 1; expected 2 .. 1048576");
  CHECK(refusal([](Spec& s) { s.layout.rotary_dim = 3; }) ==
        "rotary_dim is 3; expected an even number");
  CHECK(refusal([](Spec& s) { s.layout.rotary_dim = 10; }) ==
        "rotary_dim is 10; expected 2 .. 8");
  CHECK(refusal([](Spec& s) { s.layout.rotary_offset = 5; }) ==
        "rotary_offset is 5; expected 0 .. 4");
  CHECK(refusal([](Spec& s) { s.frequencies.base = 0; }) ==
        "base is 0.000000; expected a finite number > 0");
  CHECK(refusal([&](Spec& s) { s.frequencies.base = nan; }) ==
        "base is nan; expected a finite number > 0");
  CHECK(refusal([&](Spec& s) { s.frequencies.amplitude = nan; }) ==
        "amplitude is nan; expected a finite number");
  CHECK(refusal([](Spec& s) { s.frequencies.inv_freq = {1}; }) ==
        "inv_freq is 1 long; expected rotary_dim/2 = 2 entries");
  CHECK(refusal([](Spec& s) {
          s.frequencies.inv_freq = {1, -HUGE_VAL};
        }) == "inv_freq is -inf; expected finite numbers");
  CHECK(refusal([](Spec& s) {
          s.frequencies.pair_factors = {1, 2, 3};
        }) == "pair_factors is 3 long; expected rotary_dim/2 = 2 entries");
  CHECK(refusal([](Spec& s) {
          s.frequencies.pair_factors = {1, 0};
        }) == "pair_factors is 0; expected a finite number > 0");
}

TEST_CASE("a layout that does not fit is refused", "[reference][spec]") {
  CHECK(refusal([](Spec& s) { s.layout.blocks = 2; }) ==
        "blocks is 2; expected 1 unless the pairing is nested half-split");
  const auto nested = [](std::int64_t blocks) {
    return refusal([&](Spec& s) {
      s.layout = {8, 8, 0, Pairing::kNestedHalfSplit, blocks};
    });
  };
  CHECK(nested(4) == "accepted");
  CHECK(nested(3) == "blocks is 3; expected a divisor of rotary_dim/2 = 4");
  CHECK(nested(0) == "blocks is 0; expected 1 .. 4");
  CHECK(refusal([](Spec& s) { s.layout.pair_distance = 3; }) ==
        "pair_distance is 3; expected 0 unless the pairing is half-split");
  const auto distant = [](std::int64_t distance, std::int64_t offset) {
    return refusal([&](Spec& s) {
      s.layout = {8, 4, offset, Pairing::kHalfSplit, 1, distance};
    });
  };
  CHECK(distant(4, 2) == "accepted");
  CHECK(distant(4, 3) == "rotary_offset is 3; expected 0 .. 2");
  CHECK(distant(7, 0) == "pair_distance is 7; expected 2 .. 6");
  CHECK(distant(1, 0) == "pair_distance is 1; expected 2 .. 6");
}

TEST_CASE("exponents and bases that make no frequency are refused",
          "[reference][spec]") {
  const auto with = [](const std::vector<Exponent>& exponents) {
    return refusal([&](Spec& s) { s.frequencies.exponents = exponents; });
  };
  CHECK(with({{0, 2}, {-1, 1}}) == "accepted");
  CHECK(with({{0, 2}, {1, 0}}) == "accepted");
  CHECK(with({{0, 2}}) ==
        "exponents is 1 long; expected rotary_dim/2 = 2 entries");
  CHECK(with({{0, 2}, {1, -1}}) == "denominator is -1; expected 0 .. 1048576");
  CHECK(with({{0, 2}, {17, 2}}) == "numerator is 17; expected -16 .. 16");
  CHECK(refusal([](Spec& s) { s.frequencies.bases = {1}; }) ==
        "bases is 1 long; expected rotary_dim/2 = 2 entries");
  CHECK(refusal([](Spec& s) {
          s.frequencies.bases = {1, -0.5};
        }) == "bases is -0.5; expected a finite number > 0");
  CHECK(refusal([](Spec& s) {
          s.frequencies.inv_freq = {1, 2};
          s.frequencies.bases = {1, 2};
        }) == "inv_freq is given; expected none beside exponents or bases");
}

std::string refused_scaling(const Scaling& scaling) {
  return refusal([&](Spec& s) { s.frequencies.scaling = scaling; });
}

TEST_CASE("a scaling out of range is refused by field, value and range",
          "[reference][spec][scaling]") {
  const auto at_least = [](const std::string& field, const std::string& value,
                           const std::string& low) {
    return field + " is " + value + "; expected a finite number >= " + low;
  };
  const auto positive = [](const std::string& field, const std::string& value) {
    return field + " is " + value + "; expected a finite number > 0";
  };
  const std::string length = "; expected 1 .. 9007199254740992";
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(refused_scaling(Linear{}) == at_least("factor", "0", "1"));
  CHECK(refused_scaling(Linear{nan}) == at_least("factor", "nan", "1"));
  CHECK(refused_scaling(Ntk{-8}) == at_least("alpha", "-8", "1"));
  CHECK(refused_scaling(DynamicNtk{2}) == "max_position is 0" + length);
  CHECK(refused_scaling(DynamicNtk{2, 2048}) == "seq_len is 0" + length);
  CHECK(refused_scaling(Yarn{}) == at_least("factor", "0", "1"));
  CHECK(refused_scaling(Yarn{4}) == "original_length is 0" + length);
  CHECK(refused_scaling(Yarn{4, 4096, 32, 0}) == positive("beta_slow", "0"));
  CHECK(refused_scaling(Yarn{4, 4096, 1, 32}) ==
        at_least("beta_fast", "1", "32"));
  Yarn yarn{4, 4096};
  yarn.attention_factor = HUGE_VAL;
  CHECK(refused_scaling(yarn) == positive("attention_factor", "inf"));
  yarn.attention_factor.reset();
  yarn.mscale = 0.707;
  CHECK(refused_scaling(yarn) ==
        "mscale_all_dim is missing; expected a number beside mscale");
  yarn.mscale_all_dim = 0;
  CHECK(refused_scaling(yarn) == positive("mscale_all_dim", "0"));
  yarn.mscale.reset();
  CHECK(refused_scaling(yarn) ==
        "mscale is missing; expected a number beside mscale_all_dim");
  CHECK(refused_scaling(LongRope{{1}, {1, 1}, 4096, 1, 32}) ==
        "short_factor is 1 long; expected rotary_dim/2 = 2 entries");
  CHECK(refused_scaling(LongRope{{1, 1}, {}, 4096, 1, 32}) ==
        "long_factor is 0 long; expected rotary_dim/2 = 2 entries");
  CHECK(refused_scaling(LongRope{{1, 1}, {1, 0}, 4096, 1, 32}) ==
        positive("long_factor", "0"));
  CHECK(refused_scaling(LongRope{{1, 1}, {1, 1}, 1, 1, 32}) ==
        "original_length is 1; expected 2 .. 9007199254740992");
  CHECK(refused_scaling(LongRope{{1, 1}, {1, 1}, 4096}) ==
        "seq_len is 0" + length);
  CHECK(refused_scaling(LongRope{{1, 1}, {1, 1}, 4096, 1}) ==
        at_least("factor", "0", "1"));

  CHECK(refused_scaling(Llama3{}) == at_least("factor", "0", "1"));
  CHECK(refused_scaling(Llama3{8}) == positive("low_freq_factor", "0"));
  CHECK(refused_scaling(Llama3{8, 4, 1, 8192}) ==
        at_least("high_freq_factor", "1", "4"));
  CHECK(refused_scaling(Llama3{8, 1, 4}) == "original_length is 0" + length);
  CHECK(refused_scaling(FrequencyFactors{{1, 2, 3}}) ==
        "factors is 3 long; expected rotary_dim/2 = 2 entries");
  CHECK(refused_scaling(FrequencyFactors{{1, -1}}) ==
        positive("factors", "-1"));
}

TEST_CASE("a scaling that contradicts the rest is refused",
          "[reference][spec][scaling]") {
  const auto given = [](const Scaling& scaling) {
    return refusal([&](Spec& s) {
      s.frequencies.inv_freq = {1, 0.5};
      s.frequencies.scaling = scaling;
    });
  };
  CHECK(given(Linear{2}) == "accepted");
  const std::string no_base =
      "inv_freq is given; expected a base with NTK-aware scaling and YaRN";
  CHECK(given(Ntk{2}) == no_base);
  CHECK(given(DynamicNtk{2, 1, 1}) == no_base);
  CHECK(given(Yarn{2, 4096}) == no_base);
  CHECK(refusal([](Spec& s) {
          s.frequencies.base = 1;
          s.frequencies.scaling = Yarn{2, 4096};
        }) == "base is 1; expected a finite number > 1 with YaRN");
  CHECK(refusal([](Spec& s) {
          s.layout.rotary_dim = 2;
          s.frequencies.scaling = Ntk{2};
        }) == "rotary_dim is 2; expected 4 or more with NTK-aware scaling");
  CHECK(refusal([](Spec& s) {
          s.frequencies.exponents = {{0, 4}, {0, 2}};
          s.frequencies.scaling = Ntk{2};
        }) ==
        "denominator is 2; expected 0, or 3 or more with NTK-aware scaling");
  CHECK(refusal([](Spec& s) {
          s.frequencies.amplitude = 1.25;
          s.frequencies.scaling = Yarn{2, 4096};
        }) ==
        "amplitude is 1.25; expected 1: the scaling decides it, or its "
        "attention_factor");
}

TEST_CASE("axes that do not fit, and xPos on several, are refused",
          "[reference][spec]") {
  const auto with = [](const Axes& axes) {
    return refusal([&](Spec& s) { s.axes = axes; });
  };
  CHECK(with({0}) == "axes is 0; expected 1 .. 64");
  CHECK(with({1, {0}}) ==
        "axis_of_pair is 1 long; expected rotary_dim/2 = 2 entries");
  CHECK(with({1, {0, 1}}) == "axis_of_pair is 1; expected 0 .. 0");
  CHECK(with({1, {0, -1}}) == "axis_of_pair is -1; expected 0 .. 0");
  CHECK(with({1, {}, {1}}) ==
        "weights is 1 long; expected axes * rotary_dim/2 = 2 entries");
  CHECK(with({1, {}, {1, HUGE_VAL}}) ==
        "weights is inf; expected a finite number");
  CHECK(with({1, {0, 0}, {1, 1}}) ==
        "weights is given; expected none beside axis_of_pair");
  const auto with_xpos = [](const XPos& xpos) {
    return refusal([&](Spec& s) { s.frequencies.xpos = xpos; });
  };
  CHECK(with_xpos({}) == "accepted");
  CHECK(with_xpos({0}) == "scale_base is 0; expected a finite number > 0");
  CHECK(refusal([](Spec& s) {
          s.frequencies.xpos = XPos{};
          s.frequencies.inv_freq = {1, 1};
        }) == "inv_freq is given; expected exponents with xPos");
  CHECK(refusal([](Spec& s) {
          s.frequencies.xpos = XPos{};
          s.axes.weights = {1, 1};
        }) == "axes is 1; expected one plain axis with xPos");
}

TEST_CASE("positions are refused beyond 2^53, and far from an xPos centre",
          "[reference][spec]") {
  const auto at = [](double position) {
    return refusal([&] { validate_position(position); });
  };
  CHECK(at(-0.25) == "accepted");
  CHECK(at(0x1p53) == "accepted");
  CHECK(at(-0x1p53) == "accepted");
  CHECK(at(-0x1p53 - 2) ==
        "position is -9007199254740994; expected a number from -2^53 to 2^53");
  CHECK(at(1e300) ==
        "position is 1e+300; expected a number from -2^53 to 2^53");
  CHECK(at(std::nan("")) ==
        "position is nan; expected a number from -2^53 to 2^53");

  Spec spec = good();
  spec.axes.count = 2;
  const double three[] = {1, 2, 3};
  CHECK(refusal([&] { Goldens(Oracle::kBinFloat, spec, three); }) ==
        "positions has 3 entries; expected a multiple of 2");
  spec = good();
  spec.frequencies.xpos = XPos{1, 0};
  const double far[] = {0x1p20 + 1};
  CHECK(refusal([&] { Goldens(Oracle::kBinFloat, spec, far); }) ==
        "position is 1048577; expected one within 2^20 scale_bases of the "
        "centre of xPos");
}

TEST_CASE("heads, sizes and values that do not fit are refused",
          "[reference][spec]") {
  const auto rope = [](std::int64_t heads, std::vector<double> positions,
                       std::vector<double> x) {
    return refusal(
        [&] { rope_of(Oracle::kBinFloat, good(), heads, positions, x); });
  };
  const std::vector<double> x(16, 1.0);
  CHECK(rope(1, {0, 0}, x) == "accepted");
  CHECK(rope(1, {}, {}) == "accepted");
  CHECK(rope(2, {0, 0}, x) == "x has 16 entries; expected 32");
  CHECK(rope(-1, {0, 0}, x) == "heads is -1; expected 0 .. 549755813888");
  // Sizes that do not fit 64 bits are refused, not multiplied.
  CHECK(rope(std::int64_t{1} << 40, {0, 0}, {}) ==
        "heads is 1099511627776; expected 0 .. 549755813888");

  for (const double bad : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    std::vector<double> y = x;
    y[7] = bad;  // outside the window: no golden either
    CHECK(rope(1, {0, 0}, y) ==
          "x holds " + std::to_string(bad) + "; expected finite numbers");
  }
}

}  // namespace
}  // namespace ropeproof::reference
