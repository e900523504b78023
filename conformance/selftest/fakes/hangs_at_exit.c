/* Right, and then waits for ever when it is unloaded: in what it registered
   itself. */
#include <stdlib.h>
#include <unistd.h>

#define DESCRIBES_ITSELF
#include "rope.h"

static void end(void) {
  for (;;) pause();
}

int32_t ropeproof_describe(ropeproof_description* d) {
  atexit(end);
  return describe_fake(d);
}

int32_t ropeproof_run(const ropeproof_problem* p) { return rope(p); }
