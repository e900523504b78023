/* Comes back from one call in two processes. */
#include <stdio.h>
#include <unistd.h>

#include "rope.h"

int32_t ropeproof_run(const ropeproof_problem* p) {
  static int is_copy;
  if (is_copy && puts("called in a copy") > 0) fflush(stdout);
  is_copy = fork() == 0;
  if (is_copy) return ROPEPROOF_OK; /* without touching the outputs */
  return rope(p);
}
