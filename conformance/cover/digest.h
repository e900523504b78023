// digest.h -- formed cases pinned: nothing of them is committed but their
// digest.
#pragma once

#include <map>
#include <string>

#include "conformance/cover/arrays.h"
#include "conformance/plugin/kernel.h"
#include "reference/golden.h"

namespace ropeproof::conformance::cover {

// By source ("pairs", "shapes", in full "triples"): the SHA-256 of
// all inputs and goldens that a kernel with this description is given by the
// suite's own seed. The same on every machine, with any number of threads.
// Cost: that of forming them all, a second or two, with triples half a minute.
std::map<std::string, std::string> formed_digests(
    const Arrays& arrays, const plugin::Description& description,
    cases::Tier tier, reference::Oracle oracle);

// The lines of vectors/coverage/digests.txt, and back. Throws FileError naming
// `file` and the line.
std::string write_digests(const std::map<std::string, std::string>& digests);
std::map<std::string, std::string> read_digests(const std::string& text,
                                                const std::string& file);

}  // namespace ropeproof::conformance::cover
