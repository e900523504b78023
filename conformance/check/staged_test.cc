#include "conformance/check/staged.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "conformance/diagnosis/knob_kernel.h"
#include "reference/staged/elementary.h"

namespace ropeproof::conformance::check {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::Equals;

StagedResult staged(const diagnosis::Knobs& knobs) {
  diagnosis::KnobKernel kernel(diagnosis::full_description(ROPEPROOF_A1),
                               knobs);
  return check_staged(kernel);
}

TEST_CASE("a kernel of the f32 pipeline is S1, and its forms are named",
          "[conformance][staged][mpfi]") {
  if (!reference::staged::available()) return;
  const StagedResult plain = staged(diagnosis::f32_knobs());
  CHECK(plain.holds);
  CHECK_THAT(plain.text, Equals("S1(1), position x inv_freq, no FMA"));
  diagnosis::Knobs fused = diagnosis::f32_knobs();
  fused.is_fused = true;
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
  diagnosis::Knobs table = diagnosis::f32_knobs();
  table.table = reference::Format::kBF16;
  CHECK_FALSE(staged(table).holds);
  CHECK_THAT(staged(table).text, ContainsSubstring("explains pair"));
  CHECK_FALSE(staged(diagnosis::iterated_knobs()).holds);
  CHECK_FALSE(
      staged(diagnosis::exact_knobs()).holds);  // more accurate, but not staged
  diagnosis::Knobs mixed = diagnosis::f32_knobs();  // fused for one head only
  mixed.adjust_in_problem = [](const auto&, const diagnosis::HeadIndex& index,
                               double& c, double&) {
    if (index.head == 3)
      c = static_cast<double>(static_cast<float>(c)) * (1 + 0x1p-23);
  };
  CHECK_FALSE(staged(mixed).holds);
  CHECK_THAT(staged(mixed).text, ContainsSubstring("no form of the rotation"));
}

TEST_CASE("a kernel without rope in f32 has no staged claim to look at",
          "[conformance][staged]") {
  plugin::Description description = diagnosis::full_description(ROPEPROOF_A1);
  description.dtypes = ROPEPROOF_BF16;
  diagnosis::KnobKernel kernel(description, diagnosis::f32_knobs());
  CHECK_FALSE(check_staged(kernel).is_offered);
}

}  // namespace
}  // namespace ropeproof::conformance::check
