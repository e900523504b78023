/* Reads one element before q.in. */
#include "rope.h"

int32_t ropeproof_run(const ropeproof_problem* p) {
  const volatile float* q = (const float*)p->q.in;
  if (elements(p) > 0) (void)q[-1];
  return rope(p);
}
