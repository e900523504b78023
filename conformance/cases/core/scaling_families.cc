// Frequencies, amplitude and direction.
#include "conformance/cases/core/choices.h"
#include "conformance/cases/core/core_families.h"

namespace ropeproof::conformance::cases {

using reference::Direction;
using reference::Format;
using reference::Frequencies;
using reference::Layout;
using reference::leading;
using reference::Pairing;

namespace {

constexpr Pairing kHalf = Pairing::kHalfSplit;
constexpr Pairing kInter = Pairing::kInterleaved;

using Targets = std::vector<std::string>;

struct ScalingRow {
  std::string comment;
  Targets targets;
  Layout layout;
  Frequencies frequencies;
  // Far enough out for a wrong ramp to show.
  std::vector<double> positions = {513, 32769};
};

Frequencies scaled(double base, const reference::Scaling& scaling) {
  Frequencies f;
  f.base = base;
  f.scaling = scaling;
  return f;
}

// All entries differ, so that a list read backward or shifted shows.
std::vector<double> distinct(std::int64_t count, double first, double step) {
  std::vector<double> list;
  for (std::int64_t j = 0; j < count; ++j) {
    list.push_back(first + step * static_cast<double>(j));
  }
  return list;
}

std::vector<ScalingRow> simple_rows() {
  std::vector<ScalingRow> rows = {
      {"linear, factor 8, as Gemma 3",
       {"frequency/base-of-other-layer", "scaling/linear-misapplied"},
       leading(16, 16, kHalf),
       scaled(1e6, reference::Linear{8})},
      {"linear, factor 4, partial head",
       {"window/factor-misapplied", "scaling/linear-misapplied"},
       leading(12, 8, kInter),
       scaled(1e5, reference::Linear{4})},
      {"linear, a factor that is no power of two",
       {"scaling/linear-misapplied"},
       leading(16, 16, kInter),
       scaled(1e4, reference::Linear{2.7})},
      {"linear, factor 1: nothing changes",
       {"scaling/linear-misapplied"},
       leading(8, 8, kHalf),
       scaled(1e4, reference::Linear{1})},
      {"NTK-aware, alpha 4",
       {"frequency/wrong-base", "scaling/dynamic-ntk"},
       leading(16, 16, kHalf),
       scaled(1e4, reference::Ntk{4})},
      {"NTK-aware, alpha 1000, as Hunyuan",
       {"frequency/wrong-base", "scaling/dynamic-ntk"},
       leading(32, 32, kHalf),
       scaled(1e4, reference::Ntk{1000})},
      {"NTK-aware, two pairs: the exponent is 2",
       {"scaling/dynamic-ntk"},
       leading(4, 4, kInter),
       scaled(1e4, reference::Ntk{2})},
      {"frequency factors, all different",
       {"scaling/factors-lost"},
       leading(16, 16, kHalf),
       scaled(5e5, reference::FrequencyFactors{distinct(8, 1, 0.75)})},
      {"frequency factors of 1e30 stop the last pairs, as ggml has Gemma 4",
       {"window/head-dim-for-rotary-dim", "scaling/factors-lost"},
       leading(16, 16, kInter),
       scaled(1e6, reference::FrequencyFactors{
                       {1, 1, 1, 1, 1e30, 1e30, 1e30, 1e30}})}};
  for (const std::int64_t length : {64, 2048, 2049, 4096, 8192}) {
    rows.push_back(
        {"dynamic NTK, factor 2, length " + std::to_string(length) + " of 2048",
         {"scaling/dynamic-ntk"},
         leading(16, 16, kHalf),
         scaled(1e4, reference::DynamicNtk{2, 2048, length}),
         {8, 300}});
  }
  return rows;
}

std::vector<ScalingRow> yarn_rows() {
  const Targets targets = {"scaling/yarn-ramp", "scaling/amplitude-misapplied"};
  reference::Yarn qwen{4, 32768};
  reference::Yarn gpt_oss{32, 4096};
  gpt_oss.truncate = false;
  reference::Yarn deepseek{40, 4096};
  deepseek.mscale = deepseek.mscale_all_dim = 1;
  reference::Yarn deepseek2{40, 4096};
  deepseek2.mscale = 0.707;
  deepseek2.mscale_all_dim = 1;
  reference::Yarn kimi{32, 4096};
  kimi.beta_fast = kimi.beta_slow = 1;
  reference::Yarn olmo{8, 8192};
  olmo.attention_factor = 1.2079441541679836;
  reference::Yarn short_head{16, 8192};
  return {{"YaRN of Qwen2.5: factor 4 of 32768", targets,
           leading(128, 128, kHalf), scaled(1e6, qwen)},
          {"YaRN of gpt-oss: factor 32 of 4096, ramp not truncated", targets,
           leading(64, 64, kHalf), scaled(150000, gpt_oss)},
          {"YaRN of DeepSeek-V3: mscale over mscale_all_dim is 1", targets,
           reference::trailing(68, 64, kInter), scaled(1e4, deepseek)},
          {"YaRN with mscale and mscale_all_dim unlike", targets,
           leading(16, 16, kInter), scaled(1e4, deepseek2)},
          {"YaRN of Kimi-K2: a ramp one pair wide", targets,
           leading(64, 64, kInter), scaled(50000, kimi)},
          {"YaRN of Olmo 3: amplitude given", targets, leading(128, 128, kHalf),
           scaled(5e5, olmo)},
          {"YaRN of a short head: the ramp goes on behind the last pair",
           targets, leading(8, 8, kHalf), scaled(1e4, short_head)},
          {"YaRN of factor 1: nothing changes", targets, leading(16, 16, kHalf),
           scaled(1e4, reference::Yarn{1, 4096})}};
}

std::vector<ScalingRow> listed_rows() {
  std::vector<ScalingRow> rows;
  for (const std::int64_t length : {4095, 4096, 4097}) {
    reference::LongRope s;
    s.short_factor = distinct(24, 1, 0.0625);
    s.long_factor = distinct(24, 1.5, 1.75);
    s.original_length = 4096;
    s.seq_len = length;
    s.factor = 32;
    rows.push_back({"LongRoPE of Phi: length " + std::to_string(length) +
                        " of 4096, the " + (length > 4096 ? "long" : "short") +
                        " list",
                    {"scaling/amplitude-misapplied", "scaling/longrope-list"},
                    leading(64, 48, kHalf),
                    scaled(1e4, s)});
  }
  rows.push_back({"Llama 3.1: 29 pairs kept, 6 blended, 29 divided",
                  {"scaling/llama3-smoothing"},
                  leading(128, 128, kHalf),
                  scaled(5e5, reference::Llama3{8, 1, 4, 8192})});
  rows.push_back({"Llama 3.2 1B: 15 pairs kept, 3 blended, 14 divided",
                  {"scaling/llama3-smoothing"},
                  leading(64, 64, kHalf),
                  scaled(5e5, reference::Llama3{32, 1, 4, 8192})});
  rows.push_back({"Llama 4 Scout: both limits 1, no pair blended",
                  {"scaling/llama3-smoothing"},
                  leading(64, 64, kInter),
                  scaled(5e5, reference::Llama3{16, 1, 1, 8192})});
  Frequencies given;
  given.inv_freq = {1, 0.75, 0.5, 0.1, 0x1p-7, 1e-4, 1e-9, 0};
  rows.push_back({"given frequencies, one of them zero",
                  {"frequency/wrong-exponent", "frequency/wrong-base",
                   "frequency/uninitialised"},
                  leading(16, 16, kInter),
                  given});
  Frequencies proportional;
  proportional.base = 1e6;
  proportional.exponents = reference::proportional_exponents(32, 4);
  rows.push_back({"proportional: 4 of 16 pairs, exponents over the whole head",
                  {"window/head-dim-for-rotary-dim"},
                  reference::proportional_layout(32, 4),
                  proportional});
  Frequencies extreme;
  extreme.base = 1e11;
  rows.push_back({"base 1e11, as Falcon-H1",
                  {"frequency/wrong-exponent", "frequency/wrong-base"},
                  leading(64, 64, kHalf),
                  extreme,
                  {32769, 1048575}});
  for (const bool is_key : {false, true}) {
    Frequencies f;
    f.xpos = reference::XPos{512, 128, is_key};
    rows.push_back({is_key ? "xPos, key: the reciprocal" : "xPos, query",
                    {"scaling/amplitude-misapplied"},
                    leading(16, 16, kInter),
                    f,
                    {3, 0, 17, 259}});
  }
  return rows;
}

}  // namespace

Group core_scalings() {
  Family family("core", "core-scalings",
                "Every scaling, with the parameters of a model where one is "
                "known for it, in every dtype and far from position 0.");
  std::vector<ScalingRow> rows = simple_rows();
  for (const ScalingRow& row : yarn_rows()) rows.push_back(row);
  for (const ScalingRow& row : listed_rows()) rows.push_back(row);
  for (const ScalingRow& row : rows) {
    for (const Format dtype : kDtypes) {
      RopeCase c = make_case(dtype, row.layout, row.frequencies.base, 1,
                             static_cast<std::int64_t>(row.positions.size()), 1,
                             0, row.positions);
      c.spec.frequencies = row.frequencies;
      family.add(c, row.targets, row.comment);
    }
  }
  return family.take();
}

Group core_adjoint() {
  Family family("core", "core-adjoint",
                "The adjoint m R^T, what a backward pass applies: the sine "
                "changes its sign, the amplitude stays, copies stay copies.");
  for (const Format dtype : kDtypes) {
    for (const Pairing pairing : kPairings) {
      const auto add = [&](RopeCase c, const Targets& targets,
                           const char* comment) {
        c.spec.direction = Direction::kAdjoint;
        family.add(c, targets, comment);
      };
      RopeCase c = make_case(dtype, window(8, 8, 0, pairing), 1e4, 2, 3, 1, 1,
                             kIrregularIds);
      add(c,
          {"layout/output-of-other-pairing", "rotation/direction-reversed",
           "rotation/backward-wrong"},
          "full head");
      c = make_case(dtype, window(13, 8, 2, pairing), 1e4, 2, 3, 1, 0,
                    kIrregularIds);
      c.spec.frequencies.amplitude = 1.3465735902799727;
      c.memory = Memory::kStrided;
      add(c,
          {"window/outside-not-copied", "scaling/amplitude-misapplied",
           "rotation/backward-wrong"},
          "a window in the middle, amplitude, strided");
      c = make_case(dtype, window(8, 8, 0, pairing), 1e4, 2, 3, 2, 0,
                    {-3, 259, -17, 9, 0, -1021});
      c.memory = Memory::kInPlace;
      add(c,
          {"rotation/direction-reversed", "position/shift-lost",
           "rotation/backward-wrong"},
          "negative positions, in place");
      c = make_case(dtype, window(16, 16, 0, pairing), 1e6, 1, 2, 1, 0,
                    {513, 32769});
      c.spec.frequencies.scaling = reference::Yarn{4, 32768};
      add(c,
          {"scaling/yarn-ramp", "scaling/amplitude-misapplied",
           "rotation/backward-wrong"},
          "YaRN: m R^T, not the inverse");
    }
  }
  return family.take();
}

}  // namespace ropeproof::conformance::cases
