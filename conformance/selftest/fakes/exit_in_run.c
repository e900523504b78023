/* Ends the process, politely. */
#include <stdlib.h>

#include "fake.h"

int32_t ropeproof_run(const ropeproof_problem* p) {
  (void)p;
  exit(3);
}
