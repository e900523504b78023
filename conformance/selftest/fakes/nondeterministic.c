/* Promises the same bits, and gives others on every tenth call. */
#include "rope.h"

int32_t ropeproof_describe(ropeproof_description* d) {
  return describe_rope(d, ROPEPROOF_DETERMINISTIC);
}

int32_t ropeproof_run(const ropeproof_problem* p) {
  static int calls;
  const int32_t status = rope(p);
  float* y = (float*)p->q.out;
  if (++calls % 10 == 0 && elements(p) > 0) y[0] = nextafterf(y[0], INFINITY);
  return status;
}
