/* Stops the process that started it, and aborts. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "fake.h"

int32_t ropeproof_run(const ropeproof_problem* p) {
  (void)p;
  kill(getppid(), SIGSTOP);
  abort();
}
