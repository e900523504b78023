// orders.h -- a tensor that was written with its axes in another order than it
// is read in, as by a reshape in place of a transposition.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

namespace ropeproof::conformance::explain {

// The size of each axis: batch, seq, heads, head_dim.
using Sizes = std::array<std::int64_t, 4>;

// "written as [batch, heads, seq, head_dim] and read as [batch, seq, heads,
// head_dim]", where each element `to` holds the result of the element `from`
// that lies there by the other order; empty where no two orders are so.
// Elements are numbered by the order of `Sizes`. `telling` is asked first: one
// that few orders explain. Cost: a call for each element, and a few for each of
// 552 pairs of orders.
std::string orders_text(
    const Sizes& sizes, std::int64_t telling,
    const std::function<bool(std::int64_t to, std::int64_t from)>& holds);

}  // namespace ropeproof::conformance::explain
