/* Names itself in two lines. */
#define DESCRIBES_ITSELF
#include "fake.h"

int32_t ropeproof_describe(ropeproof_description* d) {
  describe_fake(d);
  d->name = "two\nlines";
  return ROPEPROOF_OK;
}

int32_t ropeproof_run(const ropeproof_problem* p) {
  (void)p;
  return ROPEPROOF_OK;
}
