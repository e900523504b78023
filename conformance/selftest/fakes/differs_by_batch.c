/* Promises the same bits, and rotates single tokens by another code path. */
#define PROMISES ROPEPROOF_DETERMINISTIC
#include "rope.h"

int32_t ropeproof_run(const ropeproof_problem* p) {
  const int32_t status = rope(p);
  float* y = (float*)p->q.out;
  if (p->batch * p->seq == 1 && elements(p) > 0) {
    y[0] = nextafterf(y[0], INFINITY);
  }
  return status;
}
