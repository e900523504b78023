// permutation.h -- LLaMA weights for Hugging Face kernels, and back.
//
// The two pairings are one map in two coordinate systems: with the permutation
// matrix P that moves the interleaved channels of a window to their half-split
// places,
//
//     P interleaved(x) = half_split(P x)
//
// holds bit for bit in any arithmetic, because each pair sees the same two
// numbers. A projection W followed by an interleaved RoPE therefore equals the
// projection P W followed by a half-split one, up to P, and attention scores do
// not see P at all.
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "reference/rope.h"
#include "reference/spec.h"

namespace ropeproof::reference {

// Entry t names the channel of a head laid out for `from` that lands on channel
// t of a head laid out for the other pairing; identity outside the window. For
// head_dim 8 and kInterleaved: 0 2 4 6 1 3 5 7. `layout.pairing` is `from`.
inline std::vector<std::size_t> channel_permutation(const Layout& from) {
  Layout to = from;
  to.pairing = from.pairing == Pairing::kInterleaved ? Pairing::kHalfSplit
                                                     : Pairing::kInterleaved;
  std::vector<std::size_t> source(static_cast<std::size_t>(from.head_dim));
  for (std::size_t t = 0; t < source.size(); ++t) source[t] = t;
  for (std::int64_t j = 0; j < from.rotary_dim / 2; ++j) {
    const Pair a = pair_of(from, j), b = pair_of(to, j);
    source[static_cast<std::size_t>(b.u)] = static_cast<std::size_t>(a.u);
    source[static_cast<std::size_t>(b.v)] = static_cast<std::size_t>(a.v);
  }
  return source;
}

// Permutes the rows of a weight [heads * head_dim, columns], row-major; a bias
// has one column; a tensor [rows, head_dim] is `heads` = rows with one column.
// For k of a grouped-query layer `heads` is n_kv_heads, never n_heads: throws
// std::invalid_argument if `in` is not of that size.
template <class T>
std::vector<T> permute_rows(const Layout& from, std::size_t heads,
                            std::size_t columns, std::span<const T> in) {
  const std::vector<std::size_t> source = channel_permutation(from);
  const std::size_t size = heads * source.size() * columns;
  if (in.size() != size) {
    throw std::invalid_argument("weight has " + std::to_string(in.size()) +
                                " entries; expected heads * head_dim * " +
                                "columns = " + std::to_string(size));
  }
  std::vector<T> out;
  out.reserve(size);
  for (std::size_t h = 0; h < heads; ++h) {
    for (const std::size_t channel : source) {
      const std::size_t row = h * source.size() + channel;
      for (std::size_t c = 0; c < columns; ++c) {
        out.push_back(in[row * columns + c]);
      }
    }
  }
  return out;
}

}  // namespace ropeproof::reference
