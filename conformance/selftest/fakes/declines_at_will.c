/* Declines every third problem that it is asked about. */
#include "rope.h"

int32_t ropeproof_supports(const ropeproof_problem* p) {
  static int asked;
  (void)p;
  return ++asked % 3 == 0 ? ROPEPROOF_UNSUPPORTED : ROPEPROOF_OK;
}

int32_t ropeproof_run(const ropeproof_problem* p) { return rope(p); }
