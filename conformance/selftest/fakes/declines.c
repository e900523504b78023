/* Right, and says by itself that it takes no batches. */
#include "rope.h"

int32_t ropeproof_supports(const ropeproof_problem* p) {
  if (p->q.in || p->positions || p->inv_freq) return ROPEPROOF_INVALID;
  return p->batch == 1 ? ROPEPROOF_OK : ROPEPROOF_UNSUPPORTED;
}

int32_t ropeproof_run(const ropeproof_problem* p) {
  return p->batch == 1 ? rope(p) : ROPEPROOF_UNSUPPORTED;
}
