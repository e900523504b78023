// identify.h -- reads the whole map of a kernel off probes.
//
// What is linear is measured and needs no hypothesis: which channels rotate
// into which, by how much at each position, rounded how. What is left is asked
// in problems of every kind, whose wrong answers are explained as a run's are
// (explain/explain.h).
#pragma once

#include "conformance/cases/corpus.h"
#include "conformance/identify/finding.h"

namespace ropeproof::conformance::identify {

// Findings that differ come first. Cost: some hundred calls of one token, and
// some hundred of a few. `asked`, if given, gets the problems of every kind.
Identified identify(plugin::Kernel& kernel, cases::Corpus* asked = nullptr);

}  // namespace ropeproof::conformance::identify
