// smaller.h -- smaller problems, and what is true of them, made of parts of
// larger ones.
#pragma once

#include <cstdint>
#include <vector>

#include "conformance/cases/case.h"
#include "conformance/cases/problem.h"
#include "reference/spec.h"

namespace ropeproof::conformance::cases {

using Indices = std::vector<std::int64_t>;

// Rows of `row` elements: those numbered `rows`, in this order. An empty list
// has none.
template <class List>
List pick_rows(const List& all, const Indices& rows, std::int64_t row) {
  List picked;
  if (all.empty()) return picked;
  for (const std::int64_t r : rows) {
    const auto first = all.begin() + r * row;
    picked.insert(picked.end(), first, first + row);
  }
  return picked;
}

// The problem of these tokens (batch * seq numbers), in this order, as [batch,
// seq]. A case keeps its golden, too.
Problem pick_tokens(const Problem& p, const Indices& tokens, std::int64_t batch,
                    std::int64_t seq);
Case pick_tokens(const Case& c, const Indices& tokens, std::int64_t batch,
                 std::int64_t seq);

// The problem of these heads of q and k, or of the first ones. A case keeps its
// golden, too.
Problem pick_heads(const Problem& p, const Indices& q_heads,
                   const Indices& k_heads);
Case pick_heads(const Case& c, const Indices& q_heads, const Indices& k_heads);
Problem first_heads(const Problem& p, std::int64_t q_heads,
                    std::int64_t k_heads);
Case first_heads(const Case& c, std::int64_t q_heads, std::int64_t k_heads);

// Returns 0, 1, ... count - 1 without `but`.
Indices all_of(std::int64_t count, std::int64_t but = -1);

// The heads of k as q, without k.
Problem keys_as_queries(const Problem& p);

// Axis `kept` alone; its weights too, where the axes have any.
Problem cut_axes(const Problem& p, std::int64_t kept);

// The pairs `kept`, laid out by `layout`, which has as many. What a
// specification has one of per pair, and the elements that a pair reads, go
// with the pair; the channels outside the window are filled in their order.
Problem relaid(const Problem& p, const Indices& kept,
               const reference::Layout& layout);

// The fewest channels that hold the pairs of this layout.
std::int64_t window_width(const reference::Layout& layout);

// The problem in another dtype: q and k are rounded to it.
Problem converted(const Problem& p, reference::Format dtype);

}  // namespace ropeproof::conformance::cases
