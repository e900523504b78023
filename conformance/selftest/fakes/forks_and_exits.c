/* Ends, and leaves a process that holds all descriptors. */
#include <unistd.h>

#include "rope.h"

int32_t ropeproof_describe(ropeproof_description* d) {
  return describe_rope(d, 0);
}

int32_t ropeproof_run(const ropeproof_problem* p) {
  (void)p;
  if (fork() == 0) {
    for (;;) pause();
  }
  _exit(0);
}
