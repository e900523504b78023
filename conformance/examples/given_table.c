// A kernel that is given cos and sin: of each token (rotate), or a cache and
// the row of each token (lookup).
#include <ropeproof_tokens.h>

// The kernel: half-split pairs of a head.
static void rotate_head(const float* in, float* out, const float* cos_row,
                        const float* sin_row, int64_t half) {
  for (int64_t j = 0; j < half; ++j) {
    const float u = in[j], v = in[j + half];
    out[j] = u * cos_row[j] - v * sin_row[j];
    out[j + half] = u * sin_row[j] + v * cos_row[j];
  }
}

int32_t ropeproof_describe(ropeproof_description* d) {
  d->abi_version = ROPEPROOF_ABI_VERSION;
  d->operations = ROPEPROOF_ROTATE | ROPEPROOF_LOOKUP;
  d->name = "given-table", d->version = "1.0", d->dtypes = ROPEPROOF_F32;
  d->pairings = ROPEPROOF_HALF_SPLIT;
  d->caches = ROPEPROOF_CACHE_SPLIT | ROPEPROOF_CACHE_SIDE_BY_SIDE |
              ROPEPROOF_CACHE_DOUBLED;
  d->claims[0].angle_class = ROPEPROOF_A0;
  d->features = ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_IN_PLACE |
                ROPEPROOF_STRIDED | ROPEPROOF_KEYS;
  return ROPEPROOF_OK;
}

int32_t ropeproof_run(const ropeproof_problem* p) {
  ropeproof_cursor c = ropeproof_begin(p);
  while (ropeproof_next_head(&c))
    rotate_head(c.in, c.out, c.cos, c.sin, p->head_dim / 2);
  return ROPEPROOF_OK;
}
