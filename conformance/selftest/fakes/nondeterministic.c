/* Promises the same bits, and gives others on every tenth call. */
#define PROMISES ROPEPROOF_DETERMINISTIC
#include "rope.h"

int32_t ropeproof_run(const ropeproof_problem* p) {
  static int calls;
  const int32_t status = rope(p);
  float* y = (float*)p->q.out;
  if (++calls % 10 == 0 && elements(p) > 0) y[0] = nextafterf(y[0], INFINITY);
  return status;
}
