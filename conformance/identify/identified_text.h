// identified_text.h -- what probes showed, for people and for programs.
#pragma once

#include <string>

#include "conformance/identify/finding.h"

namespace ropeproof::conformance::identify {

// Returns about a screen of text: first what differs from the description, with
// what explains it; then what agrees, what the description does not say, and
// what the probes could not show.
std::string identified_text(const Identified& identified);

// A report has all of it as JSON, with the frequency of each pair.
std::string identified_json(const Identified& identified);

// The frequencies of the pairs beside those that are due, as one SVG document,
// light or dark as the reader's system is. Empty where none was seen.
std::string identified_svg(const Identified& identified);

}  // namespace ropeproof::conformance::identify
