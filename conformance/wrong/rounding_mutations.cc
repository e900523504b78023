// How exact angles, tables and results are.
#include <cmath>
#include <string>
#include <tuple>

#include "conformance/plugin/abi_words.h"
#include "conformance/text/word_tables.h"
#include "conformance/wrong/mutation_lists.h"

namespace ropeproof::conformance::wrong {
namespace {

using reference::Format;

double f32(double x) { return round_to(Format::kF32, x); }

Mutations angles() {
  constexpr Sources kAlone = {"NVIDIA/TensorRT-LLM#18774",
                              "cactus-compute/cactus#688",
                              "huggingface/transformers#29285"},
                    kAll = {"of: angle rounded to f32",
                            "of: position, frequency and angle rounded to bf16",
                            "huggingface/candle#3520"};
  Mutations all;
  for (const auto& [format, word] : text::kFormatWords) {
    if (format == Format::kF64) continue;
    const bool is_f32 = format == Format::kF32;
    all.push_back({"angle rounded to " + std::string(word), kAlone.of(format),
                   is_f32 ? "angle/rounded-to-f32" : "angle/rounded-to-half", 2,
                   is_f32 ? "form the angle in binary64, or claim class A1"
                          : "form the angle in f32, whatever the model's dtype",
                   set(&Pipeline::angle, rounded_product(format)), true});
    all.push_back(
        {"position, frequency and angle rounded to " + std::string(word),
         kAll.of(format),
         is_f32 ? "angle/rounded-to-f32" : "angle/rounded-to-half", 2,
         is_f32 ? "form the angle in binary64, or claim class A1"
                : "form the angle in f32, whatever the model's dtype",
         set(&Pipeline::angle, product_in(format)), true});
  }
  all.push_back({"angle reduced in f32, with two constants", "kekzl/imp#1316",
                 "angle/no-range-reduction", 2,
                 "reduce the angle exactly, or in binary64, before sin and cos",
                 set(&Pipeline::angle,
                     [](double position, double theta) {
                       return reduced_in_f32(f32(position * theta));
                     }),
                 true});
  return all;
}

template <class Change>
auto rounds_table(Change change) {
  return for_all([=](double& c, double& s) { c = change(c), s = change(s); });
}

Mutations tables() {
  constexpr const char* kHalf = "frequency/rounded-to-half";
  constexpr const char* kWider =
      "keep cos and sin in f32, or declare the type of the table";
  constexpr const char* kType = "read the table in the type that it has";
  Mutations all;
  for (const auto& [own, other, source] :
       {std::tuple{Format::kBF16, Format::kF16,
                   "KellerJordan/modded-nanogpt#39"},
        {Format::kF16, Format::kBF16, "flashinfer-ai/flashinfer#585"}}) {
    const auto rounded = [own = own](double x) { return round_to(own, x); };
    const auto cut = [own = own](double x) { return truncated(own, f32(x)); };
    const auto mistaken = [own = own, other = other](double x) {
      return decode(other, encode(own, x));
    };
    const std::string word = text::word(text::kFormatWords, own);
    all.push_back({"table rounded to " + word, source, kHalf, 4, kWider,
                   rounds_table(rounded), true});
    all.push_back({"table truncated to " + word, "of: table rounded to " + word,
                   kHalf, 4, kWider, rounds_table(cut), true});
    all.push_back({"table in " + word + " read as " +
                       text::word(text::kFormatWords, other),
                   "sgl-project/sgl-kernel-xpu#287", "output/rounded-wrongly",
                   4, kType, rounds_table(mistaken), true});
  }
  return all;
}

// To the dtype of q and k, whichever it is.
Mutations of_the_dtype() {
  constexpr const char* kWider =
      "keep positions, frequencies and tables in f32, whatever the model's "
      "dtype";
  // Tables and frequencies alone know of no q.
  const auto to_it = [](const Pipeline& pipeline, const AbiProblem& p,
                        double x) {
    return p.operation == ROPEPROOF_TABLE ||
                   p.operation == ROPEPROOF_FREQUENCIES
               ? x
               : round_to(pipeline.dtype.value_or(plugin::format_of(p.dtype)),
                          x);
  };
  return {
      {"positions rounded to the dtype of q",
       "engine: rotary-embedding-torch 0.9.1", "position/rounded-to-half", 2,
       kWider,
       [=](Pipeline& pipeline) {
         pipeline.position = [=, k = pipeline](const AbiProblem& p,
                                               const HeadIndex& i,
                                               std::int64_t j) {
           return to_it(k, p, k.position(p, i, j));
         };
       }},
      {"frequencies rounded to the dtype of q", "sgl-project/sglang-jax#1472",
       "frequency/rounded-to-half", 1, kWider,
       [=](Pipeline& pipeline) {
         pipeline.frequency = [=, k = pipeline](const AbiProblem& p,
                                                std::int64_t j) {
           return to_it(k, p, k.frequency(p, j));
         };
       },
       true},
      {"cosine, sine and amplitude rounded to the dtype of q, then multiplied "
       "in it",
       "engine: keras-hub 0.32.0", "frequency/rounded-to-half", 4, kWider,
       [=](Pipeline& pipeline) {
         pipeline.adjust_in_problem = [=, k = pipeline](const AbiProblem& p,
                                                        const HeadIndex&,
                                                        double& c, double& s) {
           const double m = p.amplitude;
           if (m == 0 || p.pair_amplitude != nullptr) return;
           for (double* x : {&c, &s}) {
             *x = to_it(k, p, to_it(k, p, *x / m) * to_it(k, p, m));
           }
         };
       },
       true},
      {"table rounded to the dtype of q", "sgl-project/sglang#33117",
       "frequency/rounded-to-half", 4, kWider,
       [=](Pipeline& pipeline) {
         pipeline.adjust_in_problem = [=, k = pipeline](const AbiProblem& p,
                                                        const HeadIndex&,
                                                        double& c, double& s) {
           c = to_it(k, p, c), s = to_it(k, p, s);
         };
       },
       true}};
}

Mutations results() {
  constexpr const char* kBug = "output/rounded-wrongly";
  constexpr const char* kOnce =
      "compute in f32 and round once, or declare the rounding";
  const auto computes_in = [](Format format) {
    return [=](Pipeline& pipeline) {
      pipeline.dtype = format;
      pipeline.round_each = true;
    };
  };
  const auto inputs_in = [](Format format) {
    return [=](Pipeline& pipeline) { pipeline.inputs = format; };
  };
  return {
      {"products and sums rounded to the dtype", "mlc-ai/mlc-llm#2449", kBug, 4,
       kOnce, set(&Pipeline::round_each, true), true},
      {"products and sums rounded to bf16",
       "of: products and sums rounded to the dtype", kBug, 4, kOnce,
       computes_in(Format::kBF16), true},
      {"products and sums rounded to f16",
       "of: products and sums rounded to the dtype", kBug, 4, kOnce,
       computes_in(Format::kF16), true},
      {"computed in f32", "of: products and sums rounded to the dtype", kBug, 4,
       "compute f64 tensors in binary64", set(&Pipeline::is_f32, true), true},
      {"inputs rounded to bf16", "huggingface/transformers#48428", kBug, 4,
       "read q and k in their own type", inputs_in(Format::kBF16)},
      {"inputs rounded to f16", "of: inputs rounded to bf16", kBug, 4,
       "read q and k in their own type", inputs_in(Format::kF16)},
      {"result truncated", "triton-lang/triton#11217", kBug, 4,
       "round to nearest, ties to even; or declare ROPEPROOF_TRUNCATE",
       set(&Pipeline::truncates, true), true},
      {"subnormal products taken for 0", "llvm/llvm-project#57589",
       "value/special-mishandled", 4, "leave flush-to-zero off",
       set(&Pipeline::flush, Flush::kProducts), true},
      {"subnormal results taken for 0", "llvm/llvm-project#57589",
       "value/special-mishandled", 4, "leave flush-to-zero off",
       set(&Pipeline::flush, Flush::kOutputs), true}};
}

}  // namespace

Mutations rounding_mutations() {
  return joined({angles(), tables(), of_the_dtype(), results()});
}

}  // namespace ropeproof::conformance::wrong
