/* Ends, and leaves a process that holds all descriptors. */
#include <unistd.h>

#include "rope.h"

int32_t ropeproof_run(const ropeproof_problem* p) {
  (void)p;
  if (fork() == 0) {
    for (;;) pause();
  }
  _exit(0);
}
