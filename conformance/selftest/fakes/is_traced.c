/* Asks to be traced, as a check for debuggers does, and then ends badly. */
#include <stdlib.h>
#include <sys/ptrace.h>

#include "fake.h"

int32_t ropeproof_run(const ropeproof_problem* p) {
  (void)p;
  ptrace(PTRACE_TRACEME, 0, NULL, NULL);
  abort();
}
