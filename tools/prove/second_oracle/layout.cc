#include "tools/prove/second_oracle/layout.h"

#include <stdexcept>
#include <utility>

namespace ropeproof::second_oracle {
namespace {

ChannelPair adjacent(std::int64_t first, std::int64_t j) {
  return {first + 2 * j, first + 2 * j + 1};
}

ChannelPair apart(std::int64_t first, std::int64_t j, std::int64_t distance) {
  return {first + j, first + j + distance};
}

}  // namespace

PairChannels channels(const Case& c, std::int64_t j) {
  const std::int64_t first = c.rotary_offset;
  if (c.pairing == "interleaved") {
    return {adjacent(first, j), adjacent(first, j)};
  }
  if (c.pairing == "half_split") {
    const std::int64_t distance =
        c.pair_distance != 0 ? c.pair_distance : c.pairs();
    return {apart(first, j, distance), apart(first, j, distance)};
  }
  if (c.pairing == "interleaved_to_half") {
    PairChannels pair{adjacent(first, j), apart(first, j, c.pairs())};
    if (c.is_adjoint) std::swap(pair.in, pair.out);
    return pair;
  }
  if (c.pairing == "nested_half_split") {
    const std::int64_t half = c.pairs() / c.blocks;
    const std::int64_t block = first + j / half * 2 * half;
    return {apart(block, j % half, half), apart(block, j % half, half)};
  }
  throw std::runtime_error("unknown pairing \"" + c.pairing + "\"");
}

std::vector<bool> untouched(const Case& c) {
  std::vector<bool> result(static_cast<std::size_t>(c.head_dim), true);
  for (std::int64_t j = 0; j < c.pairs(); ++j) {
    const ChannelPair out = channels(c, j).out;
    result.at(static_cast<std::size_t>(out.u)) = false;
    result.at(static_cast<std::size_t>(out.v)) = false;
  }
  return result;
}

std::int64_t permuted_row(const Case& c, std::int64_t i) {
  const std::int64_t channel = i % c.head_dim;
  const std::int64_t head = i - channel;
  const std::int64_t t = channel - c.rotary_offset;
  if (t < 0 || t >= c.rotary_dim) return i;
  // Channel t is an end of pair j: the first (0) or the second (1).
  const bool to_halves = c.pairing == "interleaved";
  const std::int64_t j = to_halves ? t % c.pairs() : t / 2;
  const std::int64_t end = to_halves ? t / c.pairs() : t % 2;
  const std::int64_t from = to_halves ? 2 * j + end : j + end * c.pairs();
  return head + c.rotary_offset + from;
}

}  // namespace ropeproof::second_oracle
