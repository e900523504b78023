/* Counts elements in 32 bits without sign: right up to 2^32 of them. */
#include "rope.h"

/* Where a row begins, as far as 32 bits say. */
static int64_t offset(int64_t b, int64_t batch_stride, int64_t s,
                      int64_t token_stride, int64_t h, int64_t head_stride) {
  return (uint32_t)(b * batch_stride + s * token_stride + h * head_stride);
}

int32_t ropeproof_run(const ropeproof_problem* p) {
  for (int64_t b = 0; b < p->batch; ++b) {
    for (int64_t s = 0; s < p->seq; ++s) {
      for (int64_t h = 0; h < p->q.heads; ++h) {
        const ropeproof_tensor* t = &p->q;
        const float* x = (const float*)t->in + offset(b, t->in_batch_stride, s,
                                                      t->in_token_stride, h,
                                                      t->in_head_stride);
        float* y =
            (float*)t->out + offset(b, t->out_batch_stride, s,
                                    t->out_token_stride, h, t->out_head_stride);
        rope_row(p, b, s, x, y);
      }
    }
  }
  return ROPEPROOF_OK;
}
