/* Ends the process, politely. */
#include <stdlib.h>

#include "fake.h"

int32_t ropeproof_describe(ropeproof_description* d) {
  return describe_fake(d);
}

int32_t ropeproof_run(const ropeproof_problem* p) {
  (void)p;
  exit(3);
}
