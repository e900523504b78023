/* Promises to be called by many threads, and has one scratch row for all. */
#include <sched.h>

#define PROMISES ROPEPROOF_CONCURRENT
#include "rope.h"

static volatile float cosines[2048], sines[2048];

static void turn_head(const ropeproof_problem* p, int64_t b, int64_t s,
                      int64_t h) {
  const int64_t half = p->head_dim / 2;
  const float* x = head_in(p, b, s, h);
  float* y = head_out(p, b, s, h);
  for (int64_t j = 0; j < half; ++j) {
    const float c = cosines[j], sine = sines[j], u = x[j], v = x[j + half];
    y[j] = u * c - v * sine;
    y[j + half] = u * sine + v * c;
  }
}

int32_t ropeproof_run(const ropeproof_problem* p) {
  const int64_t half = p->head_dim / 2;
  if (p->head_dim > 4096) return ROPEPROOF_UNSUPPORTED;
  for (int64_t b = 0; b < p->batch; ++b) {
    for (int64_t s = 0; s < p->seq; ++s) {
      for (int64_t j = 0; j < half; ++j) {
        cosines[j] = cosf(angle(p, b, s, j));
        sines[j] = sinf(angle(p, b, s, j));
      }
      sched_yield(); /* the window in which another thread may come */
      for (int64_t h = 0; h < p->q.heads; ++h) turn_head(p, b, s, h);
    }
  }
  return ROPEPROOF_OK;
}
