/* Promises nothing, and is wrong on every seventh call. */
#include "rope.h"

int32_t ropeproof_run(const ropeproof_problem* p) {
  static int calls;
  const int32_t status = rope(p);
  if (++calls % 7 == 0 && elements(p) > 0) *(float*)p->q.out += 1;
  return status;
}
