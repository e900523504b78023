/* Sets flush-to-zero when it is loaded, as if linked with -ffast-math. */
#include <fenv.h>

#include "rope.h"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

__attribute__((constructor)) static void begin(void) {
#if defined(__SSE__)
  _mm_setcsr(_mm_getcsr() | 0x8040);
#else
  fesetround(FE_UPWARD);
#endif
}

int32_t ropeproof_run(const ropeproof_problem* p) { return rope(p); }
