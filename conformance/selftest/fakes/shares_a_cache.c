/* Promises to be called by many threads, and shares the frequencies of the
 * latest base and head_dim among them. */
#include <sched.h>

#define PROMISES ROPEPROOF_CONCURRENT
#include "rope.h"

static volatile double known_base;
static volatile int64_t known_dim;
static volatile float frequencies[2048];

int32_t ropeproof_run(const ropeproof_problem* p) {
  const int64_t half = p->head_dim / 2;
  if (p->head_dim > 4096) return ROPEPROOF_UNSUPPORTED;
  if (known_base != p->base || known_dim != p->head_dim) {
    for (int64_t j = 0; j < half; ++j) {
      frequencies[j] =
          (float)pow(p->base, -2.0 * (double)j / (double)p->head_dim);
    }
    known_base = p->base;
    known_dim = p->head_dim;
    sched_yield(); /* the window in which another thread may come */
  }
  for (int64_t b = 0; b < p->batch; ++b) {
    for (int64_t s = 0; s < p->seq; ++s) {
      const float position =
          (float)p->positions[b * p->position_batch_stride + s];
      for (int64_t h = 0; h < p->q.heads; ++h) {
        const float* x = head_in(p, b, s, h);
        float* y = head_out(p, b, s, h);
        for (int64_t j = 0; j < half; ++j) {
          const float phi = position * frequencies[j];
          const float c = cosf(phi), sine = sinf(phi);
          const float u = x[j], v = x[j + half];
          y[j] = u * c - v * sine;
          y[j + half] = u * sine + v * c;
        }
      }
    }
  }
  return ROPEPROOF_OK;
}
