// shapes.h -- problems of a size that a kernel takes, of one kind or of every
// kind.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "conformance/cases/corpus.h"
#include "conformance/check/variations.h"
#include "conformance/identify/prober.h"

namespace ropeproof::conformance::identify {

// Windows of a head in quarters of it, as shaped() takes a layout.
inline constexpr std::int64_t kWhole = 4, kHalf = 2, kQuarter = 1;

enum class Heads { kOne, kMany };

// Returns `wanted` in the first of the usual sizes of a head, and numbers of
// heads, that the kernel takes, with goldens of elements drawn from a fixed
// seed. Its layout has quarters of a head, its positions begin again where
// there are more tokens.
std::optional<cases::Case> shaped(Prober& prober, std::uint32_t operation,
                                  const cases::Problem& wanted,
                                  Heads heads = Heads::kOne);

// The dtypes and pairings that it declares, those that show most first.
std::vector<reference::Format> dtypes_of(const plugin::Description& kernel);
std::vector<reference::Pairing> pairings_of(const plugin::Description& kernel);

// Returns `wanted` with two batch rows of three tokens and several heads,
// partial where that is taken.
std::optional<cases::Case> small_problem(Prober& prober,
                                         std::uint32_t operation,
                                         cases::Problem wanted);

// The problems of these variations, and for each dtype and pairing a small
// problem and one of far positions; with goldens.
cases::Corpus problems_of_every_kind(
    Prober& prober, std::uint32_t operation, const cases::Problem& wanted,
    std::span<const check::Variation> variations);

// Returns element i of a fixed pseudo-random sequence: magnitudes near 1, of
// either sign.
double drawn(reference::Format format, std::uint64_t i);

}  // namespace ropeproof::conformance::identify
