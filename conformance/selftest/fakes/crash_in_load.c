/* Dies by a signal in its constructor. */
#include <signal.h>

#include "fake.h"

__attribute__((constructor)) static void crash(void) { raise(SIGSEGV); }

int32_t ropeproof_run(const ropeproof_problem* p) {
  (void)p;
  return ROPEPROOF_OK;
}
