#include "conformance/identify/identify.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <map>
#include <random>
#include <string>

#include "conformance/plugin/abi_words.h"
#include "conformance/wrong/mutation.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::identify {
namespace {

using reference::Format;
using wrong::exact_pipeline;
using wrong::f32_pipeline;
using wrong::full_description;
using wrong::Pipeline;
using wrong::PipelineKernel;

// Without what a test of one bug does not need.
plugin::Description narrow_description(std::uint32_t angle_class) {
  plugin::Description d = full_description(angle_class);
  d.operations = ROPEPROOF_ROPE;
  d.pairings = ROPEPROOF_HALF_SPLIT;
  d.dtypes = ROPEPROOF_F32;
  d.features &= ~static_cast<std::uint32_t>(
      ROPEPROOF_PAIR_DISTANCE | ROPEPROOF_PAIR_AMPLITUDE |
      ROPEPROOF_AXIS_WEIGHTS | ROPEPROOF_REAL_POSITIONS);
  d.axis_maps = 0;
  d.max_position = 1 << 20;
  return d;
}

Identified identified(plugin::Description description, Pipeline pipeline) {
  PipelineKernel kernel(std::move(description), std::move(pipeline));
  return identify(kernel);
}

Identified with_bug(
    const std::string& name,
    const plugin::Description& description = narrow_description(ROPEPROOF_A0)) {
  wrong::Pipeline pipeline = exact_pipeline();
  wrong::known(name).change(pipeline);
  return identified(description, pipeline);
}

bool differs(const Identified& found, const std::string& subject,
             const std::string& words) {
  return std::ranges::any_of(found.findings, [&](const Finding& f) {
    return f.standing == Standing::kDiffers && f.subject == subject &&
           f.seen.find(words) != std::string::npos;
  });
}

// Keeps a table for each base, in the type of the first call that asked for it.
class SharedTables : public PipelineKernel {
 public:
  explicit SharedTables(const plugin::Description& d)
      : PipelineKernel(d, exact_pipeline()), rough_(d, rough_pipeline()) {}

  plugin::Answer run(const ropeproof_problem& p) override {
    const bool is_half = p.dtype == ROPEPROOF_BF16;
    const bool is_rough = is_rough_.emplace(p.base, is_half).first->second;
    return is_rough ? rough_.run(p) : PipelineKernel::run(p);
  }

 private:
  static Pipeline rough_pipeline() {
    Pipeline pipeline = exact_pipeline();
    pipeline.table = Format::kBF16;
    return pipeline;
  }

  PipelineKernel rough_;
  std::map<double, bool> is_rough_;
};

bool names(const Identified& found, const std::string& bug) {
  return std::ranges::any_of(found.diagnoses, [&](const auto& d) {
    return d.what == bug ||
           std::ranges::find(d.aliases, bug) != d.aliases.end();
  });
}

}  // namespace

TEST_CASE("recipes of frequencies are read off to the last bit") {
  const auto check = [](Pipeline pipeline, std::uint32_t angle_class,
                        const char* recipe) {
    const Identified found =
        identified(narrow_description(angle_class), std::move(pipeline));
    const auto frequencies =
        std::ranges::find(found.findings, "frequencies", &Finding::subject);
    REQUIRE(frequencies != found.findings.end());
    CHECK(frequencies->seen == recipe);
  };
  using enum wrong::PowerForm;
  check(exact_pipeline(), ROPEPROOF_A0, "base^(-2j/r), wider than f32");
  check(f32_pipeline(kIterated), ROPEPROOF_A2,
        "base^(-2j/r), in f32, multiplied on from pair to pair");
  check(f32_pipeline(kExp2), ROPEPROOF_A1,
        "base^(-2j/r), in f32 by exp2(-2j/r log2(base))");
  check(f32_pipeline(), ROPEPROOF_A1,
        "base^(-2j/r), in f32 by 1 / pow(base, 2j/r)");
}

TEST_CASE("what is read of a known bug differs, and the bug is named") {
  struct Bug {
    const char *name, *subject, *words;
  };
  for (const auto& [name, subject, words] :
       {Bug{"pairs of the other layout", "pairs", "(2j, 2j + 1)"},
        Bug{"frequencies rounded to bf16", "frequencies", "rounded to bf16"},
        Bug{"frequencies rounded to f16", "frequencies", "rounded to f16"},
        Bug{"positions rounded to bf16", "positions", "256 in place of 257"},
        Bug{"position - 1", "positions", "the given one - 1"},
        Bug{"positions modulo 4096", "positions", "1 in place of 4097"},
        Bug{"amplitude missing", "amplitude", "times 1"},
        Bug{"amplitude squared", "amplitude", "times 1.5625"},
        Bug{"amplitude on the cosine only", "amplitude", "not stretched alike"},
        Bug{"table rounded to bf16", "cos and sin", "bf16"},
        Bug{"channels outside the window not written", "window", "unwritten"},
        Bug{"channels outside the window scaled by the amplitude", "window",
            "x 1.25"},
        Bug{"head added to the position", "rows and heads", "1 in place of 0"},
        Bug{"angle rounded to bf16", "angle", "bf16"},
        Bug{"taken for [batch, heads, seq, head_dim]", "rows and heads", ""},
        Bug{"exponent over head_dim", nullptr, nullptr},
        Bug{"adjoint ignored", nullptr, nullptr}}) {
    const Identified found = with_bug(name);
    INFO(name << "\n" << identified_text(found));
    CHECK((subject == nullptr || differs(found, subject, words)));
    CHECK(names(found, name));
    CHECK_FALSE(found.is_as_declared());
  }
}

TEST_CASE("an inverted ramp of YaRN is seen pair by pair, and named") {
  plugin::Description d = narrow_description(ROPEPROOF_A0);
  d.scalings = ROPEPROOF_YARN | ROPEPROOF_LINEAR;
  const Identified found = with_bug("YaRN's ramp inverted", d);
  INFO(identified_text(found));
  CHECK(differs(found, "scaling",
                "frequency over the true one: 0.25 in pairs 0-"));
  CHECK(names(found, "YaRN's ramp inverted"));
  CHECK_FALSE(differs(found, "scaling", "linear"));
}

TEST_CASE("pairs that do not rotate are listed") {
  Pipeline pipeline = exact_pipeline();
  pipeline.adjust_rotation = [](const auto& at, auto& r) {
    const std::int64_t pairs = at.p.rotary_dim / 2;
    if (at.j >= pairs - pairs % 24) r = {1, 0};
  };
  const Identified found =
      identified(narrow_description(ROPEPROOF_A0), std::move(pipeline));
  INFO(identified_text(found));
  CHECK(differs(found, "pairs", "unrotated channels 24 to 31, 56 to 63"));
}

TEST_CASE("a table that dtypes share is kept") {
  plugin::Description d = narrow_description(ROPEPROOF_A0);
  d.dtypes |= ROPEPROOF_BF16;
  SharedTables kernel(d);
  const Identified found = identify(kernel);
  INFO(identified_text(found));
  CHECK(differs(found, "kept", "dtype (bf16)"));
}

TEST_CASE("a kernel that hangs is asked nothing more") {
  PipelineKernel kernel(narrow_description(ROPEPROOF_A0), exact_pipeline());
  kernel.canned = {plugin::Outcome::kTimeout, "no answer"};
  const Identified hung = identify(kernel);
  CHECK(hung.trouble.starts_with("TIMEOUT"));
  CHECK(hung.calls == 1);
}

TEST_CASE("nothing false is said of honest variants", "[variants]") {
  std::mt19937 random(16);
  const auto one_of = [&](int n) {
    return static_cast<int>(random() % static_cast<unsigned>(n));
  };
  for (int i = 0; i < 40; ++i) {
    const int recipe = one_of(4);
    const std::uint32_t angle_class = recipe == 0   ? ROPEPROOF_A0
                                      : recipe == 3 ? ROPEPROOF_A2
                                                    : ROPEPROOF_A1;
    Pipeline pipeline = recipe == 0   ? exact_pipeline()
                        : recipe == 1 ? f32_pipeline()
                        : recipe == 2
                            ? f32_pipeline(wrong::PowerForm::kExp2)
                            : f32_pipeline(wrong::PowerForm::kIterated);
    plugin::Description d = narrow_description(angle_class);
    d.claims[0].power = recipe == 2 ? ROPEPROOF_EXP2 : ROPEPROOF_POW;
    d.pairings = 1u << one_of(3);
    const Format dtype = one_of(3) == 0   ? Format::kBF16
                         : one_of(2) == 0 ? Format::kF16
                                          : Format::kF32;
    d.dtypes = plugin::abi_dtype(dtype);
    if (one_of(2) == 0) pipeline.products = wrong::Products::kFirstFused;
    if (dtype != Format::kF32 && one_of(2) == 0) {
      pipeline.table = dtype;
      d.claims[0].table_dtype = d.dtypes;
      pipeline.round_each = one_of(2) == 0;
      if (pipeline.round_each) d.claims[0].rounding = ROPEPROOF_ROUND_EACH;
    }
    if (one_of(2) == 0) {  // a libm that is off by an ulp here and there
      d.claims[0].trig_ulp = 2;
      pipeline.adjust_rotation = [](const auto& at, auto& r) {
        if (at.j % 3 == 1) r.c += std::copysign(0x1p-25, r.c) * std::abs(r.c);
        if (at.j % 5 == 2) r.s -= std::copysign(0x1p-25, r.s) * std::abs(r.s);
      };
    }
    d.max_position = one_of(3) == 0 ? 1 << 20 : 1 << (8 + one_of(9));
    for (const std::uint32_t feature :
         {ROPEPROOF_PARTIAL, ROPEPROOF_ADJOINT, ROPEPROOF_KEYS,
          ROPEPROOF_STRIDED, ROPEPROOF_AMPLITUDE, ROPEPROOF_INV_FREQ}) {
      if (one_of(2) == 0) d.features &= ~feature;
    }
    const Identified found = identified(d, pipeline);
    INFO("variant " << i << ", recipe " << recipe << "\n"
                    << identified_text(found));
    CHECK(found.is_as_declared());
  }
}

}  // namespace ropeproof::conformance::identify
