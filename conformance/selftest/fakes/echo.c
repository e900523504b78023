/* Copies q, as its strides say: a kernel that forgot to rotate. */
#include <string.h>

#include "fake.h"

int32_t ropeproof_run(const ropeproof_problem* p) {
  const ropeproof_tensor* q = &p->q;
  for (int64_t b = 0; b < p->batch; ++b) {
    for (int64_t s = 0; s < p->seq; ++s) {
      for (int64_t h = 0; h < q->heads; ++h) {
        const int64_t in = b * q->in_batch_stride + s * q->in_token_stride +
                           h * q->in_head_stride;
        const int64_t out = b * q->out_batch_stride + s * q->out_token_stride +
                            h * q->out_head_stride;
        memmove((float*)q->out + out, (const float*)q->in + in,
                (size_t)p->head_dim * sizeof(float));
      }
    }
  }
  return ROPEPROOF_OK;
}
