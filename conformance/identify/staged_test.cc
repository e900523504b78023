#include "conformance/identify/staged.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "conformance/wrong/pipeline_kernel.h"
#include "reference/staged/elementary.h"

namespace ropeproof::conformance::identify {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::Equals;

StagedResult staged(const wrong::Pipeline& pipeline) {
  wrong::PipelineKernel kernel(wrong::full_description(ROPEPROOF_A1), pipeline);
  return check_staged(kernel);
}

TEST_CASE("a kernel of the f32 pipeline is S1, and its forms are named",
          "[conformance][staged][mpfi]") {
  if (!reference::staged::available()) return;
  const StagedResult plain = staged(wrong::f32_pipeline());
  CHECK(plain.holds);
  CHECK_THAT(plain.text, Equals("S1(1), position x inv_freq, no FMA"));
  wrong::Pipeline fused = wrong::f32_pipeline();
  fused.products = wrong::Products::kFirstFused;
  CHECK_THAT(staged(fused).text,
             Equals("S1(1), position x inv_freq, FMA of the first product"));
}

TEST_CASE("the example in C is S1 by a quotient",
          "[conformance][staged][mpfi]") {
  if (!reference::staged::available()) return;
  const auto kernel = plugin::load_library(
      std::string(ROPEPROOF_PLUGINS_DIR) + "/c_example.so", {});
  const StagedResult result = check_staged(*kernel);
  CHECK(result.holds);
  CHECK_THAT(result.text, ContainsSubstring("position / base^(2j/r)"));
}

TEST_CASE("tables in 16 bits, other frequencies and mixed arithmetic are no S1",
          "[conformance][staged][mpfi]") {
  if (!reference::staged::available()) return;
  wrong::Pipeline table = wrong::f32_pipeline();
  table.table = reference::Format::kBF16;
  CHECK_FALSE(staged(table).holds);
  CHECK_THAT(staged(table).text, ContainsSubstring("explains pair"));
  CHECK_FALSE(staged(wrong::f32_pipeline(wrong::PowerForm::kIterated)).holds);
  CHECK_FALSE(
      staged(wrong::exact_pipeline()).holds);  // more accurate, but not staged
  wrong::Pipeline mixed = wrong::f32_pipeline();  // fused for one head only
  mixed.adjust_directed = [](const auto& at, auto& r) {
    if (at.head == 3) {
      r.c = static_cast<double>(static_cast<float>(r.c)) * (1 + 0x1p-23);
    }
  };
  CHECK_FALSE(staged(mixed).holds);
  CHECK_THAT(staged(mixed).text, ContainsSubstring("no form of the rotation"));
}

TEST_CASE("a kernel without rope in f32 has no staged claim to look at",
          "[conformance][staged]") {
  plugin::Description description = wrong::full_description(ROPEPROOF_A1);
  description.dtypes = ROPEPROOF_BF16;
  wrong::PipelineKernel kernel(description, wrong::f32_pipeline());
  CHECK_FALSE(check_staged(kernel).is_offered);
}

}  // namespace
}  // namespace ropeproof::conformance::identify
