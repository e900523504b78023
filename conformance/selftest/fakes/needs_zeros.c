/* Sums up in memory that it takes for empty. */
#include <stdlib.h>

#include "rope.h"

int32_t ropeproof_run(const ropeproof_problem* p) {
  const int64_t d = p->head_dim;
  volatile float* sum = malloc((size_t)d * sizeof *sum);
  if (sum == NULL) return ROPEPROOF_INVALID;
  const int32_t status = rope(p);
  if (status == ROPEPROOF_OK && p->batch > 0 && p->seq > 0 && p->q.heads > 0) {
    float* y = head_out(p, 0, 0, 0);
    for (int64_t c = 0; c < d; ++c) y[c] += sum[c];
  }
  free((void*)sum);
  return status;
}
