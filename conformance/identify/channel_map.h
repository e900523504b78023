// channel_map.h -- which channels a kernel rotates into which, read off unit
// vectors.
//
// Rotation is linear, so the answers to the unit vectors are its matrix: exact,
// and no hypothesis is needed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/identify/prober.h"

namespace ropeproof::conformance::identify {

// Two channels that go into two.
struct SeenPair {
  std::int64_t u = 0, v = 0;        // read
  std::int64_t to_u = 0, to_v = 0;  // written
  // The parts of u and of v in to_u, and in to_v: {c, -s}, {s, c} where it
  // rotates.
  std::array<double, 2> in_u{}, in_v{};
  bool rotates = false;
};

// An input channel that reaches one output channel, scaled and not rotated.
struct Moved {
  std::int64_t from = 0, to = 0;
  double times = 1;
};

struct ChannelMap {
  std::vector<SeenPair> pairs;  // by u
  std::vector<std::int64_t> copied, lost, unwritten;
  std::vector<Moved> moved;
  std::vector<std::int64_t> tangled;  // with more than one other channel
};

// The noise of a format: what differs from a true rotation by less is rounding.
double noise_of(reference::Format format);

// Reads the map of the case's one token and head: a call for each channel.
std::optional<ChannelMap> read_map(Prober& prober, std::uint32_t operation,
                                   const cases::Case& like);

// The pairs alone in words, "half_split: (j, j + 32)"; "no pairing known" where
// none fits.
std::string pairing_words(const ChannelMap& map,
                          const reference::Layout& layout);

// The pair of the map that each pair of the problem is: the one in its place,
// or, where the map has as many but others, the one of its rank.
std::vector<std::optional<SeenPair>> pairs_in_order(
    const ChannelMap& map, const reference::Spec& spec);

// Returns how many pairs are the layout's.
std::int64_t pairs_as_due(const ChannelMap& map,
                          const reference::Layout& layout);

// Channels in words: "0 to 31, 64".
std::string channels_text(const std::vector<std::int64_t>& channels);

}  // namespace ropeproof::conformance::identify
