// kept_frequencies.h -- what an oracle has formed of frequencies, kept.
//
// An oracle takes 50 us for each pair, more than the rotations of a small call;
// runs and tests ask for few sets of frequencies, again and again.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "reference/golden.h"
#include "reference/oracle.h"
#include "reference/spec.h"
#include "reference/sweep/turns.h"

namespace ropeproof::reference::sweep {

// The frequencies of a specification, whatever its layout, axes and direction.
// Each list is formed when it is first asked for. Safe from many threads.
class KeptFrequencies {
 public:
  explicit KeptFrequencies(std::unique_ptr<OracleProver> prover)
      : prover_(std::move(prover)) {}

  const OracleProver& prover() const { return *prover_; }  // of no positions
  const std::vector<WideGolden>& frequencies() const;      // 10 us each
  const std::vector<FixedTurns>& turns() const;            // 40 us each

 private:
  std::unique_ptr<OracleProver> prover_;
  mutable std::once_flag has_frequencies_, has_turns_;
  mutable std::vector<WideGolden> frequencies_;
  mutable std::vector<FixedTurns> turns_;
};

// Returns those of an earlier call, or forms them. Throws what golden.h
// throws. A process keeps some 2^14 pairs.
std::shared_ptr<const KeptFrequencies> kept_frequencies(Oracle oracle,
                                                        const Spec& spec);

}  // namespace ropeproof::reference::sweep
