// tier.h -- how much of the suite is asked.
#pragma once

#include <stdexcept>
#include <string>

#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::cases {

// A selection of cases; each tier contains those before it.
enum class Tier { kSmoke, kCore, kFull };

inline constexpr text::Words<Tier, 3> kTierWords{
    {{Tier::kSmoke, "smoke"}, {Tier::kCore, "core"}, {Tier::kFull, "full"}}};
constexpr const auto& table_of(Tier) { return kTierWords; }

// Throws std::invalid_argument for an unknown word.
inline Tier parse_tier(const std::string& word) {
  if (const auto tier = text::find_word(kTierWords, word)) return *tier;
  throw std::invalid_argument("unknown tier \"" + word + "\"; expected " +
                              text::list_words(kTierWords));
}

}  // namespace ropeproof::conformance::cases
