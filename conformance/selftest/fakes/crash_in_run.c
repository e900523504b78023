/* Dies by a signal while it solves a problem. */
#include <signal.h>

#include "fake.h"

int32_t ropeproof_run(const ropeproof_problem* p) {
  (void)p;
  return raise(SIGSEGV);
}
