// weights_flags.h -- what the commands of `ropeproof weights` share.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "conformance/text/word_tables.h"
#include "conformance/weights/attention.h"
#include "tools/commands.h"
#include "tools/rooms.h"

namespace ropeproof::tools {

inline constexpr text::Words<reference::Pairing, 2> kToWords{
    {{reference::Pairing::kInterleaved, "interleaved"},
     {reference::Pairing::kHalfSplit, "half_split"}}};

struct WeightsOptions {
  std::string a, b, expect, to, from, checksums;
  weights::AttentionFlags flags;
  std::filesystem::path vectors = default_vectors();
  std::int64_t layer = 0;
  std::vector<double> positions = {0, 1, 2, 17, 1000, 4095};
  bool is_json = false, is_all = false, is_unverified = false;
};

// Holds scores of two checkpoints, or of one under both pairings, against each
// other. Returns the exit status.
int prove_weights(const WeightsOptions& options);

}  // namespace ropeproof::tools
