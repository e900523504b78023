/* Leaves the rounding mode changed. */
#include <fenv.h>

#include "fake.h"

int32_t ropeproof_describe(ropeproof_description* d) {
  return describe_fake(d);
}

int32_t ropeproof_run(const ropeproof_problem* p) {
  (void)p;
  fesetround(FE_UPWARD);
  return ROPEPROOF_OK;
}
