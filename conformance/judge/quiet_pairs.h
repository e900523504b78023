// quiet_pairs.h -- counts, several at a time, the pairs that are no worse than
// one before them, as most are.
#pragma once

#include <cstdint>
#include <vector>

#include "conformance/judge/meter.h"
#include "conformance/judge/output_layout.h"
#include "conformance/judge/pair_bounds.h"

namespace ropeproof::conformance::judge {

// The elements of one head of one token: what it was rotated from, the result,
// the golden, and what completes it, in f64 alone.
struct RowBits {
  const std::uint64_t *x, *got, *golden, *low;
};

class QuietPairs {
 public:
  // `channels` must outlive this. `shows_phase`: angles are measured, too.
  QuietPairs(const Channels& channels, reference::Format format,
             bool shows_phase);

  // Takes over what `meter` has seen of the pairs of a token, `terms`.
  void refresh(const Meter& meter, const std::vector<Terms>& terms);

  // Has `meter` count the quiet pairs of a row; returns the others, in order,
  // which Meter has to see one by one. Valid until the next call.
  const std::vector<std::uint64_t>& pass(Meter& meter, const RowBits& row);

  // The limits of all pairs, an array for each field of Quiet.
  struct Limits {
    std::vector<double> amplitude, base, slope, structure, phase;
    double norm_ulp = 0;
  };

 private:
  const Channels& channels_;
  reference::Format format_;
  bool shows_phase_;
  bool is_any_quiet_ = false;
  Limits limits_;
  std::vector<std::uint64_t> is_loud_, loud_;
};

}  // namespace ropeproof::conformance::judge
