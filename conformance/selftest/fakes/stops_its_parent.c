/* Stops what forks workers and the process that started it, and aborts. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "ancestors.h"
#include "fake.h"

int32_t ropeproof_run(const ropeproof_problem* p) {
  (void)p;
  const pid_t forks_workers = grandparent();
  if (forks_workers > 1) kill(forks_workers, SIGSTOP);
  kill(getppid(), SIGSTOP);
  abort();
}
