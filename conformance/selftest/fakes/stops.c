/* Stops the process that started it, and itself. */
#include <signal.h>
#include <unistd.h>

#include "fake.h"

int32_t ropeproof_run(const ropeproof_problem* p) {
  (void)p;
  kill(getppid(), SIGSTOP);
  kill(getpid(), SIGSTOP);
  for (;;) pause();
}
