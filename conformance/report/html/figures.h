// figures.h -- the pictures of a report: SVG and a table, for a page whose
// style is figure_style().
#pragma once

#include <string>

#include "conformance/report/report.h"

namespace ropeproof::conformance::report {

// Colours and fonts, light or dark as the reader's system is.
std::string figure_style();

// Each is one figure with a sentence that says what to see; or, where the
// report has no data for it, a sentence that says why it is left out.
//
// The largest error over its bound, by pair and size of position.
std::string pair_figure(const Report& report);
// Draws the same by operation, scaling and dtype: a table.
std::string class_figure(const Report& report);
// Elements by their error in ulp of the pair's length.
std::string ulp_figure(const Report& report);
// The kernel's frequencies beside the declared ones.
std::string frequency_figure(const Report& report);
// The kernel's cos and sin at one position beside the exact ones.
std::string rotation_figure(const Report& report);

}  // namespace ropeproof::conformance::report
