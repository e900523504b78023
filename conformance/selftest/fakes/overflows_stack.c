/* Recurses without an end. */
#include "rope.h"

static int descend(int depth) {
  if (depth < 0) return depth; /* not in this life */
  volatile char frame[512];
  frame[0] = (char)depth;
  return descend(depth + 1) + frame[0];
}

int32_t ropeproof_run(const ropeproof_problem* p) {
  return descend((int)p->batch) == 0 ? ROPEPROOF_OK : ROPEPROOF_INVALID;
}
