#include "conformance/judge/tolerance.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

namespace ropeproof::conformance::judge {
namespace {

using Catch::Matchers::ContainsSubstring;
using reference::Format;
using reference::bound::AngleClass;
using reference::bound::Power;
using reference::bound::Rounds;

TEST_CASE("a description that says nothing claims f32, direct, by pow",
          "[conformance][tolerance]") {
  plugin::Description description;
  description.claims[0].angle_class = ROPEPROOF_A1;
  const Claim claim = claim_of(description, Format::kBF16);
  CHECK(claim.angle_class == AngleClass::kDirect);
  CHECK(claim.angle_arithmetic == Format::kF32);
  CHECK(claim.power == Power::kPow);
  CHECK(claim.power_ulp == 1);
  CHECK(claim.trig_ulp == 1);
  CHECK(claim.table == Format::kBF16);
  CHECK(claim.output == Format::kBF16);
  CHECK(claim.rounds == Rounds::kOnce);
  CHECK(claim.computes_scaling);
}

TEST_CASE("each word of a description selects its row",
          "[conformance][tolerance]") {
  const struct {
    std::uint32_t angle_class, angle_dtype;
    AngleClass want;
    Format arithmetic;
  } rows[] = {
      {ROPEPROOF_A0, 0, AngleClass::kExact, Format::kF64},
      {ROPEPROOF_A1, ROPEPROOF_F32, AngleClass::kDirect, Format::kF32},
      {ROPEPROOF_A1, ROPEPROOF_F64, AngleClass::kDirect, Format::kF64},
      {ROPEPROOF_A2, 0, AngleClass::kIterated, Format::kF32},
      {ROPEPROOF_A3, ROPEPROOF_F16, AngleClass::kDirect, Format::kF16},
      {ROPEPROOF_A3, ROPEPROOF_BF16, AngleClass::kDirect, Format::kBF16}};
  for (const auto& row : rows) {
    ropeproof_claim made = plugin::kStrictestClaim;
    made.angle_class = row.angle_class;
    made.angle_dtype = row.angle_dtype;
    const Claim claim = claim_of(made, 0, Format::kF32);
    CAPTURE(row.angle_class, row.angle_dtype);
    CHECK(claim.angle_class == row.want);
    CHECK(claim.angle_arithmetic == row.arithmetic);
  }
  ropeproof_claim made = plugin::kStrictestClaim;
  made.power = ROPEPROOF_EXP2;
  made.power_ulp = 4;
  made.trig_ulp = 3;
  made.table_dtype = ROPEPROOF_F16;
  made.rounding = ROPEPROOF_ROUND_EACH;
  const Claim claim = claim_of(made, ROPEPROOF_INV_FREQ, Format::kBF16);
  CHECK(claim.power == Power::kExp2);
  CHECK(claim.power_ulp == 4);
  CHECK(claim.trig_ulp == 3);
  CHECK(claim.table == Format::kF16);
  CHECK(claim.rounds == Rounds::kEach);
  CHECK_FALSE(claim.computes_scaling);
  made.rounding = ROPEPROOF_TRUNCATE;
  CHECK(claim_of(made, 0, Format::kBF16).rounds == Rounds::kTruncate);
}

TEST_CASE("the table can be read as a table", "[conformance][tolerance]") {
  const std::string text = tolerance_text();
  for (const char* line :
       {"  A1 pow f32   2^-24  1 + 2v + |ln t| [2j/r inexact]\n",
        "  A2 pow f32   2^-24  1 + (1 + 2v) j + |ln t| [2/r inexact]\n",
        "  A3 exp2 bf16 2^-8   2v + (2 + 2v) |ln t|\n",
        "  table f32 once f32          2    0    0          3          4 ",
        "  table bf16 each bf16        0    1    1 ",
        "  table f32 truncate bf16     2    0    2 "}) {
    CHECK_THAT(text, ContainsSubstring(line));
  }
}

}  // namespace
}  // namespace ropeproof::conformance::judge
