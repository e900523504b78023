// angles.h -- by which angle each pair rotates at a position, and so for each
// position.
#pragma once

#include <optional>
#include <vector>

#include "conformance/identify/channel_map.h"
#include "conformance/identify/finding.h"
#include "conformance/wrong/pipeline.h"

namespace ropeproof::conformance::identify {

double angle_of(const wrong::CosSin& rotation);

// The narrowest format that all entries are numbers of; `format` is one.
reference::Format narrowest(const std::vector<double>& entries,
                            reference::Format format);

// Reads the cosine and sine that each pair is rotated by, times the amplitude:
// by rope on the sum of the first channels of all pairs, else of a table. In
// f32 and f64 they are the kernel's own, bit for bit: 1 c - 0 s.
class RotationReader {
 public:
  // With `map` it reads rope; without one, the operation table. `like` has one
  // token.
  RotationReader(Prober& prober, cases::Case like,
                 std::optional<ChannelMap> map);

  // The rotation of each pair of the problem, in its order; 1, 0 for those that
  // the map does not have. Nothing where the kernel does not take the position.
  std::optional<std::vector<wrong::CosSin>> at(double position);

  // The type that cosines and sines are numbers of: the dtype or the table's
  // type, or narrower where all that were seen are.
  reference::Format format() const { return format_; }
  double noise() const { return noise_of(format_); }
  const cases::Case& problem() const { return like_; }
  // Pairs that the map has.
  const std::vector<bool>& is_seen() const { return is_seen_; }
  const plugin::Description& declared() const { return prober_.description(); }

 private:
  // Asks for the sum of the first channels of all pairs.
  void choose_elements();
  void find_format();

  Prober& prober_;
  cases::Case like_;
  std::optional<ChannelMap> map_;
  std::vector<SeenPair> pairs_;  // of each pair of the problem
  std::vector<bool> is_seen_;
  reference::Format format_;
};

// Speeds are what positions 1, 2, 4, 8, ... show: each angle says the frequency
// more exactly than the one before, which says how many circles it went.
struct Speeds {
  reference::Format format = reference::Format::kF32;  // as the reader's
  std::vector<PairFrequency> pairs;    // one for each that is seen
  double offset = 0;                   // that every position has in addition
  bool has_offset_of_its_own = false;  // the angle at 0 is no position's
  double broken = 0;  // the first that did not agree with those before; 0: none

  // Every pair rotates backwards; and the pairs as if none did.
  bool are_reversed() const;
  std::vector<PairFrequency> forward() const;
};
std::optional<Speeds> read_speeds(RotationReader& reader, double max_position);

}  // namespace ropeproof::conformance::identify
