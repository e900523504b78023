/* Prints and prints. */
#include <stdio.h>

#include "fake.h"

int32_t ropeproof_run(const ropeproof_problem* p) {
  (void)p;
  while (puts("and another one") >= 0) {
  }
  return ROPEPROOF_OK;
}
