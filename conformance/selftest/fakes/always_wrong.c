/* Rotates every pair by one radian too much. */
#include "rope.h"

int32_t ropeproof_describe(ropeproof_description* d) {
  return describe_rope(d, 0);
}

int32_t ropeproof_run(const ropeproof_problem* p) {
  for (int64_t b = 0; b < p->batch; ++b) {
    for (int64_t s = 0; s < p->seq; ++s) {
      for (int64_t h = 0; h < p->q.heads; ++h) {
        const int64_t half = p->head_dim / 2;
        const float* x = head_in(p, b, s, h);
        float* y = head_out(p, b, s, h);
        for (int64_t j = 0; j < half; ++j) {
          const float phi = angle(p, b, s, j) + 1;
          const float u = x[j], v = x[j + half];
          y[j] = u * cosf(phi) - v * sinf(phi);
          y[j + half] = u * sinf(phi) + v * cosf(phi);
        }
      }
    }
  }
  return ROPEPROOF_OK;
}
