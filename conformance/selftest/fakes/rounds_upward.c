/* Leaves the rounding mode changed. */
#include <fenv.h>

#include "rope.h"

int32_t ropeproof_run(const ropeproof_problem* p) {
  const int32_t status = rope(p);
  fesetround(FE_UPWARD);
  return status;
}
