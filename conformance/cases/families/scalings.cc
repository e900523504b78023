// Frequencies, amplitude and direction.
#include "conformance/cases/families/choices.h"
#include "conformance/cases/families/families.h"

namespace ropeproof::conformance::cases {

using reference::Format;
using reference::Frequencies;
using reference::Layout;
using reference::leading;

namespace {

struct ScalingRow {
  std::string comment;
  Targets targets;
  Layout layout;
  Frequencies frequencies;
  std::vector<double> positions = {};  // empty: the family's
  Format dtype = Format::kF32;         // core-scalings: every dtype
  bool is_adjoint = false;
};
using ScalingRows = std::vector<ScalingRow>;

Frequencies scaled(double base, const reference::Scaling& scaling) {
  return {.base = base, .scaling = scaling};
}

const Targets kNtk = {"frequency/wrong-base", "scaling/dynamic-ntk"};
const Targets kYarn = {"scaling/yarn-ramp", "scaling/amplitude-misapplied"};
const Targets kGiven = {"frequency/wrong-exponent", "frequency/wrong-base",
                        "frequency/uninitialised"};

const Frequencies kQwenYarn = scaled(1e6, reference::Yarn{4, 32768});
const Frequencies kGptOssYarn = scaled(
    150000,
    reference::Yarn{.factor = 32, .original_length = 4096, .truncate = false});
const Frequencies kDeepSeekYarn =
    scaled(1e4, reference::Yarn{.factor = 40,
                                .original_length = 4096,
                                .mscale = 1,
                                .mscale_all_dim = 1});
const Frequencies kGivenFrequencies = {
    .inv_freq = {1, 0.75, 0.5, 0.1, 0x1p-7, 1e-4, 1e-9, 0}};

// ScalingRows of `scalings` and of core-scalings.
const ScalingRow kUnevenLinear = {"linear, a factor that is no power of two",
                                  Targets{"scaling/linear-misapplied"},
                                  leading(16, 16, kInter),
                                  scaled(1e4, reference::Linear{2.7})};
const ScalingRow kNtkAware = {"NTK-aware, alpha 4", kNtk,
                              leading(16, 16, kHalf),
                              scaled(1e4, reference::Ntk{4})};
const ScalingRow kKimiYarn = {
    "YaRN of Kimi-K2: a ramp one pair wide", kYarn, leading(64, 64, kInter),
    scaled(50000, reference::Yarn{.factor = 32,
                                  .original_length = 4096,
                                  .beta_fast = 1,
                                  .beta_slow = 1})};
const ScalingRow kOlmoYarn = {
    "YaRN of Olmo 3: amplitude given",
    kYarn,
    leading(128, 128, kHalf),
    scaled(5e5, reference::Yarn{.factor = 8,
                                .original_length = 8192,
                                .attention_factor = 1.2079441541679836}),
    {},
    Format::kBF16};
const ScalingRow kFactors = {
    "frequency factors, all different", Targets{"scaling/factors-lost"},
    leading(16, 16, kHalf),
    scaled(5e5, reference::FrequencyFactors{distinct(8, 1, 0.75)})};
const ScalingRow kLlama31 = {"Llama 3.1: 29 pairs kept, 6 blended, 29 divided",
                             Targets{"scaling/llama3-smoothing"},
                             leading(128, 128, kHalf),
                             scaled(5e5, reference::Llama3{8, 1, 4, 8192})};
const ScalingRow kLlama32 = {
    "Llama 3.2 1B: 15 pairs kept, 3 blended, 14 divided",
    Targets{"scaling/llama3-smoothing"},
    leading(64, 64, kHalf),
    scaled(5e5, reference::Llama3{32, 1, 4, 8192}),
    {},
    Format::kBF16};

ScalingRow xpos_row(bool is_key) {
  return {is_key ? "xPos, key: the reciprocal" : "xPos, query",
          Targets{"scaling/amplitude-misapplied"}, leading(16, 16, kInter),
          Frequencies{.xpos = reference::XPos{512, 128, is_key}},
          std::vector<double>{3, 0, 17, 259}};
}

ScalingRows simple_rows() {
  return {
      {"linear, factor 8, as Gemma 3",
       Targets{"frequency/base-of-other-layer", "scaling/linear-misapplied"},
       leading(16, 16, kHalf), scaled(1e6, reference::Linear{8})},
      {"linear, factor 4, partial head",
       Targets{"window/factor-misapplied", "scaling/linear-misapplied"},
       leading(12, 8, kInter), scaled(1e5, reference::Linear{4})},
      kUnevenLinear,
      {"linear, factor 1: nothing changes",
       Targets{"scaling/linear-misapplied"}, leading(8, 8, kHalf),
       scaled(1e4, reference::Linear{1})},
      kNtkAware,
      {"NTK-aware, alpha 1000, as Hunyuan", kNtk, leading(32, 32, kHalf),
       scaled(1e4, reference::Ntk{1000})},
      {"NTK-aware, two pairs: the exponent is 2",
       Targets{"scaling/dynamic-ntk"}, leading(4, 4, kInter),
       scaled(1e4, reference::Ntk{2})},
      kFactors,
      {"frequency factors of 1e30 stop the last pairs, as ggml has Gemma 4",
       Targets{"window/head-dim-for-rotary-dim", "scaling/factors-lost"},
       leading(16, 16, kInter),
       scaled(1e6, reference::FrequencyFactors{
                       {1, 1, 1, 1, 1e30, 1e30, 1e30, 1e30}})}};
}

// Lengths beyond the positions, for kernels that are told one.
ScalingRows dynamic_rows() {
  ScalingRows rows;
  for (const std::int64_t length : {2048, 2049, 4096, 8192}) {
    rows.push_back(
        {"dynamic NTK, factor 2, length " + std::to_string(length) + " of 2048",
         Targets{"scaling/dynamic-ntk"}, leading(16, 16, kHalf),
         scaled(1e4, reference::DynamicNtk{2, 2048, length}),
         std::vector<double>{8, 300}});
  }
  return rows;
}

ScalingRows yarn_rows() {
  return {{"YaRN of Qwen2.5: factor 4 of 32768", kYarn,
           leading(128, 128, kHalf), kQwenYarn},
          {"YaRN of gpt-oss: factor 32 of 4096, ramp not truncated", kYarn,
           leading(64, 64, kHalf), kGptOssYarn},
          {"YaRN of DeepSeek-V3: mscale over mscale_all_dim is 1", kYarn,
           reference::trailing(68, 64, kInter), kDeepSeekYarn},
          {"YaRN with mscale and mscale_all_dim unlike", kYarn,
           leading(16, 16, kInter),
           scaled(1e4, reference::Yarn{.factor = 40,
                                       .original_length = 4096,
                                       .mscale = 0.707,
                                       .mscale_all_dim = 1})},
          kKimiYarn,
          kOlmoYarn,
          {"YaRN of a short head: the ramp goes on behind the last pair", kYarn,
           leading(8, 8, kHalf), scaled(1e4, reference::Yarn{16, 8192})},
          {"YaRN of factor 1: nothing changes", kYarn, leading(16, 16, kHalf),
           scaled(1e4, reference::Yarn{1, 4096})}};
}

ScalingRows listed_rows() {
  return {kLlama31,
          kLlama32,
          {"Llama 4 Scout: both limits 1, no pair blended",
           Targets{"scaling/llama3-smoothing"}, leading(64, 64, kInter),
           scaled(5e5, reference::Llama3{16, 1, 1, 8192})},
          {"given frequencies, one of them zero", kGiven,
           leading(16, 16, kInter), kGivenFrequencies},
          {"proportional: 4 of 16 pairs, exponents over the whole head",
           Targets{"window/head-dim-for-rotary-dim"},
           reference::proportional_layout(32, 4),
           Frequencies{.base = 1e6,
                       .exponents = reference::proportional_exponents(32, 4)}},
          {"base 1e11, as Falcon-H1",
           Targets{"frequency/wrong-exponent", "frequency/wrong-base"},
           leading(64, 64, kHalf), Frequencies{.base = 1e11},
           std::vector<double>{32769, 1048575}},
          xpos_row(false),
          xpos_row(true)};
}

// The rows of the family `scalings`.
ScalingRows first_scaling_rows() {
  return {{"linear, factor 8: Gemma 3, global layers",
           Targets{"scaling/linear-misapplied"}, leading(16, 16, kHalf),
           scaled(1e6, reference::Linear{8})},
          kUnevenLinear,
          kNtkAware};
}

ScalingRows first_yarn_rows() {
  return {{"YaRN of Qwen2.5: ramp 23 .. 40, amplitude 1.1386", kYarn,
           leading(128, 128, kHalf), kQwenYarn},
          {"YaRN of gpt-oss: ramp 8.09 .. 17.40, not truncated", kYarn,
           leading(64, 64, kHalf), kGptOssYarn},
          {"YaRN of DeepSeek-V3: ramp 10 .. 23, window at the end",
           Targets{"window/wrong-end", "scaling/yarn-ramp",
                   "scaling/amplitude-misapplied"},
           reference::trailing(80, 64, kInter), kDeepSeekYarn},
          kKimiYarn,
          kOlmoYarn,
          {"the adjoint keeps the amplitude: m R^T, not the inverse",
           Targets{"rotation/direction-reversed",
                   "scaling/amplitude-misapplied", "rotation/backward-wrong"},
           leading(24, 16, kHalf),
           kQwenYarn,
           {},
           Format::kF32,
           true}};
}

ScalingRows first_listed_rows() {
  return {kLlama31,
          kLlama32,
          kFactors,
          {"given frequencies, one of them zero", kGiven,
           leading(16, 16, kHalf), kGivenFrequencies},
          xpos_row(false),
          xpos_row(true)};
}

// Far enough out for a wrong ramp to show: 40 tokens cannot tell llama3's
// smoothing from none.
Problem far_out(const ScalingRow& row, Format dtype, std::int64_t batch,
                const std::vector<double>& positions) {
  const auto& ids = row.positions.empty() ? positions : row.positions;
  return with_frequencies(
      row.frequencies,
      make_problem(dtype, row.layout, row.frequencies.base, batch,
                   static_cast<std::int64_t>(ids.size()) / batch, 1, 0, ids));
}

}  // namespace

Group scaling_family() {
  Family family(Tier::kCore, "scalings",
                "Scalings that no length decides, far from position 0. What "
                "they decide travels as inv_freq and amplitude; their "
                "parameters are beside it.");
  const auto add = [&](const ScalingRows& rows) {
    for (const ScalingRow& row : rows) {
      const Problem problem =
          far_out(row, row.dtype, 2, {513, 4097, 32769, 131071});
      family.add(row.is_adjoint ? adjoint(problem) : problem, row.targets,
                 row.comment);
    }
  };
  add(first_scaling_rows());
  family.retire(3);
  add(first_yarn_rows());
  family.retire(2);
  add(first_listed_rows());
  return family.take();
}

Group core_scalings() {
  Family family(Tier::kCore, "core-scalings",
                "Every scaling but LongRoPE, with the parameters of a model "
                "where one is known for it, in every dtype, most far from "
                "position 0.");
  const auto add = [&](const ScalingRows& rows) {
    for (const ScalingRow& row : rows) {
      for (const Format dtype : kDtypes) {
        family.add(far_out(row, dtype, 1, {513, 32769}), row.targets,
                   row.comment);
      }
    }
  };
  add(simple_rows());
  family.retire(4);
  add(dynamic_rows());
  add(yarn_rows());
  family.retire(12);
  add(listed_rows());
  return family.take();
}

Group core_adjoint() {
  Family family(Tier::kCore, "core-adjoint",
                "The adjoint m R^T, what a backward pass applies: the sine "
                "changes its sign, the amplitude stays, copies stay copies.");
  for (const auto& [dtype, pairing] : every_dtype_with(kPairings)) {
    const Layout full = window(8, 8, 0, pairing);
    family.add(
        adjoint(make_problem(dtype, full, 1e4, 2, 3, 1, 1, kIrregularIds)),
        Targets{"layout/output-of-other-pairing", "rotation/direction-reversed",
                "rotation/backward-wrong"},
        "full head");
    family.add(
        adjoint(in_storage(
            kStrided,
            with_amplitude(1.3465735902799727,
                           make_problem(dtype, window(13, 8, 2, pairing), 1e4,
                                        2, 3, 1, 0, kIrregularIds)))),
        Targets{"window/outside-not-copied", "scaling/amplitude-misapplied",
                "rotation/backward-wrong"},
        "a window in the middle, amplitude, strided");
    family.add(adjoint(in_storage(kInPlace,
                                  make_problem(dtype, full, 1e4, 2, 3, 2, 0,
                                               {-3, 259, -17, 9, 0, -1021}))),
               Targets{"rotation/direction-reversed", "position/shift-lost",
                       "rotation/backward-wrong"},
               "negative positions, in place");
    family.add(
        adjoint(with_scaling(reference::Yarn{4, 32768},
                             make_problem(dtype, window(16, 16, 0, pairing),
                                          1e6, 1, 2, 1, 0, {513, 32769}))),
        Targets{"scaling/yarn-ramp", "scaling/amplitude-misapplied",
                "rotation/backward-wrong"},
        "YaRN: m R^T, not the inverse");
  }
  for (const auto& [dtype, pairing] : every_dtype_with(kPairings)) {
    family.add(adjoint(make_problem(dtype, window(8, 8, 0, pairing), 5e5, 2, 1,
                                    1, 1, {17, 1023})),
               Targets{"rotation/direction-reversed",
                       "position/single-token-path", "rotation/backward-wrong"},
               "full head, one token per batch row");
  }
  return family.take();
}

}  // namespace ropeproof::conformance::cases
