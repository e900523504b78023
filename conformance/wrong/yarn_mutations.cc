// (R10) with its parts open to change.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "conformance/wrong/mutation_lists.h"

namespace ropeproof::conformance::wrong {

struct Yarn {
  double s, length, beta_fast, beta_slow;
  bool truncates;
  double base, d, j;        // j among d channels
  double ramp_base = base;  // of the correction
  double last = d - 1;      // high's clamp
  double low = 0, high = 0;
  double (*scale)(const Yarn&, double theta) = nullptr;  // else blended

  double correction(double rotations) const {
    return d * std::log(length / (2 * std::numbers::pi * rotations)) /
           (2 * std::log(ramp_base));
  }
  void bound() {
    low = correction(beta_fast);
    high = correction(beta_slow);
    if (truncates) low = std::floor(low), high = std::ceil(high);
    low = std::max(low, 0.0);
    high = std::min(high, last);
    if (low == high) high += 0.001;
  }
  double gamma() const {
    return std::clamp((j - low) / (high - low), 0.0, 1.0);
  }
};

namespace {

double blended(const Yarn& y, double gamma, double theta) {
  return (1 - gamma) * theta + gamma * theta / y.s;
}

// Changes parts after what another bug changes.
template <class Change>
auto changed(Change change) {
  return [=](Pipeline& pipeline) {
    const auto parts = [=, f = pipeline.yarn](Yarn& yarn) {
      if (f) f(yarn);
      change(yarn);
    };
    pipeline.yarn = parts;
    changes_scaling(ROPEPROOF_YARN, [=](double theta,
                                        const ropeproof_scaling& s,
                                        const AbiProblem& p, std::int64_t j) {
      const PairPower due = power_of(p, j);
      if (due.base == 0 || due.d == 0) return theta;
      Yarn yarn{s.factor,        s.original_length, s.beta_fast, s.beta_slow,
                s.truncate != 0, due.base,          due.d,       due.n / 2};
      parts(yarn);
      yarn.bound();
      const double before = yarn.base == due.base
                                ? unscaled_frequency(p, j)
                                : PairPower{yarn.base, due.n, due.d}.value();
      return yarn.scale ? yarn.scale(yarn, before)
                        : blended(yarn, yarn.gamma(), before);
    })(pipeline);
  };
}

// scale(yarn, theta), with the bounds of the ramp known.
auto scales(double (*scale)(const Yarn&, double)) {
  return changed([=](Yarn& y) { y.scale = scale; });
}

Mutation yarn(const char* name, const char* source, const char* advice,
              std::function<void(Pipeline&)> change) {
  return {name, source, "scaling/yarn-ramp", 10, advice, std::move(change)};
}

// m of (R11) by its parts; change(scaling): the amplitude.
template <class Change>
auto takes_amplitude(Change change) {
  return set(&Pipeline::misread, [=](AbiProblem& p) {
    if (p.scaling != nullptr && p.scaling->kind == ROPEPROOF_YARN &&
        p.pair_amplitude == nullptr) {
      p.amplitude = change(*p.scaling);
    }
  });
}

double mscale(double s, double mu) { return 0.1 * mu * std::log(s) + 1; }

Mutations of_amplitude() {
  constexpr const char* kAdvice =
      "m = g(mscale) / g(mscale_all_dim), g(1) without them, attention_factor "
      "where it is given";
  const auto of = [&](const char* name, const char* source, auto change) {
    return Mutation{name, source,  "scaling/amplitude-misapplied",
                    4,    kAdvice, takes_amplitude(change)};
  };
  return {of("YaRN's amplitude by the factor alone", "sgl-project/sglang#22711",
             [](const auto& s) { return mscale(s.factor, 1); }),
          of("YaRN's amplitude by mscale alone",
             "of: YaRN's amplitude by the factor alone",
             [](const auto& s) {
               return mscale(s.factor, s.mscale != 0 ? s.mscale : 1);
             }),
          of("YaRN's amplitude by mscale_all_dim alone",
             "of: YaRN's amplitude by the factor alone",
             [](const auto& s) {
               return mscale(s.factor,
                             s.mscale_all_dim != 0 ? s.mscale_all_dim : 1);
             }),
          of("YaRN's mscale and mscale_all_dim exchanged",
             "of: YaRN's amplitude by mscale alone", [](const auto& s) {
               const bool has_both = s.mscale != 0 || s.mscale_all_dim != 0;
               return has_both ? mscale(s.factor, s.mscale_all_dim) /
                                     mscale(s.factor, s.mscale)
                               : mscale(s.factor, 1);
             })};
}

}  // namespace

Change yarn_of_base(double base) {
  return changed([=](Yarn& y) { y.base = y.ramp_base = base; });
}

Mutations yarn_mutations() {
  constexpr const char* kRamp =
      "0 (kept) below low, which follows from beta_fast; 1 (divided) above "
      "high, from beta_slow";
  constexpr const char* kGiven = "use the value that the problem gives";
  Mutations all = {
      yarn("YaRN's ramp inverted", "engine: litgpt 0.5.13", kRamp,
           scales([](const Yarn& y, double theta) {
             return blended(y, 1 - y.gamma(), theta);
           })),
      yarn("YaRN's betas exchanged", "pytorch/torchtitan#3787", kRamp,
           changed([](Yarn& y) { std::swap(y.beta_fast, y.beta_slow); })),
      yarn("YaRN's bounds never truncated", "keras-team/keras-hub#2981",
           "with truncate, floor of low and ceiling of high",
           changed([](Yarn& y) { y.truncates = false; })),
      yarn("YaRN's bounds always truncated", "vllm-project/vllm#27722",
           "without truncate (gpt-oss), low and high stay as they are",
           changed([](Yarn& y) { y.truncates = true; })),
      yarn("YaRN's factor inside the power", "apache/tvm#18576",
           "divide theta by s; the base stays",
           scales([](const Yarn& y, double theta) {
             const double inside = std::pow(y.s * y.base, -2 * y.j / y.d);
             return (1 - y.gamma()) * theta + y.gamma() * inside;
           })),
      yarn("YaRN's high clamped to the number of pairs",
           "keras-team/keras-hub#2981", "high <= r - 1, the number of channels",
           changed([](Yarn& y) { y.last = y.d / 2 - 1; })),
      yarn("YaRN's ramp counted in channels",
           "engine: neural-speed and PowerInfer", kRamp,
           scales([](const Yarn& y, double theta) {
             Yarn channels = y;
             channels.j *= 2;
             return blended(y, channels.gamma(), theta);
           })),
      yarn("YaRN's ramp twice too far", "of: YaRN's ramp counted in channels",
           "corr(n) = r ln(L / 2 pi n) / (2 ln b)",
           changed([](Yarn& y) { y.ramp_base = std::sqrt(y.base); })),
      yarn("YaRN's ramp blends wavelengths, not frequencies",
           "ml-explore/mlx-examples#907",
           "theta' = (1 - gamma) theta + gamma theta / s",
           scales([](const Yarn& y, double theta) {
             return theta / ((1 - y.gamma()) + y.gamma() * y.s);
           })),
      yarn("YaRN's ramp for base 10000", "PaddlePaddle/PaddleFleet#626", kGiven,
           changed([](Yarn& y) { y.ramp_base = 1e4; })),
      yarn("YaRN's betas always 32 and 1", "radixark/miles#335", kGiven,
           changed([](Yarn& y) { y.beta_fast = 32, y.beta_slow = 1; })),
      yarn("YaRN's original length always 4096",
           "of: llama3: original length always 8192", kGiven,
           changed([](Yarn& y) { y.length = 4096; })),
      yarn("YaRN's scaled length taken for the original",
           "NVIDIA/Megatron-LM#1418", "L is the length before scaling",
           changed([](Yarn& y) { y.length *= y.s; }))};
  for (Mutation& more : of_amplitude()) all.push_back(std::move(more));
  return all;
}

}  // namespace ropeproof::conformance::wrong
