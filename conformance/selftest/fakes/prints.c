/* Says more than a pipe holds, to standard output and error. */
#include <stdio.h>

#include "rope.h"

int32_t ropeproof_run(const ropeproof_problem* p) {
  for (int i = 0; i < 40000; ++i) {
    printf("%d\n", i);
    fprintf(stderr, "%d\n", i);
  }
  return rope(p);
}
