#include "conformance/plugin/description.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <functional>
#include <string>

namespace ropeproof::conformance::plugin {
namespace {

Description good() {
  Description d;
  d.name = "vendor/kernel-1.0_x";
  d.version = "1.0 (build 7)";
  d.operations = ROPEPROOF_ROPE;
  d.dtypes = ROPEPROOF_F32;
  d.pairings = ROPEPROOF_HALF_SPLIT;
  d.features = ROPEPROOF_IN_PLACE;
  d.claims[0].angle_class = ROPEPROOF_A1;
  return d;
}

using Change = std::function<void(Description&)>;

}  // namespace

TEST_CASE("a description inside its ranges passes", "[conformance][kernel]") {
  const auto change = GENERATE(values<Change>({
      [](Description& d) {
        d.claims[0].angle_class = ROPEPROOF_A3;
        d.claims[0].angle_dtype = ROPEPROOF_F16;
      },
      [](Description& d) { d.claims[0].trig_ulp = 4; },
      [](Description& d) {
        d.operations = ROPEPROOF_PERMUTE;
        d.features = 0;
      },
      [](Description& d) { d.name = std::string(100, 'x'); },
  }));
  Description d = good();
  change(d);
  CHECK_NOTHROW(check_description(d, "k"));
}

TEST_CASE("the first claim that names a dtype is its claim",
          "[conformance][kernel]") {
  Description d = good();
  d.dtypes = ROPEPROOF_F32 | ROPEPROOF_F16 | ROPEPROOF_BF16;
  d.claims = {{ROPEPROOF_BF16, ROPEPROOF_A2, 0, 0, 1, 1, 0, 0},
              {0, ROPEPROOF_A1, 0, 0, 1, 1, 0, 0}};
  CHECK_NOTHROW(check_description(d, "k"));
  CHECK(d.claim(ROPEPROOF_BF16).angle_class == ROPEPROOF_A2);
  CHECK(d.claim(ROPEPROOF_F32).angle_class == ROPEPROOF_A1);
  CHECK(d.claim(ROPEPROOF_F16).angle_class == ROPEPROOF_A1);
}

TEST_CASE("a claim behind one for all dtypes is refused",
          "[conformance][kernel]") {
  ropeproof_description d{};
  d.claims[1].angle_class = ROPEPROOF_A1;
  CHECK(description_of(d, "k", "1").claims.size() == 2);
  Description described = good();
  described.claims = description_of(d, "k", "1").claims;
  CHECK_THROWS_WITH(
      check_description(described, "k"),
      "k: a claim without dtypes is for all that are left: it must be the "
      "last one");
  d.claims[1] = {};
  CHECK(description_of(d, "k", "1").claims.size() == 1);
}

TEST_CASE("each field outside its range is refused by name",
          "[conformance][kernel]") {
  const auto [fault, change] = GENERATE(table<std::string, Change>({
      {"k: name \"\" must be 1 to 100 characters of [A-Za-z0-9._/-]",
       [](Description& d) { d.name = ""; }},
      {"k: name \"a b\" must be 1 to 100 characters of [A-Za-z0-9._/-]",
       [](Description& d) { d.name = "a b"; }},
      {"k: version \"\" must be 1 to 100 characters of printable ASCII",
       [](Description& d) { d.version = ""; }},
      {"k: version \" 1\" must be 1 to 100 characters of printable ASCII",
       [](Description& d) { d.version = "\n1"; }},
      {"k: declares no operations; needs at least one of frequencies, table, "
       "rotate, rope, permute or lookup",
       [](Description& d) { d.operations = 0; }},
      {"k: declares no caches; needs at least one of split, side_by_side or "
       "doubled",
       [](Description& d) { d.operations = ROPEPROOF_LOOKUP; }},
      {"k: caches has unknown bits 8; known are split, side_by_side or doubled",
       [](Description& d) { d.caches = 8; }},
      {"k: axis_maps has unknown bits 16; known are sections, interleaved, "
       "grid or any",
       [](Description& d) { d.axis_maps = 16; }},
      {"k: padding_bytes is 4097; it must be 0 to 4096",
       [](Description& d) { d.padding_bytes = 4097; }},
      {"k: declares no dtypes; needs at least one of f64, f32, f16 or bf16",
       [](Description& d) { d.dtypes = 0; }},
      {"k: dtypes has unknown bits 16; known are f64, f32, f16 or bf16",
       [](Description& d) { d.dtypes = 17; }},
      {"k: declares no pairings; needs at least one of interleaved, "
       "half_split, interleaved_to_half or nested_half_split",
       [](Description& d) { d.pairings = 0; }},
      {"k: features has unknown bits 1048576; known are out_of_place, "
       "in_place, "
       "strided, partial, window_offset, keys, adjoint, amplitude, "
       "negative_positions, inv_freq, exponents, axis_weights, "
       "real_positions, pair_distance, pair_amplitude, special_values, "
       "validates, deterministic, concurrent or explicit_length",
       [](Description& d) { d.features = (1 << 20) + 1; }},
      {"k: scalings has unknown bits 128; known are linear, ntk, dynamic_ntk, "
       "yarn, long_rope, llama3 or frequency_factors",
       [](Description& d) { d.scalings = 128; }},
      {"k: rotates neither out_of_place nor in_place; declare a feature",
       [](Description& d) { d.features = ROPEPROOF_KEYS; }},
      {"k: max_position is -1; it must be 0 (no limit) or above",
       [](Description& d) { d.max_position = -1; }},
      {"k: angle_class is 4; it must be A0, A1, A2 or A3",
       [](Description& d) { d.claims[0].angle_class = 4; }},
      {"k: angle class A3 needs an angle_dtype of f16 or bf16",
       [](Description& d) {
         d.claims[0].angle_class = ROPEPROOF_A3;
         d.claims[0].angle_dtype = ROPEPROOF_F32;
       }},
      {"k: angle_dtype is for angle class A3, or f64 or f32 for A1; leave it 0",
       [](Description& d) { d.claims[0].angle_dtype = ROPEPROOF_F16; }},
      {"k: power is 2; it must be pow or exp2",
       [](Description& d) { d.claims[0].power = 2; }},
      {"k: trig_ulp is 5; it must be 1 to 4",
       [](Description& d) { d.claims[0].trig_ulp = 5; }},
      {"k: power_ulp is 0; it must be 1 to 4",
       [](Description& d) { d.claims[0].power_ulp = 0; }},
      {"k: table_dtype is 3; it must be f64, f32, f16 or bf16",
       [](Description& d) { d.claims[0].table_dtype = 3; }},
      {"k: rounding is 9; it must be once, each or truncate",
       [](Description& d) { d.claims[0].rounding = 9; }},
      {"k: dtypes of a claim has unknown bits 16; known are f64, f32, f16 or "
       "bf16",
       [](Description& d) { d.claims[0].dtypes = 16; }},
      {"k: no claim names dtype f32; a claim without dtypes is for all that "
       "are left",
       [](Description& d) { d.claims[0].dtypes = ROPEPROOF_BF16; }},
      {"k: makes 0 claims; it must be 1 to 4",
       [](Description& d) { d.claims.clear(); }},
  }));
  Description d = good();
  change(d);
  CHECK_THROWS_WITH(check_description(d, "k"), fault);
}

}  // namespace ropeproof::conformance::plugin
