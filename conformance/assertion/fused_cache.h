// fused_cache.h -- a paged cache after a fused call: which slots were written,
// and with what.
#pragma once

#include <ropeproof_fused.h>

#include <string>

namespace ropeproof::conformance::assertion {

// Throws std::invalid_argument, one line, for slots that are none, that two
// tokens name, or a cache that is not there.
void check_cache(const ropeproof_problem& problem,
                 const ropeproof_fused& fused);

// What is wrong with the slots that no token names, and with v: lines for
// people; "" where nothing is.
std::string cache_failures(const ropeproof_problem& problem,
                           const ropeproof_fused& fused);

// The slots that tokens name and that hold what they held before, for where k
// is wrong; "" without any.
std::string unwritten_text(const ropeproof_problem& problem,
                           const ropeproof_fused& fused);

}  // namespace ropeproof::conformance::assertion
