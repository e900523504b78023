// Scalings that divide the frequencies: what every one may suffer, then llama3.
#include <cmath>
#include <numbers>
#include <string>

#include "conformance/plugin/scalings.h"
#include "conformance/wrong/mutation_lists.h"
#include "reference/scaling.h"

namespace ropeproof::conformance::wrong {
namespace {

// A scaling, and who met it ignored, inverted, applied twice, replaced by
// linear scaling; null: the same slip as of the first kind for which somebody
// did.
struct Kind {
  std::uint32_t kind;
  cases::Bug bug;
  const char *ignored, *inverted = nullptr, *twice = nullptr,
                       *replaced = nullptr;
};

constexpr const char* kTwice = "engine: neural-speed and PowerInfer";
constexpr Kind kKinds[] = {
    {ROPEPROOF_LINEAR, "scaling/linear-misapplied", "lablup/mlxcel#1340",
     "ml-explore/mlx#261", kTwice},
    {ROPEPROOF_NTK, "scaling/dynamic-ntk", nullptr},
    {ROPEPROOF_DYNAMIC_NTK, "scaling/dynamic-ntk", nullptr, nullptr, nullptr,
     "lablup/mlxcel#1324"},
    {ROPEPROOF_YARN, "scaling/yarn-ramp", "AI-Hypercomputer/maxtext#5279",
     "microsoft/onnxruntime-genai#2076", kTwice, "ggml-org/llama.cpp#2268"},
    {ROPEPROOF_LONG_ROPE, "scaling/longrope-list",
     "ml-explore/mlx-examples#799"},
    {ROPEPROOF_LLAMA3, "scaling/llama3-smoothing", "unslothai/unsloth#6197"},
    {ROPEPROOF_FREQUENCY_FACTORS, "scaling/factors-lost",
     "ikawrakow/ik_llama.cpp#2291"}};

// change(theta before scaling, ratio): the scaling multiplies by the ratio.
template <class Change>
auto of_kind(std::uint32_t kind, Change change) {
  return changes_scaling(kind, [=](double theta, const ropeproof_scaling&,
                                   const AbiProblem& p, std::int64_t j) {
    const double before = unscaled_frequency(p, j);
    return before == 0 ? theta : change(before, due_frequency(p, j) / before);
  });
}

Mutations of_all_kinds() {
  Mutations all;
  for (const Kind& k : kKinds) {
    const auto& [equation, text] =
        reference::formula_of(plugin::scaling_of(k.kind));
    // `first` scaling: the one that others are like.
    const auto add = [&](const std::string& slip, const char* source,
                         const std::string& first, const char* advice,
                         Change change) {
      all.push_back({std::string(text) + slip,
                     source != nullptr ? source : "of: " + first + slip, k.bug,
                     equation, advice, std::move(change)});
    };
    add(" ignored", k.ignored, "linear scaling",
        "look whether the scaling's parameters arrive, by the names of this "
        "model",
        of_kind(k.kind, [](double theta, double) { return theta; }));
    if (k.kind == ROPEPROOF_YARN || k.kind == ROPEPROOF_LONG_ROPE) {
      const std::string source = "of: " + std::string(text) + " ignored";
      add(" ignored, its amplitude too", source.c_str(), "",
          "look whether the scaling's parameters arrive at all",
          both(of_kind(k.kind, [](double theta, double) { return theta; }),
               set(&Pipeline::misread, [kind = k.kind](AbiProblem& p) {
                 const bool is_it =
                     p.scaling != nullptr && p.scaling->kind == kind;
                 if (is_it && p.pair_amplitude == nullptr) p.amplitude = 1;
               })));
    }
    add(" inverted: multiplied, not divided", k.inverted, "linear scaling",
        "the scaling divides frequencies",
        of_kind(k.kind,
                [](double theta, double ratio) { return theta / ratio; }));
    add(" applied twice", k.twice, "linear scaling",
        "look for a second scaling of frequencies or positions",
        of_kind(k.kind, [](double theta, double ratio) {
          return theta * ratio * ratio;
        }));
    if (k.kind == ROPEPROOF_LINEAR || k.kind == ROPEPROOF_FREQUENCY_FACTORS) {
      continue;
    }
    add(" replaced by linear scaling: all divided by the factor", k.replaced,
        "dynamic NTK scaling", "the factor does not apply to every pair alike",
        changes_scaling(k.kind, [](double theta, const ropeproof_scaling& s,
                                   const AbiProblem& p, std::int64_t j) {
          return s.factor > 0 ? unscaled_frequency(p, j) / s.factor : theta;
        }));
  }
  return all;
}

// The factor to a power belongs to the base: pair 0 keeps its frequency.
Mutation ntk_on_frequencies() {
  return {"NTK scaling of the frequencies: each divided by factor^(r/(r-2))",
          "engine: keras-hub 0.32.0",
          "scaling/dynamic-ntk",
          8,
          "scale the base, base * factor^(r/(r-2)), not the frequencies",
          changes_scaling(ROPEPROOF_NTK, [](double theta, const auto& s,
                                            const AbiProblem& p, auto j) {
            const auto r = static_cast<double>(p.rotary_dim);
            return r <= 2 ? theta
                          : unscaled_frequency(p, j) /
                                std::pow(s.factor, r / (r - 2));
          })};
}

// The list of a problem, read at another index.
auto takes_factor(std::int64_t by) {
  return changes_scaling(
      ROPEPROOF_FREQUENCY_FACTORS,
      [=](double, const ropeproof_scaling& s, const AbiProblem& p, auto j) {
        const std::int64_t pairs = p.rotary_dim / 2;
        return unscaled_frequency(p, j) /
               s.short_factor[(j + by + pairs) % pairs];
      });
}

Mutations of_factors() {
  const Slip factor{"scaling/factors-lost", 14, "factor j belongs to pair j"};
  return {factor("frequency factor of the next pair",
                 "of: frequency of the next pair", takes_factor(1)),
          factor("frequency factor of the pair before",
                 "of: frequency of the next pair", takes_factor(-1))};
}

// (R13) with its parts open to change.
struct Llama3 {
  double length, low, high, s;
  double rotations(double theta) const {
    return length * theta / (2 * std::numbers::pi);
  }
  double blend(double theta, double sigma) const {
    return (1 - sigma) * theta / s + sigma * theta;
  }
  double sigma(double theta) const {
    return (rotations(theta) - low) / (high - low);
  }
  double scaled(double theta) const {
    const double t = rotations(theta);
    if (t >= high) return theta;
    if (t <= low) return theta / s;
    return blend(theta, sigma(theta));
  }
};

Llama3 llama3_of(const ropeproof_scaling& s) {
  return {s.original_length, s.low_freq_factor, s.high_freq_factor, s.factor};
}

Mutation llama3(const char* name, const char* source, const char* advice,
                double (*scale)(Llama3, double theta)) {
  return Slip{"scaling/llama3-smoothing", 13, advice}(
      std::string("llama3: ") + name, source,
      changes_scaling(ROPEPROOF_LLAMA3,
                      [=](double, const ropeproof_scaling& s,
                          const AbiProblem& p, std::int64_t j) {
                        return scale(llama3_of(s), unscaled_frequency(p, j));
                      }));
}

Mutations of_llama3() {
  constexpr const char* kBands =
      "t = L theta / 2 pi: kept for t >= high, divided for t <= low, blended "
      "between";
  return {llama3("no smoothing, the band between kept",
                 "of: llama3 scaling ignored", kBands,
                 [](Llama3 l, double theta) {
                   return l.rotations(theta) <= l.low ? theta / l.s : theta;
                 }),
          llama3("no smoothing, the band between divided",
                 "of: llama3: no smoothing, the band between kept", kBands,
                 [](Llama3 l, double theta) {
                   return l.rotations(theta) >= l.high ? theta : theta / l.s;
                 }),
          llama3("smoothing reversed", "ml-explore/mlx-examples#907", kBands,
                 [](Llama3 l, double theta) {
                   const double t = l.rotations(theta);
                   return t > l.low && t < l.high
                              ? l.blend(theta, 1 - l.sigma(theta))
                              : l.scaled(theta);
                 }),
          llama3("fast pairs divided, slow ones kept",
                 "of: llama3: smoothing reversed", kBands,
                 [](Llama3 l, double theta) {
                   const double t = l.rotations(theta);
                   return t >= l.high  ? theta / l.s
                          : t <= l.low ? theta
                                       : l.blend(theta, 1 - l.sigma(theta));
                 }),
          llama3("slow pairs multiplied by the factor",
                 "of: llama3 scaling inverted: multiplied, not divided", kBands,
                 [](Llama3 l, double theta) {
                   return l.rotations(theta) <= l.low ? theta * l.s
                                                      : l.scaled(theta);
                 }),
          llama3("original length always 8192", "trholding/llama2.c#14",
                 "use the original length that the problem gives",
                 [](Llama3 l, double theta) {
                   l.length = 8192;
                   return l.scaled(theta);
                 }),
          llama3("scaled length taken for the original",
                 "of: YaRN's scaled length taken for the original",
                 "L is the length before scaling",
                 [](Llama3 l, double theta) {
                   l.length *= l.s;
                   return l.scaled(theta);
                 }),
          llama3("factors 1 and 4 always", "trholding/llama2.c#14",
                 "use the frequency factors that the problem gives",
                 [](Llama3 l, double theta) {
                   l.low = 1, l.high = 4;
                   return l.scaled(theta);
                 }),
          llama3("factor always 8", "pytorch/executorch#7265",
                 "use the factor that the problem gives",
                 [](Llama3 l, double theta) {
                   l.s = 8;
                   return l.scaled(theta);
                 })};
}

}  // namespace

double rescaled(const AbiProblem& p, std::int64_t j, double theta) {
  const double due = due_frequency(p, j), before = unscaled_frequency(p, j);
  if (p.scaling == nullptr || p.scaling->kind != ROPEPROOF_LLAMA3) {
    return theta * (due / before);
  }
  // How much it divides by depends on the frequency.
  const Llama3 l = llama3_of(*p.scaling);
  return l.scaled(theta) * (due / l.scaled(before));
}

Mutations scaling_mutations() {
  return joined({of_all_kinds(),
                 {ntk_on_frequencies()},
                 of_factors(),
                 of_llama3(),
                 yarn_mutations(),
                 length_mutations()});
}

}  // namespace ropeproof::conformance::wrong
