/* Catches the signal of a bad access, and goes on behind it. */
#include <signal.h>
#include <unistd.h>

#define DESCRIBES_ITSELF
#include "rope.h"

static void end_quietly(int number) {
  (void)number;
  _exit(0);
}

int32_t ropeproof_describe(ropeproof_description* d) {
  signal(SIGSEGV, end_quietly);
  signal(SIGBUS, end_quietly);
  signal(SIGTERM, SIG_IGN);
  return describe_fake(d);
}

int32_t ropeproof_run(const ropeproof_problem* p) {
  const volatile float* q = (const float*)p->q.in;
  if (elements(p) > 0) (void)q[elements(p)];
  return rope(p);
}
