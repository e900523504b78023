/* Reads one element behind q.in, as a loop over whole vectors does. */
#include "rope.h"

int32_t ropeproof_run(const ropeproof_problem* p) {
  const volatile float* q = (const float*)p->q.in;
  if (elements(p) > 0) (void)q[elements(p)];
  return rope(p);
}
