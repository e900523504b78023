// plugin.cc -- the two functions that make fast/ a plug-in of the suite, which
// sees our kernels exactly as it sees anybody's.
#include "conformance/ropeproof_kernel.h"
#include "fast/abi.h"

extern "C" std::int32_t ropeproof_describe(ropeproof_description* description) {
  return ropeproof::fast::describe(description);
}

extern "C" std::int32_t ropeproof_run(const ropeproof_problem* problem) {
  return ropeproof::fast::run(problem);
}
