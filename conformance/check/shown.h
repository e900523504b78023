// shown.h -- what all answers of a run show together: what the pictures of its
// report are drawn of.
#pragma once

#include <optional>

#include "conformance/explain/specimen.h"
#include "conformance/judge/spread.h"

namespace ropeproof::conformance::check {

struct Shown {
  judge::Spread spread;
  std::optional<explain::Specimen> specimen;  // the best of the run

  // Rounds all numbers to the digits that pictures need, so that a report that
  // is read back draws the same ones. Rounding keeps the order of numbers, so
  // shards can be rounded before they are merged.
  void round();

  bool is_empty() const {
    return spread.by_pair.empty() && spread.by_ulp.empty() && !specimen;
  }

  // Adds what another part of the same run shows, in whatever order.
  void add(const Shown& other) {
    spread.add(other.spread);
    if (!other.specimen) return;
    if (!specimen || other.specimen->is_better_than(*specimen)) {
      specimen = other.specimen;
    }
  }
};

}  // namespace ropeproof::conformance::check
