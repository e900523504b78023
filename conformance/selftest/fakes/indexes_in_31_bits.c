/* Keeps the place of a row in 32 bits with a sign: right up to 2^31 elements.
 * From the last row on, so that it comes to the others in no time. */
#include "rope.h"

int32_t ropeproof_run(const ropeproof_problem* p) {
  for (int64_t row = p->batch * p->seq * p->q.heads - 1; row >= 0; --row) {
    const int64_t token = row / p->q.heads, h = row % p->q.heads;
    const int64_t b = token / p->seq, s = token % p->seq;
    const int32_t in = (int32_t)(head_in(p, b, s, h) - (const float*)p->q.in);
    const int32_t out = (int32_t)(head_out(p, b, s, h) - (float*)p->q.out);
    rope_row(p, b, s, (const float*)p->q.in + in, (float*)p->q.out + out);
  }
  return ROPEPROOF_OK;
}
