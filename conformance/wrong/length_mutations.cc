// Scalings that change the base, or look at the length of the sequence.
#include <algorithm>
#include <cmath>

#include "conformance/wrong/mutation_lists.h"

namespace ropeproof::conformance::wrong {
namespace {

double alpha_at(const ropeproof_scaling& s, double length) {
  return s.factor * length / s.original_length - (s.factor - 1);
}

// theta alpha(scaling, p)^(-n/(d - 2)), of one kind.
template <class Alpha>
auto takes_alpha(std::uint32_t kind, Alpha alpha) {
  return changes_scaling(kind, [=](double theta, const ropeproof_scaling& s,
                                   const AbiProblem& p, std::int64_t j) {
    const PairPower due = power_of(p, j);
    if (due.base == 0 || due.d <= 2) return theta;
    return unscaled_frequency(p, j) *
           std::pow(alpha(s, p), -due.n / (due.d - 2));
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
        return unscaled_frequency(p, j) * std::pow(alpha, -exponent(p, due));
      });
}

Mutations of_alpha() {
  constexpr const char* kBug = "scaling/dynamic-ntk";
  constexpr const char* kLength = "scaling/length-mistaken";
  constexpr const char* kAlpha =
      "alpha = s N/M - (s - 1) beyond the trained length M, 1 up to it; "
      "N = the largest position + 1";
  const auto dynamic = [&](const char* name, const char* source,
                           const char* bug, auto alpha) {
    return Mutation{name, source, bug,
                    9,    kAlpha, takes_alpha(ROPEPROOF_DYNAMIC_NTK, alpha)};
  };
  return {{"NTK: base times alpha, without the power d/(d-2)",
           "Eyeline-Labs/CineScale#7", kBug, 8, "b' = b alpha^(d/(d-2))",
           takes_exponent(
               [](const AbiProblem&, auto& due) { return due.n / due.d; })},
          {"NTK: alpha to the power (d-2)/d",
           "of: NTK: base times alpha, without the power d/(d-2)", kBug, 8,
           "b' = b alpha^(d/(d-2))",
           takes_exponent([](const AbiProblem&, auto& due) {
             return due.n / due.d * (due.d - 2) / due.d;
           })},
          dynamic("dynamic NTK: alpha is always the factor",
                  "vllm-project/vllm#5093", kBug,
                  [](const auto& s, const AbiProblem&) { return s.factor; }),
          dynamic("dynamic NTK: always for the longest sequence, N = s M",
                  "engine: vllm 0.33.0", kBug,
                  [](const auto& s, const AbiProblem&) {
                    return alpha_at(s, s.factor * s.original_length);
                  }),
          dynamic("dynamic NTK: alpha = N/M",
                  "of: dynamic NTK: alpha is always the factor", kBug,
                  [](const auto& s, const AbiProblem&) {
                    return std::max(s.seq_len / s.original_length, 1.0);
                  }),
          dynamic("dynamic NTK: alpha = s N/M",
                  "of: dynamic NTK: alpha is always the factor", kBug,
                  [](const auto& s, const AbiProblem&) {
                    return s.seq_len > s.original_length
                               ? s.factor * s.seq_len / s.original_length
                               : 1.0;
                  }),
          dynamic("dynamic NTK: alpha below 1 within the trained length",
                  "theroyallab/tabbyAPI#18", kBug,
                  [](const auto& s, const AbiProblem&) {
                    return alpha_at(s, s.seq_len);
                  }),
          dynamic("dynamic NTK: length one too small",
                  "of: LongRoPE: long list from length L on", kLength,
                  [](const auto& s, const AbiProblem&) {
                    return std::max(alpha_at(s, s.seq_len - 1), 1.0);
                  }),
          dynamic("dynamic NTK: length one too large",
                  "huggingface/transformers#31500", kLength,
                  [](const auto& s, const AbiProblem&) {
                    return std::max(alpha_at(s, s.seq_len + 1), 1.0);
                  })};
}

// is_long(scaling, problem)
template <class IsLong>
auto takes_list(IsLong is_long, std::int64_t shift = 0) {
  return changes_scaling(
      ROPEPROOF_LONG_ROPE, [=](double, const ropeproof_scaling& s,
                               const AbiProblem& p, std::int64_t j) {
        const double* list = is_long(s, p) ? s.long_factor : s.short_factor;
        const std::int64_t pairs = p.rotary_dim / 2;
        return unscaled_frequency(p, j) / list[(j + shift + pairs) % pairs];
      });
}

bool is_long(const ropeproof_scaling& s, const AbiProblem&) {
  return s.seq_len > s.original_length;
}

Mutations of_lists() {
  constexpr const char* kBug = "scaling/longrope-list";
  constexpr const char* kLength = "scaling/length-mistaken";
  constexpr const char* kSwitch =
      "the long list where the largest position + 1 > L, else the short one";
  return {
      {"LongRoPE: short list always", "huggingface/optimum-intel#1504", kBug,
       12, kSwitch,
       takes_list([](const auto&, const AbiProblem&) { return false; })},
      {"LongRoPE: long list always", "lablup/mlxcel#1358", kBug, 12, kSwitch,
       takes_list([](const auto&, const AbiProblem&) { return true; })},
      {"LongRoPE: lists exchanged", "of: LongRoPE: short list always", kBug, 12,
       kSwitch, takes_list([](const auto& s, const AbiProblem& p) {
         return !is_long(s, p);
       })},
      {"LongRoPE: long list from length L on", "unslothai/unsloth#10681",
       kLength, 12, kSwitch, takes_list([](const auto& s, const AbiProblem&) {
         return s.seq_len >= s.original_length;
       })},
      {"LongRoPE: long list from length L + 2 on", "engine: SGLang", kLength,
       12, kSwitch, takes_list([](const auto& s, const AbiProblem&) {
         return s.seq_len > s.original_length + 1;
       })},
      {"LongRoPE: factor of the next pair", "of: frequency of the next pair",
       kBug, 12, "factor j belongs to pair j", takes_list(is_long, 1)},
      {"LongRoPE: factor of the pair before", "of: frequency of the next pair",
       kBug, 12, "factor j belongs to pair j", takes_list(is_long, -1)}};
}

}  // namespace

Mutations length_mutations() { return joined({of_alpha(), of_lists()}); }

}  // namespace ropeproof::conformance::wrong
