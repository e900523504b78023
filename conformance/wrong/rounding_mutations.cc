// How exact angles, tables and results are.
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "conformance/plugin/words.h"
#include "conformance/text/words.h"
#include "conformance/wrong/mutation_lists.h"

namespace ropeproof::conformance::wrong {
namespace {

using reference::Format;

double f32(double x) { return round_to(Format::kF32, x); }

// Positions that a sum runs to, at most.
constexpr std::int64_t kMostSteps = 1 << 14;

// The angle at each position, theta added to the one before, in f32.
auto sums_up_in_f32() {
  return [](Pipeline& pipeline) {
    const auto sums = std::make_shared<std::map<double, std::vector<float>>>();
    pipeline.angle = [sums](double position, double theta) {
      const double steps = std::trunc(std::abs(position));
      if (steps > kMostSteps || steps != std::abs(position)) {
        return position * theta;
      }
      std::vector<float>& of_theta = (*sums)[theta];
      if (of_theta.empty()) of_theta.push_back(0);
      while (static_cast<double>(of_theta.size()) <= steps) {
        of_theta.push_back(of_theta.back() + static_cast<float>(theta));
      }
      const auto sum = double{of_theta[static_cast<std::size_t>(steps)]};
      return std::copysign(1, position) * sum;
    };
  };
}

Mutations angles() {
  Mutations all;
  for (const auto& [format, word] : text::kFormatWords) {
    if (format == Format::kF64) continue;
    const bool is_f32 = format == Format::kF32;
    all.push_back({"angle rounded to " + std::string(word),
                   is_f32 ? "angle/rounded-to-f32" : "angle/rounded-to-half", 2,
                   is_f32 ? "form the angle in binary64, or claim class A1"
                          : "form the angle in f32, whatever the model's dtype",
                   set(&Pipeline::angle, rounded_product(format)), true});
    all.push_back(
        {"position, frequency and angle rounded to " + std::string(word),
         is_f32 ? "angle/rounded-to-f32" : "angle/rounded-to-half", 2,
         is_f32 ? "form the angle in binary64, or claim class A1"
                : "form the angle in f32, whatever the model's dtype",
         set(&Pipeline::angle, product_in(format)), true});
  }
  all.push_back({"angle reduced in f32, with two constants",
                 "angle/no-range-reduction", 2,
                 "reduce the angle exactly, or in binary64, before sin and cos",
                 set(&Pipeline::angle,
                     [](double position, double theta) {
                       return reduced_in_f32(f32(position * theta));
                     }),
                 true});
  all.push_back({"angle summed up from position to position, in f32",
                 "angle/by-recurrence", 2,
                 "multiply the position by the frequency, once",
                 sums_up_in_f32(), true});
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
  for (const auto& [own, other] : {std::pair{Format::kBF16, Format::kF16},
                                   {Format::kF16, Format::kBF16}}) {
    const auto rounded = [own = own](double x) { return round_to(own, x); };
    const auto cut = [own = own](double x) { return truncated(own, f32(x)); };
    const auto mistaken = [own = own, other = other](double x) {
      return decode(other, encode(own, x));
    };
    const std::string word = text::word(text::kFormatWords, own);
    all.push_back({"table rounded to " + word, kHalf, 4, kWider,
                   rounds_table(rounded), true});
    all.push_back({"table truncated to " + word, kHalf, 4, kWider,
                   rounds_table(cut), true});
    all.push_back({"table in " + word + " read as " +
                       text::word(text::kFormatWords, other),
                   "output/rounded-wrongly", 4, kType, rounds_table(mistaken),
                   true});
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
      {"positions rounded to the dtype of q", "position/rounded-to-half", 2,
       kWider,
       [=](Pipeline& pipeline) {
         pipeline.position = [=, k = pipeline](const AbiProblem& p,
                                               const HeadIndex& i,
                                               std::int64_t j) {
           return to_it(k, p, k.position(p, i, j));
         };
       }},
      {"frequencies rounded to the dtype of q", "frequency/rounded-to-half", 1,
       kWider,
       [=](Pipeline& pipeline) {
         pipeline.frequency = [=, k = pipeline](const AbiProblem& p,
                                                std::int64_t j) {
           return to_it(k, p, k.frequency(p, j));
         };
       },
       true},
      {"cosine, sine and amplitude rounded to the dtype of q, then multiplied "
       "in it",
       "frequency/rounded-to-half", 4, kWider,
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
      {"table rounded to the dtype of q", "frequency/rounded-to-half", 4,
       kWider,
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
  return {{"products and sums rounded to the dtype", kBug, 4, kOnce,
           set(&Pipeline::round_each, true), true},
          {"products and sums rounded to bf16", kBug, 4, kOnce,
           computes_in(Format::kBF16), true},
          {"products and sums rounded to f16", kBug, 4, kOnce,
           computes_in(Format::kF16), true},
          {"computed in f32", kBug, 4, "compute f64 tensors in binary64",
           set(&Pipeline::is_f32, true), true},
          {"inputs rounded to bf16", kBug, 4, "read q and k in their own type",
           inputs_in(Format::kBF16)},
          {"inputs rounded to f16", kBug, 4, "read q and k in their own type",
           inputs_in(Format::kF16)},
          {"result truncated", kBug, 4,
           "round to nearest, ties to even; or declare ROPEPROOF_TRUNCATE",
           set(&Pipeline::truncates, true), true},
          {"subnormal products taken for 0", "value/special-mishandled", 4,
           "leave flush-to-zero off", set(&Pipeline::flush, Flush::kProducts),
           true},
          {"subnormal results taken for 0", "value/special-mishandled", 4,
           "leave flush-to-zero off", set(&Pipeline::flush, Flush::kOutputs),
           true}};
}

}  // namespace

Mutations rounding_mutations() {
  return joined({angles(), tables(), of_the_dtype(), results()});
}

}  // namespace ropeproof::conformance::wrong
