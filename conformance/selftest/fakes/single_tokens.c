/* Promises nothing, and does not rotate a token that comes alone. */
#include <string.h>

#include "rope.h"

int32_t ropeproof_run(const ropeproof_problem* p) {
  const int32_t status = rope(p);
  if (p->batch * p->seq == 1 && elements(p) > 0) {
    memcpy(p->q.out, p->q.in, (size_t)p->head_dim * sizeof(float));
  }
  return status;
}
