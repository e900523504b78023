/* Leaves another rounding mode behind when it describes itself. */
#include <fenv.h>

#define DESCRIBES_ITSELF
#include "rope.h"

int32_t ropeproof_describe(ropeproof_description* d) {
  fesetround(FE_UPWARD);
  return describe_fake(d);
}

int32_t ropeproof_run(const ropeproof_problem* p) { return rope(p); }
