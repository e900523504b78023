#include "conformance/search/claim.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "conformance/cases/test_corpus.h"
#include "conformance/diagnosis/knob_kernel.h"

namespace ropeproof::conformance::search {
namespace {

using Catch::Matchers::ContainsSubstring;

FoundClaims found(diagnosis::Knobs knobs, std::uint32_t dtypes) {
  plugin::Description d = diagnosis::full_description(ROPEPROOF_A0);
  d.operations = ROPEPROOF_ROPE;
  d.dtypes = dtypes;
  d.features = ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_KEYS;
  d.axis_maps = d.caches = 0;
  diagnosis::KnobKernel kernel(d, std::move(knobs));
  return find_claims(kernel, cases::committed());
}

TEST_CASE("the strictest claim that holds is found", "[conformance][search]") {
  const FoundClaims exact = found(diagnosis::exact_knobs(), ROPEPROOF_F32);
  REQUIRE(exact.claims.size() == 1);
  CHECK(exact.claims[0].angle_class == ROPEPROOF_A0);
  CHECK(exact.claims[0].dtypes == ROPEPROOF_F32);

  const FoundClaims direct = found(diagnosis::f32_knobs(), ROPEPROOF_F32);
  REQUIRE(direct.claims.size() == 1);
  CHECK(direct.claims[0].angle_class == ROPEPROOF_A1);
  CHECK(direct.claims[0].angle_dtype == 0);

  const FoundClaims iterated =
      found(diagnosis::iterated_knobs(), ROPEPROOF_F32);
  REQUIRE(iterated.claims.size() == 1);
  CHECK((iterated.claims[0].angle_class == ROPEPROOF_A2 ||
         iterated.claims[0].power_ulp > direct.claims[0].power_ulp ||
         iterated.claims[0].power == ROPEPROOF_EXP2));
}

TEST_CASE("dtypes that round otherwise get claims of their own, to paste",
          "[conformance][search]") {
  diagnosis::Knobs knobs = diagnosis::f32_knobs();
  knobs.round_each = true;
  const FoundClaims each =
      found(std::move(knobs), ROPEPROOF_F32 | ROPEPROOF_BF16);
  REQUIRE(each.claims.size() == 2);
  CHECK(each.claims[0].rounding == ROPEPROOF_ROUND_ONCE);
  CHECK(each.claims[1].rounding == ROPEPROOF_ROUND_EACH);
  const std::string text = claims_text(each);
  CHECK_THAT(text, ContainsSubstring(".dtypes = ROPEPROOF_BF16, .angle_class = "
                                     "ROPEPROOF_A1"));
  CHECK_THAT(text, ContainsSubstring("rounding=\"each\")]"));
}

TEST_CASE("a wrong kernel holds to no claim", "[conformance][search]") {
  diagnosis::Knobs knobs = diagnosis::exact_knobs();
  knobs.overwrites_input = true;
  const FoundClaims wrong = found(std::move(knobs), ROPEPROOF_F32);
  CHECK(wrong.claims.empty());
  CHECK(wrong.none == ROPEPROOF_F32);
  CHECK_THAT(claims_text(wrong), ContainsSubstring("no claim holds for f32"));
}

}  // namespace
}  // namespace ropeproof::conformance::search
