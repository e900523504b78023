// Frequencies without their scaling: exponents, bases, rounding.
#include <cmath>
#include <string>
#include <tuple>

#include "conformance/text/word_tables.h"
#include "conformance/wrong/mutation_lists.h"

namespace ropeproof::conformance::wrong {

using reference::Format;

double PairPower::value() const { return std::pow(base, -n / d); }

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
  return due.d == 0 ? 0 : due.value();
}

namespace {

constexpr const char* kWrongExponent = "frequency/wrong-exponent";

Mutations exponents() {
  const Slip wrong{kWrongExponent, 1,
                   "theta_j = base^(-2j/r), j = 0 .. r/2 - 1"};
  const auto of = [&](const char* name, const char* source,
                      double (*exponent)(double j, double r)) {
    return wrong(name, source,
                 takes_power([=](const AbiProblem& p, auto j, auto& due) {
                   return std::pow(due.base,
                                   exponent(static_cast<double>(j),
                                            static_cast<double>(p.rotary_dim)));
                 }));
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
         [](double j, double r) { return -2 * j / (r - 1); }),
      of("exponent -2j/64, whatever the width", "of: exponent over head_dim",
         [](double j, double) { return -2 * j / 64; }),
      of("exponent -2j/128, whatever the width", "of: exponent over head_dim",
         [](double j, double) { return -2 * j / 128; })};
}

Mutations bases() {
  constexpr const char* kBug = "frequency/wrong-base";
  constexpr const char* kOther = "of: base always 10000";
  const Slip fixed{kBug, 1, "use the base that the problem gives"};
  Mutations all;
  for (const auto& [base, source] :
       {std::tuple{100, "of: exponent -j/r, half of the right one"},
        {10000, "vllm-project/vllm#9503"},
        {150000, kOther},
        {500000, "THUDM/slime#1720"},
        {1000000, kOther},
        {50000, kOther},
        {10000000, kOther}}) {
    all.push_back(
        fixed("base always " + std::to_string(base), source,
              both(takes_power([base = base](auto&, auto, auto& due) {
                     return PairPower{double(base), due.n, due.d}.value();
                   }),
                   yarn_of_base(base))));
  }
  all.push_back(
      fixed("base cut to a whole number", kOther,
            takes_power([](auto&, auto, auto& due) {
              return PairPower{std::trunc(due.base), due.n, due.d}.value();
            })));
  all.push_back(
      {"given frequencies ignored, base 10000", kOther, kBug, 1,
       "where base is 0, the frequencies are those of inv_freq",
       changes_frequency([](double theta, const AbiProblem& p, auto j) {
         return p.base != 0 ? theta : power(1e4, j, p.rotary_dim);
       })});
  return all;
}

// Frequencies that begin again on each axis, where a map counts over all.
Mutations restarts() {
  const auto restarted = [](bool over_axis) {
    return takes_power([=](const AbiProblem& p, std::int64_t j, auto& due) {
      if (p.axis_of_pair == nullptr || p.pair_bases != nullptr) {
        return due.value();
      }
      std::int64_t before = 0, all = 0;
      for (std::int64_t i = 0; i < p.rotary_dim / 2; ++i) {
        if (p.axis_of_pair[i] != p.axis_of_pair[j]) continue;
        if (i < j) ++before;
        ++all;
      }
      return power(due.base, before, over_axis ? 2 * all : p.rotary_dim);
    });
  };
  const Slip begun_again{"axes/mrope-sections", 1,
                         "j counts the pairs of all axes"};
  return {
      begun_again("frequencies begin again on each axis",
                  "of: frequencies of each axis counted over all pairs",
                  restarted(false)),
      begun_again("frequencies of each axis as of a head of its own",
                  "of: frequencies begin again on each axis", restarted(true)),
      {"frequencies of each axis counted over all pairs",
       "meta-pytorch/torchtune#2593", "axes/2d-swapped", 1,
       "each axis has frequencies of its own",
       set(&Pipeline::frequency, [](const AbiProblem& p, auto j) {
         return p.pair_bases != nullptr && p.position_axes > 1
                    ? power(p.pair_bases[j], j, p.rotary_dim)
                    : due_frequency(p, j);
       })}};
}

// Powers of the first frequency, each rounded to the format.
auto multiplied_on(Format format) {
  return takes_power([=](const auto&, std::int64_t j, const PairPower& due) {
    const double step = round_to(format, std::pow(due.base, -2 / due.d));
    double theta = 1;
    for (std::int64_t i = 0; i < j; ++i) theta = round_to(format, theta * step);
    return theta;
  });
}

Mutations roundings() {
  const Slip half{"frequency/rounded-to-half", 1,
                  "keep inv_freq in f32, whatever the model's dtype", true};
  const TypedSlip rounded{
      {"angle/rounded-to-f32", 1,
       "form the angle in binary64, or claim class A1", true},
      half};
  constexpr const char* kMultiplied =
      "frequencies multiplied on from pair to pair, in f32";
  constexpr const char* kPower =
      "form each frequency by its own power, or claim class A2";
  Mutations all;
  for (const Format format : kNarrowFormats) {
    all.push_back(
        rounded(format, "frequencies rounded to ", "NVIDIA/TensorRT-LLM#18774",
                "EleutherAI/gpt-neox#1003", "sgl-project/sglang-jax#1472",
                changes_frequency([=](double theta, auto&, auto) {
                  return round_to(format, theta);
                })));
  }
  return joined(
      {all,
       {half("frequencies truncated to bf16", "of: frequencies rounded to bf16",
             changes_frequency([](double theta, auto&, auto) {
               return truncated(Format::kBF16, round_to(Format::kF32, theta));
             })),
        {kMultiplied, "engine: ggml 0.21.0", "angle/by-recurrence", 1, kPower,
         multiplied_on(Format::kF32), true},
        {"frequencies multiplied on from pair to pair, in bf16",
         std::string("of: ") + kMultiplied, half.bug, 1, kPower,
         multiplied_on(Format::kBF16), true}}});
}

Mutations units() {
  const Slip index{kWrongExponent, 1, "look at the index of the frequencies"};
  return {
      index("frequency of the next pair", "microsoft/onnxruntime#26390",
            changes_frequency([](double theta, const AbiProblem& p, auto j) {
              return j + 1 < p.rotary_dim / 2 ? due_frequency(p, j + 1) : theta;
            })),
      index("frequency of the pair before", "of: frequency of the next pair",
            changes_frequency([](double theta, const AbiProblem& p, auto j) {
              return j > 0 ? due_frequency(p, j - 1) : theta;
            })),
      index("frequency of pair 0 for all", "xlite-dev/LeetCUDA#289",
            changes_frequency([](double, const AbiProblem& p, auto) {
              return due_frequency(p, 0);
            }))};
}

}  // namespace

Mutations frequency_mutations() {
  return joined({exponents(), bases(), restarts(), roundings(), units()});
}

}  // namespace ropeproof::conformance::wrong
