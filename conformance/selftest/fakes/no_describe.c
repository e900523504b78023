/* Exports the other one. */
#define DESCRIBES_ITSELF
#include "fake.h"

int32_t ropeproof_run(const ropeproof_problem* p) {
  (void)p;
  return ROPEPROOF_OK;
}
