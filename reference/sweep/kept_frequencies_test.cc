#include "reference/sweep/kept_frequencies.h"

#include <catch2/catch_test_macros.hpp>
#include <cstddef>

#include "reference/test_variants.h"

namespace ropeproof::reference::sweep {
namespace {

Spec spec_of(const Frequencies& frequencies, std::int64_t rotary_dim) {
  return {leading(16, rotary_dim, Pairing::kHalfSplit), frequencies};
}

TEST_CASE("kept frequencies are those of the specification that is asked",
          "[reference][sweep]") {
  for (int round = 0; round < 2; ++round) {
    for (const auto& [name, frequencies] : all_frequencies()) {
      CAPTURE(round, name);
      const Spec spec = spec_of(frequencies, 2 * kVariantPairs);
      const auto kept = kept_frequencies(best_oracle(), spec);
      const auto want = golden_frequencies(best_oracle(), spec);
      CHECK(kept->turns().size() == want.size());
      bool is_same = kept->frequencies().size() == want.size();
      for (std::size_t j = 0; is_same && j < want.size(); ++j) {
        is_same = kept->frequencies()[j].hi == want[j].hi &&
                  kept->frequencies()[j].lo == want[j].lo;
      }
      CHECK(is_same);
      CHECK(kept_frequencies(best_oracle(), spec) == kept);
    }
  }
  const auto kept = kept_frequencies(best_oracle(), spec_of({}, 8));
  CHECK(kept->frequencies().size() == 4);
  CHECK(kept_frequencies(Oracle::kBinFloat, spec_of({}, 8)) != kept);
}

}  // namespace
}  // namespace ropeproof::reference::sweep
