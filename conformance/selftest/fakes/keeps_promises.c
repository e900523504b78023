/* Keeps all its promises: the control among the fakes. */
#include <stdbool.h>

#define PROMISES \
  (ROPEPROOF_VALIDATES | ROPEPROOF_DETERMINISTIC | ROPEPROOF_CONCURRENT)
#include "rope.h"

static bool has_equal_strides(const ropeproof_problem* p) {
  return p->q.in_batch_stride == p->q.out_batch_stride &&
         p->q.in_token_stride == p->q.out_token_stride &&
         p->q.in_head_stride == p->q.out_head_stride;
}

/* Whether the two extents share an element. */
static bool overlaps(const ropeproof_problem* p) {
  const int64_t b = p->batch - 1, s = p->seq - 1, h = p->q.heads - 1;
  const float* in_end = head_in(p, b, s, h) + p->head_dim;
  const float* out_end = head_out(p, b, s, h) + p->head_dim;
  return (const float*)p->q.in < out_end && (const float*)p->q.out < in_end;
}

int32_t ropeproof_run(const ropeproof_problem* p) {
  if (p->batch < 0 || p->seq < 0 || p->q.heads < 0 || p->head_dim < 2) {
    return ROPEPROOF_INVALID;
  }
  if (p->rotary_dim < 2 || p->rotary_dim > p->head_dim)
    return ROPEPROOF_INVALID;
  if (p->rotary_offset < 0 || p->rotary_offset > p->head_dim - p->rotary_dim) {
    return ROPEPROOF_INVALID;
  }
  if (p->rotary_dim % 2 != 0 || !isfinite(p->base)) return ROPEPROOF_INVALID;
  if (p->rotary_dim != p->head_dim) return ROPEPROOF_UNSUPPORTED;
  if (p->direction != 1) return ROPEPROOF_INVALID;
  if (elements(p) == 0) return ROPEPROOF_OK;
  if (p->q.in == NULL || p->q.out == NULL || p->positions == NULL) {
    return ROPEPROOF_INVALID;
  }
  const bool is_in_place = p->q.in == p->q.out;
  if (is_in_place ? !has_equal_strides(p) : overlaps(p)) {
    return ROPEPROOF_INVALID;
  }
  if (p->seq > 1 && p->q.out_token_stride < p->head_dim) {
    return ROPEPROOF_INVALID;
  }
  return rope(p);
}
