// gemma.cpp, RopeAndMulBy of ops/ops-inl.h: in place, one head a call, for the
// vector instructions that the compiler is told of. A cosine by Highway's
// SinCos.
#include <ropeproof_tokens.h>

#include <vector>

#include "ops/ops-inl.h"
#include "util/threading_context.h"

int32_t ropeproof_describe(ropeproof_description* d) {
  d->abi_version = ROPEPROOF_ABI_VERSION, d->operations = ROPEPROOF_ROPE;
  d->name = "gemma.cpp", d->version = "3ed403e", d->dtypes = ROPEPROOF_F32;
  d->pairings = ROPEPROOF_HALF_SPLIT, d->max_position = 39000;
  d->features = ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_IN_PLACE |
                ROPEPROOF_STRIDED | ROPEPROOF_KEYS | ROPEPROOF_PARTIAL |
                ROPEPROOF_WINDOW_OFFSET | ROPEPROOF_INV_FREQ |
                ROPEPROOF_NEGATIVE_POSITIONS | ROPEPROOF_AMPLITUDE |
                ROPEPROOF_DETERMINISTIC;
  d->claims[0].angle_class = ROPEPROOF_A1, d->claims[0].trig_ulp = 3;
  return ROPEPROOF_OK;
}

int32_t ropeproof_run(const ropeproof_problem* p) {
  static gcpp::ThreadingContext context{gcpp::ThreadingArgs()};
  const std::vector<float> inv(p->inv_freq, p->inv_freq + p->rotary_dim / 2);
  ropeproof_copy(p, &p->q), ropeproof_copy(p, &p->k);
  for (auto c = ropeproof_begin(p); ropeproof_next_head(&c);) {
    gcpp::HWY_NAMESPACE::RopeAndMulBy(
        p->amplitude, (float*)c.out + p->rotary_offset, p->rotary_dim,
        inv.data(), c.position, context, 0);
  }
  return ROPEPROOF_OK;
}
