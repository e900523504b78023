#include <math.h>
#include <ropeproof_kernel.h>

int32_t ropeproof_describe(ropeproof_description* d) {
  d->abi_version = ROPEPROOF_ABI_VERSION, d->operations = ROPEPROOF_ROPE;
  d->name = "my-rope", d->version = "1.0", d->dtypes = ROPEPROOF_F32;
  d->pairings = ROPEPROOF_HALF_SPLIT, d->claims[0].angle_class = ROPEPROOF_A1;
  d->features = ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_IN_PLACE;
  return ROPEPROOF_OK;
}

int32_t ropeproof_run(const ropeproof_problem* p) {
  const int64_t half = p->head_dim / 2, pairs = p->q.heads * half;
  for (int64_t i = 0; i < p->batch * p->seq * pairs; ++i) {
    const int64_t j = i % half, s = i / pairs % p->seq, b = i / pairs / p->seq;
    const float pos = (float)p->positions[b * p->position_batch_stride + s];
    const float phi = pos / powf((float)p->base, (float)j / (float)half);
    const float* x = (const float*)p->q.in + 2 * i - j;
    const float c_j = cosf(phi), s_j = sinf(phi), x_u = x[0], x_v = x[half];
    float* y = (float*)p->q.out + 2 * i - j;
    y[0] = x_u * c_j - x_v * s_j;
    y[half] = x_u * s_j + x_v * c_j;
  }
  return ROPEPROOF_OK;
}
