// How exact angles, tables and results are.
#include <string>
#include <tuple>

#include "conformance/plugin/abi_words.h"
#include "conformance/text/word_tables.h"
#include "conformance/wrong/mutation_lists.h"

namespace ropeproof::conformance::wrong {
namespace {

using reference::Format;

double f32(double x) { return round_to(Format::kF32, x); }

// What tensor cores make of an f32 operand: 11 bits, the exponent of an f32.
double tf32(double x) { return rounded_to_bits(x, 11); }

auto takes_angle(AngleForm form) { return set(&Pipeline::angle, form); }

Mutations angles() {
  const TypedSlip rounded{
      {"angle/rounded-to-f32", 2,
       "form the angle in binary64, or claim class A1", true},
      {"angle/rounded-to-half", 2,
       "form the angle in f32, whatever the model's dtype", true}};
  Mutations all;
  for (const Format format : kNarrowFormats) {
    all.push_back(
        rounded(format, "angle rounded to ", "NVIDIA/TensorRT-LLM#18774",
                "cactus-compute/cactus#688", "huggingface/transformers#29285",
                takes_angle(rounded_product(format))));
    all.push_back(rounded(format, "position, frequency and angle rounded to ",
                          "of: angle rounded to f32",
                          "of: position, frequency and angle rounded to bf16",
                          "huggingface/candle#3520",
                          takes_angle(product_in(format))));
  }
  all.push_back({"position and frequency rounded to TF32",
                 "of: position, frequency and angle rounded to bf16",
                 "angle/rounded-to-half", 2,
                 "form the angle by no product of matrices, or forbid TF32",
                 takes_angle([](double position, double theta) {
                   return f32(tf32(position) * tf32(theta));
                 }),
                 true});
  all.push_back({"angle reduced in f32, with two constants", "kekzl/imp#1316",
                 "angle/no-range-reduction", 2,
                 "reduce the angle exactly, or in binary64, before sin and cos",
                 takes_angle([](double position, double theta) {
                   return reduced_in_f32(f32(position * theta));
                 }),
                 true});
  return all;
}

template <class Change>
auto rounds_table(Change change) {
  return for_all([=](CosSin& r) { r = {change(r.c), change(r.s)}; });
}

Mutations tables() {
  const Slip half{"frequency/rounded-to-half", 4,
                  "keep cos and sin in f32, or declare the type of the table",
                  true};
  const Slip mistaken{"output/rounded-wrongly", 4,
                      "read the table in the type that it has", true};
  Mutations all;
  for (const auto& [own, other, source] :
       {std::tuple{Format::kBF16, Format::kF16,
                   "KellerJordan/modded-nanogpt#39"},
        {Format::kF16, Format::kBF16, "flashinfer-ai/flashinfer#585"}}) {
    const std::string word = text::word(text::kFormatWords, own);
    all.push_back(
        half("table rounded to " + word, source,
             rounds_table([own = own](double x) { return round_to(own, x); })));
    all.push_back(half("table truncated to " + word,
                       "of: table rounded to " + word,
                       rounds_table([own = own](double x) {
                         return truncated(own, f32(x));
                       })));
    all.push_back(mistaken("table in " + word + " read as " +
                               text::word(text::kFormatWords, other),
                           "sgl-project/sgl-kernel-xpu#287",
                           rounds_table([own = own, other = other](double x) {
                             return decode(other, encode(own, x));
                           })));
  }
  all.push_back(half("table rounded to f32", "engine: transformers 5.24.0",
                     rounds_table(f32)));  // of f64 tensors
  return all;
}

// What is rounded to the dtype of q and k, whichever it is: change(to_it,
// pipeline), where to_it(problem, x) rounds.
template <class Change>
auto rounds_to_dtype(Change change) {
  return [=](Pipeline& pipeline) {
    // Tables and frequencies alone know of no q.
    const auto to_it = [dtype = pipeline.dtype](const AbiProblem& p, double x) {
      return p.operation == ROPEPROOF_TABLE ||
                     p.operation == ROPEPROOF_FREQUENCIES
                 ? x
                 : round_to(dtype.value_or(plugin::format_of(p.dtype)), x);
    };
    change(to_it)(pipeline);
  };
}

Mutations of_the_dtype() {
  const auto slip = [](cases::Bug bug, int equation, bool rounds = true) {
    return Slip{bug, equation,
                "keep positions, frequencies and tables in f32, whatever the "
                "model's dtype",
                rounds};
  };
  const Slip table = slip("frequency/rounded-to-half", 4);
  return {slip("position/rounded-to-half", 2, false)(
              "positions rounded to the dtype of q",
              "engine: rotary-embedding-torch 0.9.1",
              rounds_to_dtype([](auto to_it) {
                return changes_position([=](double x, const PairIndex& at) {
                  return to_it(at.p, x);
                });
              })),
          slip(table.bug, 1)(
              "frequencies rounded to the dtype of q",
              "sgl-project/sglang-jax#1472", rounds_to_dtype([](auto to_it) {
                return changes_frequency([=](double x, const AbiProblem& p,
                                             auto) { return to_it(p, x); });
              })),
          table("cosine, sine and amplitude rounded to the dtype of q, then "
                "multiplied in it",
                "engine: keras-hub 0.32.0", rounds_to_dtype([](auto to_it) {
                  return set(&Pipeline::adjust_directed,
                             [=](const PairIndex& at, CosSin& r) {
                               const AbiProblem& p = at.p;
                               const double m = p.amplitude;
                               if (m == 0 || p.pair_amplitude != nullptr)
                                 return;
                               for (double* x : {&r.c, &r.s}) {
                                 *x = to_it(p, to_it(p, *x / m) * to_it(p, m));
                               }
                             });
                })),
          table("table rounded to the dtype of q", "sgl-project/sglang#33117",
                rounds_to_dtype([](auto to_it) {
                  return set(&Pipeline::adjust_directed,
                             [=](const PairIndex& at, CosSin& r) {
                               r = {to_it(at.p, r.c), to_it(at.p, r.s)};
                             });
                }))};
}

Mutations results() {
  constexpr const char* kOf = "of: products and sums rounded to the dtype";
  const Slip once{"output/rounded-wrongly", 4,
                  "compute in f32 and round once, or declare the rounding",
                  true};
  const Slip own{once.bug, 4, "read and write q and k in their own type"};
  const Slip stored{once.bug, 4, own.advice, true};
  const Slip subnormal{"value/special-mishandled", 4, "leave flush-to-zero off",
                       true};
  const auto computes_in = [](Format format) {
    return both(set(&Pipeline::dtype, format),
                set(&Pipeline::round_each, true));
  };
  const auto to = [](Format format) {
    return [format](double x) { return round_to(format, x); };
  };
  return {
      once("products and sums rounded to the dtype", "mlc-ai/mlc-llm#2449",
           set(&Pipeline::round_each, true)),
      once("products and sums rounded to bf16", kOf,
           computes_in(Format::kBF16)),
      once("products and sums rounded to f16", kOf, computes_in(Format::kF16)),
      {"computed in f32", kOf, once.bug, 4, "compute f64 tensors in binary64",
       set(&Pipeline::is_f32, true), true},
      own("inputs rounded to bf16", "huggingface/transformers#48428",
          set(&Pipeline::input, to(Format::kBF16))),
      own("inputs rounded to f16", "of: inputs rounded to bf16",
          set(&Pipeline::input, to(Format::kF16))),
      once("products rounded to bf16", kOf,
           set(&Pipeline::product, to(Format::kBF16))),
      once("products rounded to f16", kOf,
           set(&Pipeline::product, to(Format::kF16))),
      stored("results rounded to bf16", "of: inputs rounded to bf16",
             set(&Pipeline::result, to(Format::kBF16))),
      stored("results rounded to f16", "of: inputs rounded to bf16",
             set(&Pipeline::result, to(Format::kF16))),
      {"inputs, cos and sin rounded to TF32", "of: inputs rounded to bf16",
       once.bug, 4, "rotate by no product of matrices, or forbid TF32",
       both(set(&Pipeline::input, tf32), rounds_table(tf32)), true},
      {"result truncated", "triton-lang/triton#11217", once.bug, 4,
       "round to nearest, ties to even; or claim the rounding \"truncate\", "
       "ROPEPROOF_TRUNCATE in C",
       set(&Pipeline::truncates, true), true},
      subnormal("subnormal products taken for 0", "llvm/llvm-project#57589",
                set(&Pipeline::flush, Flush::kProducts)),
      subnormal("subnormal results taken for 0", "llvm/llvm-project#57589",
                set(&Pipeline::flush, Flush::kOutputs))};
}

}  // namespace

Mutations rounding_mutations() {
  return joined({angles(), tables(), of_the_dtype(), results()});
}

}  // namespace ropeproof::conformance::wrong
