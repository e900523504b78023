/* Prints a megabyte for each problem, and still answers. */
#include <stdio.h>

#include "fake.h"

int32_t ropeproof_describe(ropeproof_description* d) {
  return describe_fake(d);
}

int32_t ropeproof_run(const ropeproof_problem* p) {
  (void)p;
  for (int line = 0; line < 1 << 15; ++line) {
    printf("a line of thirty-one characters\n");
  }
  return ROPEPROOF_OK;
}
