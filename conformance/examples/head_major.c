// A kernel that takes a whole array [batch, heads, seq, head_dim], as Hugging
// Face has it, and [batch, seq] int32 positions.
#include <math.h>
#include <ropeproof_tokens.h>
#include <stdlib.h>

// The kernel: half-split pairs, in place, head_dim a multiple of four.
static void rotate(float* x, const int32_t* positions, int64_t batch,
                   int64_t heads, int64_t seq, int64_t head_dim, float base) {
  const int64_t half = head_dim / 2;
  for (int64_t row = 0; row < batch * heads * seq; ++row) {
    const int64_t b = row / seq / heads, s = row % seq;
    for (int64_t j = 0; j < half; ++j) {
      const float theta = 1 / powf(base, (float)j / (float)half);
      const float phi = (float)positions[b * seq + s] * theta;
      float *y = x + row * head_dim + j, u = y[0], v = y[half];
      y[0] = u * cosf(phi) - v * sinf(phi);
      y[half] = u * sinf(phi) + v * cosf(phi);
    }
  }
}

int32_t ropeproof_describe(ropeproof_description* d) {
  d->abi_version = ROPEPROOF_ABI_VERSION, d->operations = ROPEPROOF_ROPE;
  d->name = "head-major", d->version = "1.0", d->dtypes = ROPEPROOF_F32;
  d->pairings = ROPEPROOF_HALF_SPLIT, d->max_position = INT32_MAX;
  d->claims[0].angle_class = ROPEPROOF_A1;
  d->features = ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_IN_PLACE |
                ROPEPROOF_STRIDED | ROPEPROOF_KEYS;
  return ROPEPROOF_OK;
}

int32_t ropeproof_supports(const ropeproof_problem* p) {
  return p->head_dim % 4 == 0 ? ROPEPROOF_OK : ROPEPROOF_UNSUPPORTED;
}

int32_t ropeproof_run(const ropeproof_problem* p) {
  const int64_t tokens = p->batch * p->seq;
  const int64_t heads = p->q.heads > p->k.heads ? p->q.heads : p->k.heads;
  int32_t* positions = malloc(sizeof(int32_t) * (size_t)(tokens + 1));
  float* dense =
      malloc(sizeof(float) * (size_t)(tokens * heads * p->head_dim + 1));
  int32_t status = ROPEPROOF_UNSUPPORTED;
  if (positions != NULL && dense != NULL)
    status = ropeproof_int32_positions(p, positions);
  if (status == ROPEPROOF_OK) {
    for (int i = 0; i < 2; ++i) {
      const ropeproof_tensor* x = i == 0 ? &p->q : &p->k;
      ropeproof_pack(p, x, ROPEPROOF_HEAD_MAJOR, dense);
      rotate(dense, positions, p->batch, x->heads, p->seq, p->head_dim,
             (float)p->base);
      ropeproof_unpack(p, x, ROPEPROOF_HEAD_MAJOR, dense);
    }
  }
  free(positions);
  free(dense);
  return status;
}
