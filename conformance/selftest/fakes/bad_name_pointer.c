/* Names itself with a pointer to nowhere. */
#define DESCRIBES_ITSELF
#include "fake.h"

int32_t ropeproof_describe(ropeproof_description* d) {
  describe_fake(d);
  d->name = (const char*)1;
  return ROPEPROOF_OK;
}

int32_t ropeproof_run(const ropeproof_problem* p) {
  (void)p;
  return ROPEPROOF_OK;
}
