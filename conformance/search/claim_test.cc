#include "conformance/search/claim.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "conformance/cases/test_corpus.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::search {
namespace {

using Catch::Matchers::ContainsSubstring;

FoundClaims found(wrong::Pipeline pipeline, std::uint32_t dtypes,
                  const check::Selection& selection = {},
                  bool has_coarse = false) {
  plugin::Description d = wrong::full_description(ROPEPROOF_A0);
  d.operations = ROPEPROOF_ROPE;
  d.dtypes = dtypes;
  d.features = ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_KEYS;
  d.axis_maps = d.caches = 0;
  wrong::PipelineKernel kernel(d, std::move(pipeline));
  return find_claims(kernel, cases::committed(), selection, has_coarse);
}

TEST_CASE("the strictest claim that holds is found", "[conformance][search]") {
  const FoundClaims exact = found(wrong::exact_pipeline(), ROPEPROOF_F32);
  REQUIRE(exact.claims.size() == 1);
  CHECK(exact.claims[0].angle_class == ROPEPROOF_A0);
  CHECK(exact.claims[0].dtypes == ROPEPROOF_F32);

  const FoundClaims direct = found(wrong::f32_pipeline(), ROPEPROOF_F32);
  REQUIRE(direct.claims.size() == 1);
  CHECK(direct.claims[0].angle_class == ROPEPROOF_A1);
  CHECK(direct.claims[0].angle_dtype == 0);

  const FoundClaims iterated =
      found(wrong::f32_pipeline(wrong::PowerForm::kIterated), ROPEPROOF_F32);
  REQUIRE(iterated.claims.size() == 1);
  CHECK((iterated.claims[0].angle_class == ROPEPROOF_A2 ||
         iterated.claims[0].power_ulp > direct.claims[0].power_ulp ||
         iterated.claims[0].power == ROPEPROOF_EXP2));
}

TEST_CASE("dtypes that round otherwise get claims of their own, to paste",
          "[conformance][search]") {
  wrong::Pipeline pipeline = wrong::f32_pipeline();
  pipeline.round_each = true;
  const FoundClaims each =
      found(std::move(pipeline), ROPEPROOF_F32 | ROPEPROOF_BF16);
  CAPTURE(claims_text(each));
  REQUIRE(each.claims.size() == 2);
  CHECK(each.claims[0].rounding == ROPEPROOF_ROUND_ONCE);
  CHECK(each.claims[1].rounding == ROPEPROOF_ROUND_EACH);
  const std::string text = claims_text(each);
  CHECK_THAT(text, ContainsSubstring(".dtypes = ROPEPROOF_BF16, .angle_class = "
                                     "ROPEPROOF_A1"));
  CHECK_THAT(text, ContainsSubstring("rounding=\"each\")]"));
}

TEST_CASE("products that are rounded are told from results that are cut off",
          "[conformance][search]") {
  wrong::Pipeline each = wrong::f32_pipeline();
  each.round_each = true;
  each.table = reference::Format::kBF16;
  wrong::Pipeline cut = wrong::f32_pipeline();
  cut.truncates = true;
  cut.table = reference::Format::kBF16;
  for (const auto& [pipeline, rounding] :
       {std::pair{each, ROPEPROOF_ROUND_EACH},
        std::pair{cut, ROPEPROOF_TRUNCATE}}) {
    const FoundClaims of_bf16 = found(pipeline, ROPEPROOF_BF16);
    REQUIRE(of_bf16.claims.size() == 1);
    CHECK(of_bf16.claims[0].angle_class == ROPEPROOF_A1);
    CHECK(of_bf16.claims[0].rounding == static_cast<std::uint32_t>(rounding));
  }
}

TEST_CASE("a narrow table is tried on demand alone, and told from angles",
          "[conformance][search]") {
  wrong::Pipeline pipeline = wrong::f32_pipeline();
  pipeline.table = reference::Format::kBF16;
  CHECK(found(pipeline, ROPEPROOF_F32).none == ROPEPROOF_F32);
  const FoundClaims held = found(pipeline, ROPEPROOF_F32, {}, true);
  REQUIRE(held.claims.size() == 1);
  CHECK(held.claims[0].angle_class == ROPEPROOF_A1);
  CHECK(held.claims[0].table_dtype == ROPEPROOF_BF16);
}

TEST_CASE("only what is selected is asked", "[conformance][search]") {
  check::Selection selection;
  const auto calls = [&] {
    return found(wrong::exact_pipeline(), ROPEPROOF_F32, selection).calls;
  };
  const std::int64_t all = calls();
  std::int64_t of_shards = 0;
  for (selection.shard = {1, 3}; selection.shard.index <= 3;
       ++selection.shard.index) {
    of_shards += calls();
    CHECK(calls() < all);
  }
  CHECK(of_shards == all);
  selection = {};
  selection.cases = {"smoke-rich-009"};
  CHECK(calls() == 1);
  selection.operations = {"table"};
  CHECK(calls() == 0);
  selection.cases = {"nobody"};
  CHECK_THROWS_WITH(calls(), ContainsSubstring("nobody"));
}

TEST_CASE("a wrong kernel holds to no claim", "[conformance][search]") {
  wrong::Pipeline pipeline = wrong::exact_pipeline();
  pipeline.overwrites_input = true;
  const FoundClaims wrong = found(std::move(pipeline), ROPEPROOF_F32);
  CHECK(wrong.claims.empty());
  CHECK(wrong.none == ROPEPROOF_F32);
  CHECK_THAT(claims_text(wrong), ContainsSubstring("no claim holds for f32"));
}

}  // namespace
}  // namespace ropeproof::conformance::search
