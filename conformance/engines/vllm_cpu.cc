// vLLM on the CPU, rotary_embedding_impl and its _gptj_ twin of
// csrc/cpu/pos_encoding.cpp: in place, q and k in one call, a row of cosines,
// then sines, for each token. In bf16 it wants tensors aligned to 16 bytes.
#include <ropeproof_tokens.h>

#include <numeric>
#include <vector>

#include "cpu/pos_encoding.cpp"

int32_t ropeproof_describe(ropeproof_description* d) {
  d->abi_version = ROPEPROOF_ABI_VERSION, d->operations = ROPEPROOF_ROTATE;
  d->name = "vllm-cpu", d->version = "0.33.0", d->dtypes = ROPEPROOF_F32;
  d->pairings = ROPEPROOF_INTERLEAVED | ROPEPROOF_HALF_SPLIT;
  d->features = ROPEPROOF_IN_PLACE | ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_KEYS |
                ROPEPROOF_DETERMINISTIC | ROPEPROOF_CONCURRENT;
  return ROPEPROOF_OK;
}

int32_t ropeproof_run(const ropeproof_problem* p) {
  const int64_t r = p->rotary_dim, d = p->head_dim, tokens = p->batch * p->seq;
  ropeproof_copy(p, &p->q), ropeproof_copy(p, &p->k);
  std::vector<float> rows(tokens * r);
  auto c = ropeproof_begin(p);
  for (int64_t t = 0; t < tokens && ropeproof_next_token(&c); ++t) {
    memcpy(&rows[t * r], c.cos, r / 2 * 4);
    memcpy(&rows[t * r + r / 2], c.sin, r / 2 * 4);
  }
  std::vector<int64_t> positions(tokens);
  std::iota(positions.begin(), positions.end(), 0);
  const auto rotate = p->pairing == ROPEPROOF_HALF_SPLIT
                          ? rotary_embedding_impl<float>
                          : rotary_embedding_gptj_impl<float>;
  rotate(positions.data(), (float*)p->q.out, (float*)p->k.out, rows.data(), r,
         p->q.heads * d, p->k.heads * d, p->q.heads, p->k.heads, d, tokens);
  return ROPEPROOF_OK;
}
