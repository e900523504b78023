/* Gives up in the middle, with a last word. */
#include <stdio.h>
#include <stdlib.h>

#include "rope.h"

int32_t ropeproof_run(const ropeproof_problem* p) {
  (void)p;
  fprintf(stderr, "first line\nassertion failed: seq %% 8 == 0\n");
  abort();
}
