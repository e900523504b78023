// Scalings that change the base, or look at the length of the sequence.
#include <algorithm>
#include <cmath>

#include "conformance/wrong/mutation_lists.h"

namespace ropeproof::conformance::wrong {
namespace {

double alpha_at(const ropeproof_scaling& s, double length) {
  return s.factor * length / s.original_length - (s.factor - 1);
}

// theta alpha(scaling)^(-n/(d - 2)), of dynamic NTK.
auto takes_alpha(double (*alpha)(const ropeproof_scaling&)) {
  return changes_scaling(ROPEPROOF_DYNAMIC_NTK,
                         [=](double theta, const ropeproof_scaling& s,
                             const AbiProblem& p, std::int64_t j) {
                           const PairPower due = power_of(p, j);
                           if (due.base == 0 || due.d <= 2) return theta;
                           return unscaled_frequency(p, j) *
                                  std::pow(alpha(s), -due.n / (due.d - 2));
                         });
}

// theta alpha^-exponent(due), of both kinds.
template <class Exponent>
auto takes_exponent(Exponent exponent) {
  return changes_frequency(
      [=](double theta, const AbiProblem& p, std::int64_t j) {
        const PairPower due = power_of(p, j);
        const bool is_dynamic =
            p.scaling != nullptr && p.scaling->kind == ROPEPROOF_DYNAMIC_NTK;
        if (p.scaling == nullptr || due.base == 0 || due.d <= 2 ||
            (p.scaling->kind != ROPEPROOF_NTK && !is_dynamic)) {
          return theta;
        }
        const ropeproof_scaling& s = *p.scaling;
        const double alpha =
            is_dynamic ? std::max(alpha_at(s, s.seq_len), 1.0) : s.factor;
        return unscaled_frequency(p, j) * std::pow(alpha, -exponent(due));
      });
}

Mutations of_alpha() {
  constexpr const char* kOfFactor =
      "of: dynamic NTK: alpha is always the factor";
  const Slip ntk{"scaling/dynamic-ntk", 8, "b' = b alpha^(d/(d-2))"};
  const Slip dynamic{"scaling/dynamic-ntk", 9,
                     "alpha = s N/M - (s - 1) beyond the trained length M, 1 "
                     "up to it; N = the largest position + 1"};
  const Slip length{"scaling/length-mistaken", 9, dynamic.advice};
  const auto of = [&](const Slip& slip, const char* name, const char* source,
                      double (*alpha)(const ropeproof_scaling&)) {
    return slip(std::string("dynamic NTK: ") + name, source,
                takes_alpha(alpha));
  };
  return {ntk("NTK: base times alpha, without the power d/(d-2)",
              "Eyeline-Labs/CineScale#7",
              takes_exponent([](auto& due) { return due.n / due.d; })),
          ntk("NTK: alpha to the power (d-2)/d",
              "of: NTK: base times alpha, without the power d/(d-2)",
              takes_exponent([](auto& due) {
                return due.n / due.d * (due.d - 2) / due.d;
              })),
          of(dynamic, "alpha is always the factor", "vllm-project/vllm#5093",
             [](const auto& s) { return s.factor; }),
          of(dynamic, "always for the longest sequence, N = s M",
             "engine: vllm 0.33.0",
             [](const auto& s) {
               return alpha_at(s, s.factor * s.original_length);
             }),
          of(dynamic, "alpha = N/M", kOfFactor,
             [](const auto& s) {
               return std::max(s.seq_len / s.original_length, 1.0);
             }),
          of(dynamic, "alpha = s N/M", kOfFactor,
             [](const auto& s) {
               return s.seq_len > s.original_length
                          ? s.factor * s.seq_len / s.original_length
                          : 1.0;
             }),
          of(dynamic, "alpha below 1 within the trained length",
             "theroyallab/tabbyAPI#18",
             [](const auto& s) { return alpha_at(s, s.seq_len); }),
          of(length, "length one too small",
             "of: LongRoPE: long list from length L on",
             [](const auto& s) {
               return std::max(alpha_at(s, s.seq_len - 1), 1.0);
             }),
          of(length, "length one too large", "huggingface/transformers#31500",
             [](const auto& s) {
               return std::max(alpha_at(s, s.seq_len + 1), 1.0);
             })};
}

// Takes the long list of LongRoPE where is_long(scaling), at another index.
template <class IsLong>
auto takes_list(IsLong is_long, std::int64_t shift = 0) {
  return changes_scaling(
      ROPEPROOF_LONG_ROPE, [=](double, const ropeproof_scaling& s,
                               const AbiProblem& p, std::int64_t j) {
        const double* list = is_long(s) ? s.long_factor : s.short_factor;
        const std::int64_t pairs = p.rotary_dim / 2;
        return unscaled_frequency(p, j) / list[(j + shift + pairs) % pairs];
      });
}

bool is_long(const ropeproof_scaling& s) {
  return s.seq_len > s.original_length;
}

Mutations of_lists() {
  const Slip list{
      "scaling/longrope-list", 12,
      "the long list where the largest position + 1 > L, else the short one"};
  const Slip length{"scaling/length-mistaken", 12, list.advice};
  const Slip factor{list.bug, 12, "factor j belongs to pair j"};
  return {list("LongRoPE: short list always", "huggingface/optimum-intel#1504",
               takes_list([](const auto&) { return false; })),
          list("LongRoPE: long list always", "lablup/mlxcel#1358",
               takes_list([](const auto&) { return true; })),
          list("LongRoPE: lists exchanged", "of: LongRoPE: short list always",
               takes_list([](const auto& s) { return !is_long(s); })),
          length("LongRoPE: long list from length L on",
                 "unslothai/unsloth#10681", takes_list([](const auto& s) {
                   return s.seq_len >= s.original_length;
                 })),
          length("LongRoPE: long list from length L + 2 on", "engine: SGLang",
                 takes_list([](const auto& s) {
                   return s.seq_len > s.original_length + 1;
                 })),
          factor("LongRoPE: factor of the next pair",
                 "of: frequency of the next pair", takes_list(is_long, 1)),
          factor("LongRoPE: factor of the pair before",
                 "of: frequency of the next pair", takes_list(is_long, -1))};
}

}  // namespace

Mutations length_mutations() { return joined({of_alpha(), of_lists()}); }

}  // namespace ropeproof::conformance::wrong
