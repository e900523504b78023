/* Right, and then aborts when it is unloaded. */
#include <stdio.h>
#include <stdlib.h>

#include "rope.h"

__attribute__((destructor)) static void end(void) {
  fputs("my thread pool is gone\n", stderr);
  abort();
}

int32_t ropeproof_run(const ropeproof_problem* p) { return rope(p); }
