// spectrum_svg.h -- a model's spectrum as a picture: wavelength over pair.
#pragma once

#include <string>

#include "conformance/models/preset.h"

namespace ropeproof::conformance::models {

// Draws a self-contained SVG document, light or dark as the reader's system is:
// scaled and unscaled wavelengths of every layer type, the context lengths, and
// the pairs that a scaling blends. Throws std::invalid_argument where no
// frequencies are known, or all pairs stand still.
std::string spectrum_svg(const Model& model);

}  // namespace ropeproof::conformance::models
