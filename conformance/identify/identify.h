// identify.h -- reads the whole map of a kernel off probes, and tells it to
// people and to programs.
//
// What is linear is measured and needs no hypothesis: which channels rotate
// into which, by how much at each position, rounded how. What is left is asked
// in problems of every kind, whose wrong answers are explained as a run's are
// (explain/explain.h).
#pragma once

#include <string>

#include "conformance/cases/corpus.h"
#include "conformance/identify/finding.h"

namespace ropeproof::conformance::identify {

// Findings that differ come first. Cost: some hundred calls of one token, and
// some hundred of a few. `asked`, if given, gets the problems of every kind.
Identified identify(plugin::Kernel& kernel, cases::Corpus* asked = nullptr);

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
