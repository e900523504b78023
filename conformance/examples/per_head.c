// A kernel that takes a head at a time and works in place only.
#include <math.h>
#include <ropeproof_tokens.h>

// The kernel: half-split pairs.
static void rotate_head(float* x, int64_t rotary_dim, float position,
                        const double* inv_freq) {
  const int64_t half = rotary_dim / 2;
  for (int64_t j = 0; j < half; ++j) {
    const float phi = position * (float)inv_freq[j], u = x[j], v = x[j + half];
    x[j] = u * cosf(phi) - v * sinf(phi);
    x[j + half] = u * sinf(phi) + v * cosf(phi);
  }
}

int32_t ropeproof_describe(ropeproof_description* d) {
  d->abi_version = ROPEPROOF_ABI_VERSION, d->operations = ROPEPROOF_ROPE;
  d->name = "per-head", d->version = "1.0", d->dtypes = ROPEPROOF_F32;
  d->pairings = ROPEPROOF_HALF_SPLIT;
  d->claims[0].angle_class = ROPEPROOF_A1;
  d->features = ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_IN_PLACE |
                ROPEPROOF_STRIDED | ROPEPROOF_KEYS | ROPEPROOF_PARTIAL |
                ROPEPROOF_WINDOW_OFFSET | ROPEPROOF_INV_FREQ;
  return ROPEPROOF_OK;
}

int32_t ropeproof_run(const ropeproof_problem* p) {
  ropeproof_copy(p, &p->q);
  ropeproof_copy(p, &p->k);
  ropeproof_cursor c = ropeproof_begin(p);
  while (ropeproof_next_head(&c))
    rotate_head((float*)c.out + p->rotary_offset, p->rotary_dim,
                (float)c.position, p->inv_freq);
  return ROPEPROOF_OK;
}
