// choices.h -- what the families run over.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "conformance/cases/case.h"
#include "conformance/cases/families/family.h"
#include "reference/schemes.h"

namespace ropeproof::conformance::cases {

inline constexpr reference::Format kDtypes[] = {
    reference::Format::kF32, reference::Format::kF16, reference::Format::kBF16,
    reference::Format::kF64};

inline constexpr reference::Pairing kPairings[] = {
    reference::Pairing::kInterleaved, reference::Pairing::kHalfSplit,
    reference::Pairing::kInterleavedToHalf,
    reference::Pairing::kNestedHalfSplit};

inline constexpr reference::Pairing kHalf = reference::Pairing::kHalfSplit;
inline constexpr reference::Pairing kInter = reference::Pairing::kInterleaved;

// What most kernels have.
inline constexpr reference::Pairing kCommonPairings[] = {
    reference::Pairing::kInterleaved, reference::Pairing::kHalfSplit};

struct DtypeAndPairing {
  reference::Format dtype;
  reference::Pairing pairing;
};

inline std::vector<DtypeAndPairing> every_dtype_with(
    std::span<const reference::Pairing> pairings) {
  std::vector<DtypeAndPairing> result;
  for (const reference::Format dtype : kDtypes) {
    for (const auto pairing : pairings) result.push_back({dtype, pairing});
  }
  return result;
}

inline constexpr Storage kStorages[] = {kDense, kInPlace, kStrided,
                                        kStridedInPlace};

// A window of a head; two blocks where the pairing has blocks.
constexpr reference::Layout window(std::int64_t head_dim,
                                   std::int64_t rotary_dim, std::int64_t offset,
                                   reference::Pairing pairing) {
  reference::Layout layout{head_dim, rotary_dim, offset, pairing};
  if (pairing == reference::Pairing::kNestedHalfSplit && rotary_dim % 4 == 0) {
    layout.blocks = 2;
  }
  return layout;
}

// Next to powers of two, and half way between neighbours of bf16 (65791) and
// f16 (32783), where a rounded position is off by more than one; 65504 is the
// largest number of f16, 2^24 + 1 the first integer that f32 does not hold.
inline const std::vector<double> kBoundaries = {
    256,   257,   511,   512,    513,     2047,     2048,      2049,
    4095,  4096,  4097,  32767,  32768,   32769,    32783,     65504,
    65505, 65535, 65791, 131071, 1048575, 16777217, 2147483647};

// Positions of two batch rows of three tokens.
inline const std::vector<double> kIrregularIds = {3, 259, 17, 9, 0, 1021};

// `count` positions in no order, each under 2^20.
inline std::vector<double> many_positions(std::int64_t count) {
  std::vector<double> positions;
  for (std::int64_t i = 0; i < count; ++i) {
    positions.push_back(static_cast<double>(i * 7919 % 1048573));
  }
  return positions;
}

// first, first + step, ...: all differ, so that a list read backward or shifted
// shows.
inline std::vector<double> distinct(std::int64_t count, double first,
                                    double step) {
  std::vector<double> list;
  for (std::int64_t j = 0; j < count; ++j) {
    list.push_back(first + step * static_cast<double>(j));
  }
  return list;
}

// One head of each unit vector, at positions 1 and 257: a kernel's output is
// the matrix that it applies, one column per token.
inline Problem unit_vectors(reference::Format dtype,
                            const reference::Layout& layout) {
  const std::int64_t d = layout.head_dim;
  std::vector<double> positions;
  Bits q;
  for (const double p : {1.0, 257.0}) {
    for (std::int64_t i = 0; i < d; ++i) {
      positions.push_back(p);
      for (std::int64_t t = 0; t < d; ++t) {
        q.push_back(reference::encode(dtype, t == i ? 1.0 : 0.0));
      }
    }
  }
  Problem problem = make_problem(dtype, layout, 1e4, 2, d, 1, 0, positions);
  problem.q = q;
  return problem;
}

}  // namespace ropeproof::conformance::cases
