/* Returns the problem's direction as its status. */
#include "fake.h"

int32_t ropeproof_describe(ropeproof_description* d) {
  return describe_fake(d);
}

int32_t ropeproof_run(const ropeproof_problem* p) { return p->direction; }
