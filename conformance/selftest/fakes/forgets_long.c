/* Computes the first 2^22 elements of a tensor, and no more. */
#include "rope.h"

int32_t ropeproof_run(const ropeproof_problem* p) {
  const int64_t row = p->q.heads * p->head_dim, most = (1 << 22) / (row + 1);
  for (int64_t token = 0; token < p->batch * p->seq && token < most; ++token) {
    for (int64_t h = 0; h < p->q.heads; ++h) {
      rope_head(p, token / p->seq, token % p->seq, h);
    }
  }
  return ROPEPROOF_OK;
}
