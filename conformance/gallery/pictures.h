// pictures.h -- position encodings as pictures: SVG elements for a page whose
// style is gallery_style().
#pragma once

#include <string>

namespace ropeproof::conformance::gallery {

// Returns colours, light or dark as the reader's system is, and fonts.
std::string gallery_style();

// Draw values over position (to the right) and channel (downwards).
std::string binary_picture();
std::string sinusoidal_picture();

// Draws sum_i cos(p theta_i) over the distance p, divided by the number of
// pairs.
std::string decay_picture();

// Draws q and k of three tokens before and after the rotation by 10, 20 and 30
// degrees.
std::string rotation_picture();

}  // namespace ropeproof::conformance::gallery
