/* Finds no device, say. */
#define DESCRIBES_ITSELF
#include "fake.h"

int32_t ropeproof_describe(ropeproof_description* d) {
  (void)d;
  return ROPEPROOF_UNSUPPORTED;
}

int32_t ropeproof_run(const ropeproof_problem* p) {
  (void)p;
  return ROPEPROOF_OK;
}
