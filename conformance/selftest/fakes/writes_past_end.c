/* Writes one element behind q.out. */
#include "rope.h"

int32_t ropeproof_run(const ropeproof_problem* p) {
  const int32_t status = rope(p);
  if (elements(p) > 0) ((float*)p->q.out)[elements(p)] = 0;
  return status;
}
