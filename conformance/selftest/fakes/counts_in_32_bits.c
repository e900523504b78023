/* Counts elements in 32 bits without sign: right up to 2^32 of them. */
#include "rope.h"

int32_t ropeproof_run(const ropeproof_problem* p) {
  const uint32_t end = (uint32_t)elements(p);
  for (uint32_t at = 0; at < end; at += (uint32_t)p->head_dim) {
    const int64_t row = at / p->head_dim, token = row / p->q.heads;
    rope_head(p, token / p->seq, token % p->seq, row % p->q.heads);
  }
  return ROPEPROOF_OK;
}
