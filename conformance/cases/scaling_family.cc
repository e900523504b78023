// How models stretch their context: one case or more for each scaling, with the
// parameters of a model where one is known for it.
#include "conformance/cases/families.h"
#include "conformance/cases/family.h"
#include "reference/schemes.h"

namespace ropeproof::conformance::cases {
namespace {

using reference::Direction;
using reference::Format;
using reference::Layout;
using reference::leading;
using reference::Pairing;
using reference::Scaling;

constexpr Pairing kHalf = Pairing::kHalfSplit;
constexpr Pairing kInter = Pairing::kInterleaved;

// Far enough out for a wrong ramp to show: 40 tokens cannot tell llama3's
// smoothing from none.
const std::vector<double> kFar = {513, 4097, 32769, 131071};

RopeCase scaled(const Scaling& scaling, const Layout& layout, double base,
                Format dtype = Format::kF32) {
  RopeCase c = make_case(dtype, layout, base, 2, 2, 1, 0, kFar);
  c.spec.frequencies.scaling = scaling;
  return c;
}

// All entries differ, so that a list read backward or shifted shows.
std::vector<double> distinct(std::int64_t count, double first, double step) {
  std::vector<double> list;
  for (std::int64_t j = 0; j < count; ++j) {
    list.push_back(first + step * static_cast<double>(j));
  }
  return list;
}

reference::Yarn yarn(double factor, std::int64_t original_length) {
  reference::Yarn s;
  s.factor = factor;
  s.original_length = original_length;
  return s;
}

void add_ntk(Family& family) {
  const Layout layout = leading(16, 16, kHalf);
  family.add(scaled(reference::Ntk{4}, layout, 1e4),
             {"frequency/wrong-base", "scaling/dynamic-ntk"},
             "NTK-aware, alpha 4");
  for (const std::int64_t length : {2048, 2049, 8192}) {
    family.add(
        scaled(reference::DynamicNtk{2, 2048, length}, layout, 1e4),
        {"scaling/dynamic-ntk"},
        "dynamic NTK, factor 2, length " + std::to_string(length) + " of 2048");
  }
}

void add_yarn(Family& family) {
  const std::vector<std::string> targets = {"scaling/yarn-ramp",
                                            "scaling/amplitude-misapplied"};
  family.add(scaled(yarn(4, 32768), leading(128, 128, kHalf), 1e6), targets,
             "YaRN of Qwen2.5: ramp 23 .. 40, amplitude 1.1386");
  reference::Yarn gpt_oss = yarn(32, 4096);
  gpt_oss.truncate = false;
  family.add(scaled(gpt_oss, leading(64, 64, kHalf), 150000), targets,
             "YaRN of gpt-oss: ramp 8.09 .. 17.40, not truncated");
  reference::Yarn deepseek = yarn(40, 4096);
  deepseek.mscale = 1;
  deepseek.mscale_all_dim = 1;
  family.add(
      scaled(deepseek, reference::trailing(80, 64, kInter), 1e4),
      {"window/wrong-end", "scaling/yarn-ramp", "scaling/amplitude-misapplied"},
      "YaRN of DeepSeek-V3: ramp 10 .. 23, window at the end");
  reference::Yarn kimi = yarn(32, 4096);
  kimi.beta_fast = kimi.beta_slow = 1;
  family.add(scaled(kimi, leading(64, 64, kInter), 50000), targets,
             "YaRN of Kimi-K2: a ramp one pair wide");
  reference::Yarn given = yarn(8, 8192);
  given.attention_factor = 1.2079441541679836;
  family.add(scaled(given, leading(128, 128, kHalf), 5e5, Format::kBF16),
             targets, "YaRN of Olmo 3: amplitude given");
  RopeCase adjoint = scaled(yarn(4, 32768), leading(24, 16, kHalf), 1e6);
  adjoint.spec.direction = Direction::kAdjoint;
  family.add(adjoint,
             {"rotation/direction-reversed", "scaling/amplitude-misapplied",
              "rotation/backward-wrong"},
             "the adjoint keeps the amplitude: m R^T, not the inverse");
}

void add_long_rope(Family& family) {
  for (const std::int64_t length : {4096, 4097}) {
    reference::LongRope s;
    s.short_factor = distinct(8, 1, 0.125);
    s.long_factor = distinct(8, 1.5, 3.25);
    s.original_length = 4096;
    s.seq_len = length;
    s.factor = 32;
    family.add(scaled(s, leading(16, 16, kHalf), 1e4),
               {"scaling/amplitude-misapplied", "scaling/longrope-list"},
               "LongRoPE, length " + std::to_string(length) +
                   " of 4096: " + (length > 4096 ? "long" : "short") +
                   " list, amplitude 1.1902");
  }
}

}  // namespace

Group scaling_family() {
  Family family("core", "scalings",
                "Every scaling, far from position 0. What it decides travels "
                "as inv_freq and amplitude; its parameters are beside them.");
  const Layout layout = leading(16, 16, kHalf);
  family.add(scaled(reference::Linear{8}, layout, 1e6),
             {"scaling/linear-misapplied"},
             "linear, factor 8: Gemma 3, global layers");
  family.add(scaled(reference::Linear{2.7}, leading(16, 16, kInter), 1e4),
             {"scaling/linear-misapplied"},
             "linear, a factor that is no power of two");
  add_ntk(family);
  add_yarn(family);
  add_long_rope(family);
  family.add(
      scaled(reference::Llama3{8, 1, 4, 8192}, leading(128, 128, kHalf), 5e5),
      {"scaling/llama3-smoothing"},
      "Llama 3.1: 29 pairs kept, 6 blended, 29 divided");
  family.add(scaled(reference::Llama3{32, 1, 4, 8192}, leading(64, 64, kHalf),
                    5e5, Format::kBF16),
             {"scaling/llama3-smoothing"},
             "Llama 3.2 1B: 15 pairs kept, 3 blended, 14 divided");
  family.add(
      scaled(reference::FrequencyFactors{distinct(8, 1, 0.75)}, layout, 5e5),
      {"scaling/factors-lost"}, "frequency factors, all different");
  RopeCase given = make_case(Format::kF32, layout, 1e4, 2, 2, 1, 0, kFar);
  given.spec.frequencies.inv_freq = {1, 0.75, 0.5, 0.1, 0x1p-7, 1e-4, 1e-9, 0};
  family.add(given,
             {"frequency/wrong-exponent", "frequency/wrong-base",
              "frequency/uninitialised"},
             "given frequencies, one of them zero");
  for (const bool is_key : {false, true}) {
    RopeCase c = make_case(Format::kF32, leading(16, 16, kInter), 1e4, 2, 2, 1,
                           0, {3, 0, 17, 259});
    c.spec.frequencies.xpos = reference::XPos{512, 128, is_key};
    family.add(c, {"scaling/amplitude-misapplied"},
               is_key ? "xPos, key: the reciprocal" : "xPos, query");
  }
  return family.take();
}

}  // namespace ropeproof::conformance::cases
