#include "conformance/check/exchange.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fstream>

#include "conformance/cases/test_corpus.h"
#include "conformance/cases/test_groups.h"
#include "conformance/check/test_formed.h"
#include "conformance/plugin/dense.h"
#include "conformance/plugin/description.h"
#include "conformance/plugin/description_json.h"
#include "conformance/plugin/fields.h"
#include "conformance/plugin/pack.h"
#include "conformance/plugin/scalings.h"
#include "conformance/report/report.h"
#include "conformance/report/unasked.h"
#include "conformance/text/sha256.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::report {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::Matches;

// A kernel that stands for a device: it answers each call and leaves the file
// that the pack wants for it.
class Device : public wrong::PipelineKernel {
 public:
  Device(const plugin::Description& description,
         const wrong::Pipeline& pipeline, const fs::path& directory)
      : wrong::PipelineKernel(description, pipeline),
        pack_(plugin::read_pack(directory)),
        results_(directory / "out") {}

  bool shares_memory() const override { return false; }
  bool is_live() const override { return false; }

  plugin::Answer run(const ropeproof_problem& problem) override {
    const auto call = pack_.calls.at(plugin::pack_call(problem).digest);
    const plugin::Answer answer = wrong::PipelineKernel::run(problem);
    if (answer.outcome != plugin::Outcome::kOk) return answer;
    std::string bytes;
    for (const auto& tensor : plugin::outputs(problem)) {
      plugin::gather({tensor.name, tensor.element, tensor.data, tensor.counts,
                      tensor.strides, tensor.row_bytes},
                     bytes);
    }
    std::ofstream(results_ / (call.name + ".bin"), std::ios::binary) << bytes;
    return answer;
  }

 private:
  plugin::Pack pack_;
  fs::path results_;
};

check::Selection smoke() {
  check::Selection selection = check::core();
  selection.tier = cases::Tier::kSmoke;
  return selection;
}

// Everything that files can show, but for f64, special values and frequencies
// that no base gives.
plugin::Description described() {
  plugin::Description d = plugin::everything("universal");
  d.dtypes &= ~std::uint32_t{ROPEPROOF_F64};
  d.features &= ~std::uint32_t{ROPEPROOF_IN_PLACE | ROPEPROOF_STRIDED |
                               ROPEPROOF_VALIDATES | ROPEPROOF_DETERMINISTIC |
                               ROPEPROOF_CONCURRENT | ROPEPROOF_SPECIAL_VALUES |
                               ROPEPROOF_EXPONENTS};
  d.scalings = 0;
  return d;
}

// Checks that a run by calls and one by files are the same.
void check_same(const wrong::Pipeline& pipeline, int status) {
  const cases::Folder folder;
  const plugin::Description description = described();
  check::export_pack(description, cases::committed(), smoke(), "0",
                     folder.path());
  Device device(description, pipeline, folder.path());
  const Report by_calls = check::run_suite(device, cases::committed(), smoke());
  const Report by_files =
      check::check_pack(folder.path(), folder.path() / "out", description,
                        cases::committed(), smoke());
  CHECK(json_report(by_files) == json_report(by_calls));
  CHECK(unasked(by_files) == std::vector<std::string>{});
  CHECK(exit_status(total(by_files)) == status);
  CHECK(total(by_files).of(check::Verdict::kUnsupported) < 40);
}

TEST_CASE("files are judged as calls are: every operation, dtype and layout",
          "[exchange]") {
  check_same(wrong::exact_pipeline(), 0);
  wrong::Pipeline broken = wrong::exact_pipeline();
  broken.ignores_direction = true;
  check_same(broken, 1);
}

TEST_CASE("a claim is read with its defaults and what files imply",
          "[exchange]") {
  const std::string text =
      R"({"name": "board-x", "version": "fw 7.1", "operations": ["rope"],
          "dtypes": ["f32", "bf16"], "pairings": ["half_split"],
          "features": ["partial", "exponents"], "axis_maps": ["grid"],
          "claims": [{"dtypes": ["bf16"], "angle_class": "A2"},
                     {"angle_class": "A1", "trig_ulp": 2)";
  const plugin::Description d =
      plugin::parse_device(text + "}]}", "device.json");
  CHECK(d.name == "board-x");
  CHECK(d.version == "fw 7.1");
  CHECK(d.dtypes == (ROPEPROOF_F32 | ROPEPROOF_BF16));
  CHECK(d.features == (ROPEPROOF_PARTIAL | ROPEPROOF_EXPONENTS |
                       ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_KEYS));
  CHECK(d.axis_maps == ROPEPROOF_AXES_GRID);
  CHECK(d.claim(ROPEPROOF_F32).angle_class == ROPEPROOF_A1);
  CHECK(d.claim(ROPEPROOF_F32).trig_ulp == 2);
  CHECK(d.claim(ROPEPROOF_F32).power_ulp == 1);
  CHECK(d.claim(ROPEPROOF_F32).table_dtype == 0);
  CHECK(d.claim(ROPEPROOF_BF16).angle_class == ROPEPROOF_A2);

  const auto fault = [&](const std::string& member) -> std::string {
    try {
      plugin::parse_device(text + member + "}]}", "device.json");
    } catch (const plugin::KernelError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(fault("").empty());
  for (const char* bad :
       {R"("rounding": null)", R"("power": "powf")",
        R"("rounding": ["once", "each"])", R"("angle_dtype": "f16")",
        R"("table_dtype": "f8")", R"("trig_ulp": 1)",
        R"("power": "pow"}], "max_position": -1, "caches": [")"}) {
    CAPTURE(bad);
    // The file, or a member of it; then what is wrong.
    CHECK_THAT(fault(std::string(", ") + bad),
               Matches("device\\.json(\\.[a-z_.]+)?: .+"));
  }
  CHECK(plugin::parse_device(plugin::description_json(d).dump(), "again")
            .features == d.features);
  plugin::Description there = d;
  there.backend = {"made-up", "1.2", "sums", "sines", {"bf16"}};
  CHECK(plugin::parse_device(plugin::description_json(there).dump(), "again")
            .backend == there.backend);
  CHECK_THROWS_WITH(
      plugin::parse_device(text + R"(}], "backend": {"name": "x"}})", "device"),
      "device.backend.version: missing");
}

TEST_CASE("RUN.md explains the columns in their order", "[exchange]") {
  const std::string text = plugin::pack_instructions();
  std::size_t at = text.find("| 1 name |");
  plugin::for_each_field(ropeproof_problem{},
                         [&](const std::string& name, const auto&) {
                           CAPTURE(name);
                           at = text.find(name, at);
                           REQUIRE(at != std::string::npos);
                         });
}

TEST_CASE("a line of a pack that is no call is refused by what it says",
          "[exchange]") {
  const auto [line, quoted] = GENERATE(table<std::string, std::string>(
      {{"\n", "\"\" is no call"},
       {"0001 4 -\n", "\"0001 4 -\" is no call"},
       {"0001 many q:4 digest\n", "\"0001 many q:4 digest\" is no call"},
       {"0001 -4 q:4 digest\n", "\"0001 -4 q:4 digest\" is no call"}}));
  const cases::Folder folder;
  std::ofstream(folder.path() / "cases.txt") << line;
  std::ofstream(folder.path() / "pack.txt")
      << "format ropeproof-exchange/1\ncases_sha256 " << text::sha256(line)
      << "\n";
  CHECK_THROWS_WITH(plugin::read_pack(folder.path()),
                    Catch::Matchers::ContainsSubstring(quoted));
}

TEST_CASE("a description of nothing is exported as no pack", "[exchange]") {
  const cases::Folder folder;
  plugin::Description nothing = described();
  nothing.dtypes = 0;
  nothing.operations = ROPEPROOF_ROPE;
  CHECK_THROWS_AS(check::export_pack(nothing, cases::committed(), smoke(), "0",
                                     folder.path()),
                  std::invalid_argument);
}

}  // namespace
}  // namespace ropeproof::conformance::report
