/* Prints and prints. */
#include <stdio.h>

#include "fake.h"

int32_t ropeproof_describe(ropeproof_description* d) {
  return describe_fake(d);
}

int32_t ropeproof_run(const ropeproof_problem* p) {
  (void)p;
  while (puts("and another one") >= 0) {
  }
  return ROPEPROOF_OK;
}
