// shapes.h -- problems of a size that a kernel takes, of one kind or of every
// kind.
#ifndef ROPEPROOF_CONFORMANCE_IDENTIFY_SHAPES_H_
#define ROPEPROOF_CONFORMANCE_IDENTIFY_SHAPES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "conformance/cases/corpus.h"
#include "conformance/check/variations.h"
#include "conformance/identify/prober.h"

namespace ropeproof::conformance::identify {

enum class Window { kWhole, kLeading, kInside };

struct Wanted {
  std::uint32_t operation = ROPEPROOF_ROPE;
  reference::Format dtype = reference::Format::kF32;
  reference::Pairing pairing = reference::Pairing::kHalfSplit;
  Window window = Window::kWhole;
  std::int64_t batch = 1, seq = 1;
  bool has_many_heads = false;
  double base = 10000;
  std::vector<double> positions = {
      1};  // begun again where there are more tokens
};

// The first of the usual sizes that the kernel takes, with goldens of elements
// drawn from a fixed seed.
std::optional<cases::Case> shaped(Prober& prober, const Wanted& wanted);

// The dtypes and pairings that it declares, those that show most first.
std::vector<reference::Format> dtypes_of(const plugin::Description& kernel);
std::vector<reference::Pairing> pairings_of(const plugin::Description& kernel);

// A problem of two batch rows of three tokens with several heads, partial where
// that is taken.
std::optional<cases::Case> small_problem(Prober& prober, Wanted wanted);

// The problems of these variations, and for each dtype and pairing a small
// problem and one of far positions; with goldens.
cases::Corpus problems_of_every_kind(
    Prober& prober, const Wanted& wanted,
    std::span<const check::Variation> variations);

// Returns element i of a fixed pseudo-random sequence: magnitudes near 1, of
// either sign.
double drawn(reference::Format format, std::uint64_t i);

}  // namespace ropeproof::conformance::identify

#endif  // ROPEPROOF_CONFORMANCE_IDENTIFY_SHAPES_H_
