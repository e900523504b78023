// figures.h -- the numbers behind a ModelRope, from the reference.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/models/model_rope.h"
#include "reference/scaling.h"

namespace ropeproof::conformance::models {

struct PairFigures {
  double inv_freq = 0;  // theta_j, scaled, rounded once to binary64
  double unscaled = 0;  // theta_j of (R1)
  // Positions per full circle along the pair's axis; infinite for theta_j = 0.
  double wavelength = 0;
  double unscaled_wavelength = 0;
  std::int64_t axis = 0;
  reference::Pair in, out;  // channels; they differ for interleaved_to_half
};

struct Figures {
  std::vector<PairFigures> pairs;
  reference::Resolution resolution;  // amplitude, ramps, bands
  // The context that the scaling stretches, else the model's; 0: not known.
  std::int64_t original_length = 0;
};

// Computes the figures. Throws std::invalid_argument where the reference
// refuses the specification.
Figures figures_of(const ModelRope& rope);

// Returns "channels 0 .. 31 rotate, 32 .. 79 stay".
std::string channels_fact(const reference::Layout& layout,
                          const Figures& figures);

}  // namespace ropeproof::conformance::models
