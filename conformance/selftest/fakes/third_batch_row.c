/* Promises nothing, and leaves the third of three batch rows as it was. */
#include <string.h>

#include "rope.h"

int32_t ropeproof_run(const ropeproof_problem* p) {
  const int32_t status = rope(p);
  if (p->batch == 3 && elements(p) > 0) {
    memcpy(head_out(p, 2, 0, 0), head_in(p, 2, 0, 0),
           (size_t)p->head_dim * sizeof(float));
  }
  return status;
}
