/* Leaves subnormal results flushed to zero, as start-up code of -ffast-math. */
#include <fenv.h>

#include "rope.h"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

int32_t ropeproof_run(const ropeproof_problem* p) {
#if defined(__SSE__)
  _mm_setcsr(_mm_getcsr() | 0x8040);
#else
  fesetround(FE_UPWARD);
#endif
  return rope(p);
}
