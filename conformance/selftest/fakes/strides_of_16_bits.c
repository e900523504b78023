/* Keeps strides in 16 bits: right below 2^16. */
#include "rope.h"

int32_t ropeproof_run(const ropeproof_problem* p) {
  ropeproof_problem small = *p;
  ropeproof_tensor* t = &small.q;
  t->in_batch_stride = (uint16_t)t->in_batch_stride;
  t->in_token_stride = (uint16_t)t->in_token_stride;
  t->in_head_stride = (uint16_t)t->in_head_stride;
  t->out_batch_stride = (uint16_t)t->out_batch_stride;
  t->out_token_stride = (uint16_t)t->out_token_stride;
  t->out_head_stride = (uint16_t)t->out_head_stride;
  return rope(&small);
}
