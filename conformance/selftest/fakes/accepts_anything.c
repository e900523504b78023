/* Promises to refuse contradictions, and refuses none. */
#define PROMISES ROPEPROOF_VALIDATES
#include "rope.h"

int32_t ropeproof_run(const ropeproof_problem* p) {
  if (p->batch <= 0 || p->rotary_dim != p->head_dim) return ROPEPROOF_OK;
  if (p->q.in == NULL || p->q.out == NULL) return ROPEPROOF_OK;
  return rope(p);
}
