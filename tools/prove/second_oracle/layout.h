// layout.h -- which channels rotate together, going in and coming out.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/prove/second_oracle/vectors.h"

namespace ropeproof::second_oracle {

struct ChannelPair {
  std::int64_t u = 0, v = 0;
};

// Where pair j is read and written. An adjoint swaps the two.
struct PairChannels {
  ChannelPair in, out;
};
PairChannels channels(const Case& c, std::int64_t j);

// Whether each channel of a head is in no pair.
std::vector<bool> untouched(const Case& c);

// The row of `in` that row i of `out` copies, in a case of type permute.
std::int64_t permuted_row(const Case& c, std::int64_t i);

}  // namespace ropeproof::second_oracle
