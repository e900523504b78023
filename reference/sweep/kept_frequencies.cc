#include "reference/sweep/kept_frequencies.h"

#include <algorithm>
#include <cstdint>

namespace ropeproof::reference::sweep {
namespace {

constexpr std::int64_t kMostPairs = 1 << 14;

struct Kept {
  Oracle oracle;
  std::int64_t rotary_dim;
  Frequencies frequencies;
  std::shared_ptr<const KeptFrequencies> formed;
};

}  // namespace

const std::vector<WideGolden>& KeptFrequencies::frequencies() const {
  std::call_once(has_frequencies_,
                 [&] { frequencies_ = prover_->frequencies(); });
  return frequencies_;
}

const std::vector<FixedTurns>& KeptFrequencies::turns() const {
  std::call_once(has_turns_, [&] {
    for (const Turns& t : prover_->turns()) turns_.push_back(fixed(t));
  });
  return turns_;
}

std::shared_ptr<const KeptFrequencies> kept_frequencies(Oracle oracle,
                                                        const Spec& spec) {
  static std::mutex mutex;
  static std::vector<Kept> kept;
  static std::int64_t pairs = 0;
  const std::int64_t rotary_dim = spec.layout.rotary_dim;
  {
    const std::lock_guard lock(mutex);
    const auto found = std::ranges::find_if(kept, [&](const Kept& k) {
      return k.oracle == oracle && k.rotary_dim == rotary_dim &&
             k.frequencies == spec.frequencies;
    });
    if (found != kept.end()) return found->formed;
  }
  validate(spec);
  auto formed =
      std::make_shared<const KeptFrequencies>(find_prover(oracle)(spec, {}));
  const std::lock_guard lock(mutex);
  pairs += rotary_dim / 2;
  if (pairs > kMostPairs) kept.clear(), pairs = rotary_dim / 2;
  kept.push_back({oracle, rotary_dim, spec.frequencies, formed});
  return formed;
}

}  // namespace ropeproof::reference::sweep
