// XNNPACK, ROPE operator, nthc f32: for each head it calls one microkernel of
// complex products (src/operator-run.c, xnn_compute_rope;
// src/configs/cmul-config.c picks it), and so does this. It reads up to 15
// elements behind its inputs, XNN_EXTRA_BYTES.
#include <ropeproof_tokens.h>

#include <vector>

#define CONCAT(a, b) a##b
#define UKERNEL(name) CONCAT(xnn_f32_vcmul_ukernel__, name)
extern "C" void UKERNEL(KERNEL)(size_t bytes, const float* a, const float* b,
                                float* out, const void* params);

int32_t ropeproof_describe(ropeproof_description* d) {
  d->abi_version = ROPEPROOF_ABI_VERSION, d->operations = ROPEPROOF_ROTATE;
  d->name = "xnnpack", d->version = "75db3c0", d->dtypes = ROPEPROOF_F32;
  d->pairings = ROPEPROOF_HALF_SPLIT, d->padding_bytes = 16;
  d->features = ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_STRIDED | ROPEPROOF_KEYS |
                ROPEPROOF_SPECIAL_VALUES | ROPEPROOF_DETERMINISTIC |
                ROPEPROOF_CONCURRENT;
  return ROPEPROOF_OK;
}

int32_t ropeproof_run(const ropeproof_problem* p) {
  const size_t half = p->head_dim / 2;
  std::vector<float> weights(2 * half + 4);  // of a token: cosines, then sines
  for (auto c = ropeproof_begin(p); ropeproof_next_head(&c);) {
    memcpy(weights.data(), c.cos, half * 4);
    memcpy(weights.data() + half, c.sin, half * 4);
    UKERNEL(KERNEL)
    (half * 4, (const float*)c.in, weights.data(), (float*)c.out, nullptr);
  }
  return ROPEPROOF_OK;
}
