/* Never gives memory back. */
#include <stdlib.h>

#include "rope.h"

int32_t ropeproof_run(const ropeproof_problem* p) {
  volatile char* lost = malloc(1 << 16);
  if (lost != NULL) lost[0] = 1;
  return rope(p);
}
