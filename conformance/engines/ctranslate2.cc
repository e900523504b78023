// CTranslate2, rotary_kernel of src/ops/rotary_cpu.cc, a head a call. Its rows
// have each cosine twice: both halves, or side by side.
#include <ropeproof_tokens.h>

#include <vector>

#include "ops/rotary_cpu.cc"

int32_t ropeproof_describe(ropeproof_description* d) {
  d->abi_version = ROPEPROOF_ABI_VERSION, d->operations = ROPEPROOF_ROTATE;
  d->name = "ctranslate2", d->version = "0d8bcd3", d->dtypes = ROPEPROOF_F32;
  d->pairings = ROPEPROOF_INTERLEAVED | ROPEPROOF_HALF_SPLIT;
  d->features = ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_STRIDED | ROPEPROOF_KEYS |
                ROPEPROOF_PARTIAL | ROPEPROOF_SPECIAL_VALUES |
                ROPEPROOF_DETERMINISTIC | ROPEPROOF_CONCURRENT;
  return ROPEPROOF_OK;
}

int32_t ropeproof_run(const ropeproof_problem* p) {
  const int64_t r = p->rotary_dim, d = p->head_dim;
  const bool is_split = p->pairing == ROPEPROOF_HALF_SPLIT;
  const auto kernel = is_split ? ctranslate2::ops::rotary_kernel<float, false>
                               : ctranslate2::ops::rotary_kernel<float, true>;
  std::vector<float> cos(r), sin(r);
  for (auto c = ropeproof_begin(p); ropeproof_next_head(&c);) {
    for (int64_t i = 0; c.head == 0 && i < r; ++i) {
      const int64_t j = is_split ? i % (r / 2) : i / 2;
      cos[i] = ((const float*)c.cos)[j], sin[i] = ((const float*)c.sin)[j];
    }
    kernel((const float*)c.in, sin.data(), cos.data(), (float*)c.out, 1, 1, r,
           d);
  }
  return ROPEPROOF_OK;
}
