// A kernel that takes a token at a time: all its heads and an int32 position.
#include <math.h>
#include <ropeproof_tokens.h>

// The kernel: interleaved pairs; `stride` elements from head to head.
static void rotate_token(const float* in, int64_t in_stride, float* out,
                         int64_t out_stride, int64_t heads, int64_t head_dim,
                         int32_t position, float base) {
  for (int64_t j = 0; j < head_dim; j += 2) {
    const float theta = 1 / powf(base, (float)j / (float)head_dim);
    const float c = cosf((float)position * theta);
    const float s = sinf((float)position * theta);
    for (int64_t h = 0; h < heads; ++h) {
      const float *x = in + h * in_stride + j, x_u = x[0], x_v = x[1];
      float* y = out + h * out_stride + j;
      y[0] = x_u * c - x_v * s;
      y[1] = x_u * s + x_v * c;
    }
  }
}

int32_t ropeproof_describe(ropeproof_description* d) {
  d->abi_version = ROPEPROOF_ABI_VERSION, d->operations = ROPEPROOF_ROPE;
  d->name = "per-token", d->version = "1.0", d->dtypes = ROPEPROOF_F32;
  d->pairings = ROPEPROOF_INTERLEAVED, d->max_position = INT32_MAX;
  d->claims[0].angle_class = ROPEPROOF_A1;
  d->features = ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_IN_PLACE |
                ROPEPROOF_STRIDED | ROPEPROOF_KEYS |
                ROPEPROOF_NEGATIVE_POSITIONS | ROPEPROOF_DETERMINISTIC;
  return ROPEPROOF_OK;
}

int32_t ropeproof_run(const ropeproof_problem* p) {
  if (ropeproof_int32_positions(p, NULL) != ROPEPROOF_OK)
    return ROPEPROOF_UNSUPPORTED;
  ropeproof_cursor c = ropeproof_begin(p);
  while (ropeproof_next_token(&c))
    rotate_token(c.in, c.tensor->in_head_stride, c.out,
                 c.tensor->out_head_stride, c.tensor->heads, p->head_dim,
                 (int32_t)c.position, (float)p->base);
  return ROPEPROOF_OK;
}
