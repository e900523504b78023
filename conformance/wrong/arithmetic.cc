#include "conformance/wrong/arithmetic.h"

#include <cmath>

#include "conformance/judge/codec.h"
#include "conformance/wrong/elements.h"

namespace ropeproof::conformance::wrong {

using judge::fast_round_to;
using reference::Format;

// Products and sums of f32 numbers: binary64 holds the products exactly.
Arithmetic::Arithmetic(const Pipeline& pipeline, Format dtype)
    : pipeline_(pipeline),
      narrow_(pipeline.dtype.value_or(dtype)),
      step_(pipeline.round_each                         ? narrow_
            : dtype == Format::kF64 && !pipeline.is_f32 ? dtype
                                                        : Format::kF32),
      products_(narrow_ == Format::kF64 ? step_ : Format::kF32) {}

double Arithmetic::flushed(Flush what, Format format, double x) const {
  if (pipeline_.flush != what) return x;
  const double least = std::ldexp(1, reference::traits(format).min_exponent);
  return std::abs(x) < least ? 0 : x;
}

double Arithmetic::element(double x) const {
  x = as_in(narrow_, x);
  return flushed(Flush::kInputs, narrow_,
                 pipeline_.input ? pipeline_.input(x) : x);
}

double Arithmetic::entry(double x) const {
  return pipeline_.truncates ? truncated(pipeline_.table, x)
                             : fast_round_to(pipeline_.table, x);
}

double Arithmetic::product(double a, double b) const {
  const double ab = fast_round_to(step_, a * b);
  return flushed(Flush::kProducts, products_,
                 pipeline_.product ? pipeline_.product(ab) : ab);
}

double Arithmetic::fused(double a, double b, double product) const {
  return step_ == Format::kF32
             ? double{std::fma(static_cast<float>(a), static_cast<float>(b),
                               static_cast<float>(product))}
             : fast_round_to(step_, std::fma(a, b, product));
}

double Arithmetic::sum(double a, double b, double c, double d) const {
  switch (pipeline_.products) {
    case Products::kRounded:
      break;
    case Products::kFirstFused:
      return fused(a, b, product(c, d));
    case Products::kSecondFused:
      return fused(c, d, product(a, b));
    case Products::kOnce:
      using Wide = long double;
      return step_ == Format::kF64
                 ? static_cast<double>(Wide{a} * Wide{b} + Wide{c} * Wide{d})
                 : fast_round_to(step_, a * b + c * d);
  }
  return fast_round_to(step_, product(a, b) + product(c, d));
}

double Arithmetic::result(double sum) const {
  const double x = flushed(Flush::kOutputs, narrow_,
                           pipeline_.result ? pipeline_.result(sum) : sum);
  return pipeline_.truncates         ? truncated(narrow_, x)
         : pipeline_.round_half_away ? rounded_half_away(narrow_, x)
                                     : x;
}

}  // namespace ropeproof::conformance::wrong
