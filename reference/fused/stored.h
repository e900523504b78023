// stored.h -- results that a kernel stores in 8 bits, as the keys of a cache,
// each as the number nearest to y / scale.
//
// With t = y / scale, formed in f32 by a quotient or by a product with a
// rounded 1 / scale, and q the stored number, where |y| is at most largest *
// scale:
//
//     |q - t| <= relative |t| + half_step,
//     (1 + relative) = (1 + gamma_2(2^-24)) (1 + u)
//
// u is the unit roundoff of the type, 0 of int8, and half_step half of its
// smallest step. Beyond, q is the largest number.
#pragma once

#include <cstdint>

namespace ropeproof::reference::fused {

enum class Stored {
  kE4M3,  // OCP FP8, 448 the largest, no infinity: float8_e4m3fn
  kE5M2,  // 57344 the largest
  kInt8,
};

struct StoredTraits {
  double unit_roundoff, half_step;
  double least, largest;
};

constexpr StoredTraits traits(Stored type) {
  switch (type) {
    case Stored::kE4M3:
      return {0x1p-4, 0x1p-10, -448, 448};
    case Stored::kE5M2:
      return {0x1p-3, 0x1p-17, -57344, 57344};
    case Stored::kInt8:
      break;
  }
  return {0, 0.5, -128, 127};
}

// `relative` of above.
double stored_error(Stored type);

// The number of a byte.
double decode(Stored type, std::uint8_t byte);

}  // namespace ropeproof::reference::fused
