// problem.h -- everything that a kernel is asked, and nothing of what is true
// of it.
//
// Tensors are bit patterns in the problem's dtype, row-major and dense; how
// they lie in memory during a call is `storage`.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "conformance/cases/storage.h"
#include "reference/format.h"
#include "reference/spec.h"

namespace ropeproof::conformance::cases {

using Bits = std::vector<std::uint64_t>;

enum class Task {
  // A rotation: asked by the operations frequencies, table, rotate, rope and
  // lookup.
  kRotate,
  // Rows of weights are reordered for the other pairing: q is
  // [q_heads * head_dim, seq], `spec.layout` that of q. There are no positions,
  // no k and one batch row.
  kPermute,
};

struct Problem {
  Task task = Task::kRotate;
  reference::Format dtype = reference::Format::kF32;
  reference::Spec spec;
  std::int64_t batch = 0, seq = 0, q_heads = 0, k_heads = 0;
  Storage storage;
  bool is_special = false;        // NaN, infinite or subnormal elements
  std::vector<double> positions;  // [axes, batch, seq], each exact
  Bits q, k;                      // [batch, seq, heads, head_dim]

  std::int64_t pairs() const { return spec.layout.rotary_dim / 2; }
  std::int64_t tokens() const { return batch * seq; }
  std::int64_t elements() const {  // of q and k
    return tokens() * (q_heads + k_heads) * spec.layout.head_dim;
  }

  // The nearest of the storages that vector files have words for. Problems that
  // are formed at run time have others.
  Storage nearest_storage() const {
    const bool is_dense = storage.is_dense() && !storage.are_axes_inside;
    return storage.any_in_place(k_heads)
               ? (is_dense ? kInPlace : kStridedInPlace)
               : (is_dense ? kDense : kStrided);
  }

  bool has_real_positions() const {  // some position is no integer
    return std::any_of(positions.begin(), positions.end(),
                       [](double p) { return p != std::floor(p); });
  }

  // The position of a token, batch row * seq + its place there.
  double position(std::int64_t axis, std::int64_t token) const {
    return positions[static_cast<std::size_t>(axis * tokens() + token)];
  }
};

}  // namespace ropeproof::conformance::cases
