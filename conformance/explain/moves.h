// moves.h -- sets of elements of q and k, and which stand in place of which, in
// words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ropeproof::conformance::explain {

// The coordinates of an element: tensor (0: q, 1: k), batch row, token, head,
// channel. Those of a row of channels have channel 0.
using Coordinates = std::array<std::int64_t, 5>;
enum Axis : std::size_t { kTensor, kBatchRow, kToken, kHead, kChannel };

// The sizes that coordinates stay below; heads are those of q, then k.
struct Extents {
  std::int64_t batch = 0, seq = 0;
  std::array<std::int64_t, 2> heads{};
  std::int64_t channels = 0;

  std::int64_t size(Axis axis, std::int64_t tensor) const;
  // `element` is counted from the first one of its tensor.
  Coordinates coordinates(std::int64_t tensor, std::int64_t element) const;
};

// On how many axes two elements differ, then by how much in all.
std::pair<std::int64_t, std::int64_t> distance_of(const Coordinates& a,
                                                  const Coordinates& b);

// "q[0,1,2,3]", or of a row "q[0,1,2]".
std::string name_of(const Coordinates& at, bool is_row);

// The smallest box of whole axes that holds them: "head 1, tokens 2-3"; empty
// where it is everything. `told`: an axis that the sentence has.
std::string places_of(const std::vector<Coordinates>& all,
                      const Extents& extents, Axis told);

struct Move {
  Coordinates to, from;
};

// The moves of one sort, in words: "heads 1 and 2 hold each other's results",
// "tokens 1-5 hold the results of tokens 0-4", "q[0,1,2] holds the result of
// q[1,3,2], and 4 more". `what`: "result" or "input".
std::string moves_text(const std::vector<Move>& moves, const Extents& extents,
                       const std::string& what);

// The size of each axis: batch, seq, heads, head_dim.
using Sizes = std::array<std::int64_t, 4>;

// Says of a tensor that was written with its axes in another order than it is
// read in, as by a reshape in place of a transposition: "written as [batch,
// heads, seq, head_dim] and read as [batch, seq, heads, head_dim]", where each
// element `to` holds the result of the element `from` that lies there by the
// other order; empty where no two orders are so. Elements are numbered by the
// order of `Sizes`. `telling` is asked first: one that few orders explain.
// Cost: a call for each element, and a few for each of 552 pairs of orders.
std::string orders_text(
    const Sizes& sizes, std::int64_t telling,
    const std::function<bool(std::int64_t to, std::int64_t from)>& holds);

}  // namespace ropeproof::conformance::explain
