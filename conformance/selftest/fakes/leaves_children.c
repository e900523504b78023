/* Hangs, after starting processes in a session of their own. */
#include <stdio.h>
#include <unistd.h>

#include "rope.h"

int32_t ropeproof_run(const ropeproof_problem* p) {
  (void)p;
  const pid_t child = fork();
  if (child == 0 && fork() == 0) setsid();
  printf("pid %d\n", (int)getpid());
  fflush(stdout);
  for (;;) pause();
}
