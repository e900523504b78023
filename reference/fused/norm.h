// norm.h -- RMSNorm of a head before its rotation, as kernels fuse the two, and
// how far one that forms it in f32 (f64 for f64) may be off.
//
//     n_c = (w_c + o) x_c / sqrt(mean over d of x^2 + epsilon)
//
// Roundings of one n_c in arithmetic of unit roundoff u, for d channels:
//
//     d           of the sum of squares: a product and at most d - 1 additions,
//                 in any order; all terms are positive
//     3           its quotient by d, also as a product with a rounded 1/d;
//                 epsilon, or the sum with it
//     2 ulp, 4 u  1 / sqrt: a function within 2 ulp, or two operations; and the
//                 roundings above count half, since
//                 (1 - u)^(-k/2) <= 1 / (1 - k u / 2)
//     3           the product with x, w + o, the product with it
//
// so n_c is within gamma_k(u) |n_c|, k = (d + 3)/2 + 7, and a pair's vector
// within the same of its length. Engines also round to the tensors' 16-bit type
// on the way, before the weight, after it or both: a factor 1 + u_16 each.
#pragma once

#include <cstdint>
#include <span>

#include "reference/format.h"

namespace ropeproof::reference::fused {

struct Norm {
  double epsilon = 0;
  double offset = 0;               // o: 1 where weights are stored less 1
  std::span<const double> weight;  // [head_dim]; empty: all are 1
  int roundings = 0;               // to the 16-bit type, on the way
  bool truncates = false;          // and these cut off: 2 u_16 each
};

// What n is off by: relative to it, and of subnormal numbers.
struct NormError {
  double relative = 0, underflow = 0;
};

// For results of a format, of heads of so many channels. It includes what
// normed() is off by. Infinite where as many roundings may give anything.
NormError norm_error(const Norm& norm, Format format, std::int64_t head_dim);

// Whether squares of x and their mean neither overflow nor vanish in f32, or in
// f64 for f64, so that the bound holds.
bool is_normable(const Norm& norm, Format format, std::span<const double> x);

// Replaces the channels of one head by n, formed in binary64: within gamma_k of
// it, too.
void normed(const Norm& norm, std::span<double> x);

}  // namespace ropeproof::reference::fused
