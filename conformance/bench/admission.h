// admission.h -- what the suite finds about a kernel, before anyone times it.
#pragma once

#include <set>
#include <string>

#include "conformance/cases/corpus.h"
#include "conformance/plugin/kernel.h"
#include "reference/format.h"

namespace ropeproof::conformance::bench {

struct Admission {
  // Why it may not enter, "it fails the smoke tier: smoke-rich-009, rope:
  // FAIL", with the case; or that nothing of it was judged. Empty: it may.
  std::string refusal, failing_case;
  // The level in the whole core tier in these dtypes, "L2+E+M", or "none"; the
  // tightest angle class that all measurements hold to, "A0".
  std::string level, found_class;
};

// Judges the smoke tier's cases of these dtypes, and if nothing fails there,
// the core tier's, which may fail unless the smoke tier had none.
Admission admit(plugin::Kernel& kernel, cases::Corpus corpus,
                const std::set<reference::Format>& dtypes);

}  // namespace ropeproof::conformance::bench
