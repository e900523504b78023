/* Leaves another rounding mode behind when it describes itself. */
#include <fenv.h>

#include "rope.h"

int32_t ropeproof_describe(ropeproof_description* d) {
  fesetround(FE_UPWARD);
  return describe_rope(d, 0);
}

int32_t ropeproof_run(const ropeproof_problem* p) { return rope(p); }
