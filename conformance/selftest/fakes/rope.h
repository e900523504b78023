/* rope.h -- a right kernel (f32, half-split, class A1) for fakes that are wrong
 * in one respect only. */
#ifndef ROPEPROOF_CONFORMANCE_FAKES_ROPE_H_
#define ROPEPROOF_CONFORMANCE_FAKES_ROPE_H_

#include <math.h>
#include <stddef.h>

#include "fake.h"

static inline const float* head_in(const ropeproof_problem* p, int64_t b,
                                   int64_t s, int64_t h) {
  return (const float*)p->q.in + b * p->q.in_batch_stride +
         s * p->q.in_token_stride + h * p->q.in_head_stride;
}

static inline float* head_out(const ropeproof_problem* p, int64_t b, int64_t s,
                              int64_t h) {
  return (float*)p->q.out + b * p->q.out_batch_stride +
         s * p->q.out_token_stride + h * p->q.out_head_stride;
}

static inline float angle(const ropeproof_problem* p, int64_t b, int64_t s,
                          int64_t j) {
  const float position = (float)p->positions[b * p->position_batch_stride + s];
  const double exponent = -2.0 * (double)j / (double)p->head_dim;
  return position * (float)pow(p->base, exponent);
}

static inline void rope_row(const ropeproof_problem* p, int64_t b, int64_t s,
                            const float* x, float* y) {
  const int64_t half = p->head_dim / 2;
  for (int64_t j = 0; j < half; ++j) {
    const float phi = angle(p, b, s, j), c = cosf(phi), sine = sinf(phi);
    const float u = x[j], v = x[j + half];
    y[j] = u * c - v * sine;
    y[j + half] = u * sine + v * c;
  }
}

static inline void rope_head(const ropeproof_problem* p, int64_t b, int64_t s,
                             int64_t h) {
  rope_row(p, b, s, head_in(p, b, s, h), head_out(p, b, s, h));
}

static inline int32_t rope(const ropeproof_problem* p) {
  for (int64_t b = 0; b < p->batch; ++b) {
    for (int64_t s = 0; s < p->seq; ++s) {
      for (int64_t h = 0; h < p->q.heads; ++h) rope_head(p, b, s, h);
    }
  }
  return ROPEPROOF_OK;
}

/* Elements from q.in or q.out to the end of the last row, without gaps. */
static inline int64_t elements(const ropeproof_problem* p) {
  return p->batch * p->seq * p->q.heads * p->head_dim;
}

#endif /* ROPEPROOF_CONFORMANCE_FAKES_ROPE_H_ */
