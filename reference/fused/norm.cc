#include "reference/fused/norm.h"

#include <algorithm>
#include <cmath>

#include "reference/bound/bound.h"

namespace ropeproof::reference::fused {
namespace {

double sum_of_squares(std::span<const double> x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return sum;
}

// gamma_k(u) of the table above.
double formed_error(std::int64_t head_dim, double u) {
  const double k = (static_cast<double>(head_dim) + 3) / 2 + 7;
  return bound::gamma(k, u);
}

}  // namespace

// Each product before and after the weight loses half of the smallest number at
// most, which the weight enlarges; `lost` has twice that for all else.
NormError norm_error(const Norm& norm, Format format, std::int64_t head_dim) {
  const Format arithmetic =
      format == Format::kF64 ? Format::kF64 : Format::kF32;
  double relative = formed_error(head_dim, traits(arithmetic).unit_roundoff);
  double largest = norm.weight.empty() ? 1 : 0;  // of the weights
  for (const double w : norm.weight) {
    largest = std::max(largest, std::abs(w + norm.offset));
  }
  double lost = ulp(arithmetic, 0);
  for (int i = 0; i < norm.roundings; ++i) {
    const double halves = norm.truncates ? 2 : 1;
    relative = bound::composed(relative, halves * traits(format).unit_roundoff);
    lost += halves * ulp(format, 0);
  }
  return {bound::composed(relative, formed_error(head_dim, 0x1p-53)),
          lost * (1 + largest)};
}

bool is_normable(const Norm& norm, Format format, std::span<const double> x) {
  // A square below 2^-149 is lost whole: of d of them 2^-149 of the mean.
  const bool is_f64 = format == Format::kF64;
  const double least = is_f64 ? 0x1p-900 : 0x1p-100,
               most = is_f64 ? 0x1p1000 : 0x1p120;
  const double sum = sum_of_squares(x);
  return sum <= most &&
         sum / static_cast<double>(x.size()) + norm.epsilon >= least;
}

void normed(const Norm& norm, std::span<double> x) {
  const double mean = sum_of_squares(x) / static_cast<double>(x.size());
  const double length = std::sqrt(mean + norm.epsilon);
  for (std::size_t c = 0; c < x.size(); ++c) {
    x[c] /= length;
    if (!norm.weight.empty()) x[c] *= norm.weight[c] + norm.offset;
  }
}

}  // namespace ropeproof::reference::fused
