// Frequencies without their scaling: exponents, bases, rounding.
#include <cmath>
#include <numbers>
#include <string>
#include <tuple>

#include "conformance/text/word_tables.h"
#include "conformance/wrong/mutation_lists.h"

namespace ropeproof::conformance::wrong {

using reference::Format;

double due_frequency(const AbiProblem& p, std::int64_t j) {
  return p.inv_freq != nullptr ? p.inv_freq[j] : power(p.base, j, p.rotary_dim);
}

PairPower power_of(const AbiProblem& p, std::int64_t j) {
  if (p.pair_bases != nullptr) {
    return {p.pair_bases[j], static_cast<double>(p.exponent_numerators[j]),
            static_cast<double>(p.exponent_denominators[j])};
  }
  return {p.base, 2 * static_cast<double>(j),
          static_cast<double>(p.rotary_dim)};
}

double unscaled_frequency(const AbiProblem& p, std::int64_t j) {
  const PairPower due = power_of(p, j);
  if (due.base == 0) return due_frequency(p, j);
  return due.d == 0 ? 0 : std::pow(due.base, -due.n / due.d);
}

namespace {

Mutations exponents() {
  const auto of = [](const char* name, const char* source, auto exponent) {
    return Mutation{
        name,
        source,
        "frequency/wrong-exponent",
        1,
        "theta_j = base^(-2j/r), j = 0 .. r/2 - 1",
        takes_power(
            [=](const AbiProblem& p, std::int64_t j, const PairPower& due) {
              return std::pow(due.base,
                              exponent(static_cast<double>(j),
                                       static_cast<double>(p.rotary_dim)));
            })};
  };
  return {
      of("exponent -j/r, half of the right one", "rasbt/LLMs-from-scratch#410",
         [](double j, double r) { return -j / r; }),
      of("exponent -4j/r, twice the right one", "erratum: a tutorial",
         [](double j, double r) { return -4 * j / r; }),
      of("exponent -2(j+1)/r, counted from 1",
         "erratum: tutorials that count theta_i from 1",
         [](double j, double r) { return -2 * (j + 1) / r; }),
      of("exponent -2(j-1)/r", "bkitano/llama-from-scratch#8",
         [](double j, double r) { return -2 * (j - 1) / r; }),
      of("exponent -(2j+1)/r, half a step off",
         "stanford-cs336/assignment1-basics#22",
         [](double j, double r) { return -(2 * j + 1) / r; }),
      of("exponent +2j/r, sign lost", "xlite-dev/LeetCUDA#289",
         [](double j, double r) { return 2 * j / r; }),
      of("exponent -j/(r/2 - 1)", "of: exponent -(2j+1)/r, half a step off",
         [](double j, double r) { return r > 2 ? -j / (r / 2 - 1) : -j; }),
      of("exponent -2j/(r - 1)", "of: exponent -j/(r/2 - 1)",
         [](double j, double r) { return -2 * j / (r - 1); })};
}

Mutations bases() {
  Mutations all;
  constexpr const char* kOther = "of: base always 10000";
  const std::tuple<const char*, double, const char*> values[] = {
      {"100", 100, "of: exponent -j/r, half of the right one"},
      {"10000", 1e4, "vllm-project/vllm#9503"},
      {"150000", 150000, kOther},
      {"500000", 500000, "THUDM/slime#1720"},
      {"1000000", 1e6, kOther},
      {"50000", 50000, kOther},
      {"10000000", 1e7, kOther}};
  for (const auto& [text, base, source] : values) {
    all.push_back({std::string("base always ") + text, source,
                   "frequency/wrong-base", 1,
                   "use the base that the problem gives",
                   takes_power([base = base](const AbiProblem&, std::int64_t,
                                             const PairPower& due) {
                     return std::pow(base, -due.n / due.d);
                   })});
  }
  all.push_back(
      {"given frequencies ignored, base 10000", "of: base always 10000",
       "frequency/wrong-base", 1,
       "where base is 0, the frequencies are those of inv_freq",
       changes_frequency([](double theta, const AbiProblem& p, std::int64_t j) {
         return p.base != 0 ? theta : power(1e4, j, p.rotary_dim);
       })});
  return all;
}

// Of each axis by itself, where a map counts over all.
Mutations restarts() {
  const auto restarted = [](bool over_axis) {
    return [=](const AbiProblem& p, std::int64_t j, const PairPower& due) {
      if (p.axis_of_pair == nullptr || p.pair_bases != nullptr) {
        return std::pow(due.base, -due.n / due.d);
      }
      std::int64_t before = 0, all = 0;
      for (std::int64_t i = 0; i < p.rotary_dim / 2; ++i) {
        if (p.axis_of_pair[i] != p.axis_of_pair[j]) continue;
        if (i < j) ++before;
        ++all;
      }
      return power(due.base, before, over_axis ? 2 * all : p.rotary_dim);
    };
  };
  constexpr const char* kAdvice = "j counts the pairs of all axes";
  return {{"frequencies begin again on each axis",
           "of: frequencies of each axis counted over all pairs",
           "axes/mrope-sections", 1, kAdvice, takes_power(restarted(false))},
          {"frequencies of each axis as of a head of its own",
           "of: frequencies begin again on each axis", "axes/mrope-sections", 1,
           kAdvice, takes_power(restarted(true))},
          {"frequencies of each axis counted over all pairs",
           "meta-pytorch/torchtune#2593", "axes/2d-swapped", 1,
           "each axis has frequencies of its own",
           set(&Pipeline::frequency, [](const AbiProblem& p, std::int64_t j) {
             return p.pair_bases != nullptr && p.position_axes > 1
                        ? power(p.pair_bases[j], j, p.rotary_dim)
                        : due_frequency(p, j);
           })}};
}

Mutations roundings() {
  constexpr Sources kSources = {"NVIDIA/TensorRT-LLM#18774",
                                "EleutherAI/gpt-neox#1003",
                                "sgl-project/sglang-jax#1472"};
  Mutations all;
  for (const auto& [format, word] : text::kFormatWords) {
    if (format == Format::kF64) continue;
    const bool is_f32 = format == Format::kF32;
    all.push_back(
        {"frequencies rounded to " + std::string(word), kSources.of(format),
         is_f32 ? "angle/rounded-to-f32" : "frequency/rounded-to-half", 1,
         is_f32 ? "form the angle in binary64, or claim class A1"
                : "keep inv_freq in f32, whatever the model's dtype",
         changes_frequency(
             [format = format](double theta, const AbiProblem&, std::int64_t) {
               return round_to(format, theta);
             }),
         true});
  }
  all.push_back(
      {"frequencies truncated to bf16", "of: frequencies rounded to bf16",
       "frequency/rounded-to-half", 1,
       "keep inv_freq in f32, whatever the model's dtype",
       changes_frequency([](double theta, const AbiProblem&, std::int64_t) {
         return truncated(Format::kBF16, round_to(Format::kF32, theta));
       }),
       true});
  for (const Format format : {Format::kF32, Format::kBF16}) {
    all.push_back(
        {format == Format::kF32
             ? "frequencies multiplied on from pair to pair, in f32"
             : "frequencies multiplied on from pair to pair, in bf16",
         format == Format::kF32
             ? "engine: ggml 0.21.0"
             : "of: frequencies multiplied on from pair to pair, in f32",
         format == Format::kF32 ? "angle/by-recurrence"
                                : "frequency/rounded-to-half",
         1, "form each frequency by its own power, or claim class A2",
         takes_power([format](const AbiProblem&, std::int64_t j,
                              const PairPower& due) {
           const double step = round_to(format, std::pow(due.base, -2 / due.d));
           double theta = 1;
           for (std::int64_t i = 0; i < j; ++i) {
             theta = round_to(format, theta * step);
           }
           return theta;
         }),
         true});
  }
  return all;
}

Mutations units() {
  return {
      {"frequency of the next pair", "microsoft/onnxruntime#26390",
       "frequency/wrong-exponent", 1, "look at the index of the frequencies",
       changes_frequency([](double theta, const AbiProblem& p, std::int64_t j) {
         return j + 1 < p.rotary_dim / 2 ? due_frequency(p, j + 1) : theta;
       })},
      {"frequency of the pair before", "of: frequency of the next pair",
       "frequency/wrong-exponent", 1, "look at the index of the frequencies",
       changes_frequency([](double theta, const AbiProblem& p, std::int64_t j) {
         return j > 0 ? due_frequency(p, j - 1) : theta;
       })},
      {"frequency of pair 0 for all", "xlite-dev/LeetCUDA#289",
       "frequency/wrong-exponent", 1, "look at the index of the frequencies",
       changes_frequency([](double, const AbiProblem& p, std::int64_t) {
         return due_frequency(p, 0);
       })}};
}

}  // namespace

Mutations frequency_mutations() {
  return joined({exponents(), bases(), restarts(), roundings(), units()});
}

}  // namespace ropeproof::conformance::wrong
