/* Right, and then waits for ever when it is unloaded: in what it registered
   itself. */
#include <stdlib.h>
#include <unistd.h>

#include "rope.h"

static void end(void) {
  for (;;) pause();
}

int32_t ropeproof_describe(ropeproof_description* d) {
  atexit(end);
  return describe_rope(d, 0);
}

int32_t ropeproof_run(const ropeproof_problem* p) { return rope(p); }
