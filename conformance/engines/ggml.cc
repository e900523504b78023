// ggml_rope_ext on the CPU: [tokens, heads, head_dim].
#include <ggml-cpu.h>
#include <ropeproof_tokens.h>

#include <cmath>
#include <initializer_list>

int32_t ropeproof_describe(ropeproof_description* d) {
  d->abi_version = ROPEPROOF_ABI_VERSION, d->operations = ROPEPROOF_ROPE;
  d->name = "ggml-cpu", d->version = ggml_version();
  d->dtypes = ROPEPROOF_F32 | ROPEPROOF_F16, d->max_position = INT32_MAX;
  d->pairings = ROPEPROOF_HALF_SPLIT | ROPEPROOF_INTERLEAVED;
  d->features = ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_IN_PLACE |
                ROPEPROOF_STRIDED | ROPEPROOF_KEYS | ROPEPROOF_PARTIAL |
                ROPEPROOF_ADJOINT | ROPEPROOF_AMPLITUDE |
                ROPEPROOF_NEGATIVE_POSITIONS | ROPEPROOF_DETERMINISTIC;
  d->scalings = ROPEPROOF_LINEAR | ROPEPROOF_YARN | ROPEPROOF_LONG_ROPE |
                ROPEPROOF_FREQUENCY_FACTORS;
  d->claims[0].angle_class = ROPEPROOF_A2;
  return ROPEPROOF_OK;
}

int32_t ropeproof_supports(const ropeproof_problem* p) {
  const ropeproof_scaling* s = p->scaling;
  const bool is_cut = s == nullptr || s->kind != ROPEPROOF_YARN || s->truncate;
  return p->head_dim % 2 == 0 && is_cut ? ROPEPROOF_OK : ROPEPROOF_UNSUPPORTED;
}

int32_t ropeproof_run(const ropeproof_problem* p) {
  const ropeproof_scaling none{}, &s = p->scaling ? *p->scaling : none;
  const bool is_yarn = s.kind == ROPEPROOF_YARN;
  const double* factors =
      s.seq_len > s.original_length ? s.long_factor : s.short_factor;
  const int64_t tokens = p->batch * p->seq, half = p->rotary_dim / 2;
  for (const ropeproof_tensor* t : {&p->q, &p->k}) {
    if (tokens * t->heads == 0) continue;
    // Of x, of its result and the positions; of a graph; and to work in.
    const size_t bytes = tokens * (t->heads * p->head_dim * 8 + 16) +
                         8 * ggml_tensor_overhead() + ggml_graph_overhead() +
                         64 * p->head_dim + 4096;
    ggml_context* g = ggml_init({bytes, nullptr, false});
    ggml_tensor* f = nullptr;
    if (factors) f = ggml_new_tensor_1d(g, GGML_TYPE_F32, half);
    for (int64_t j = 0; factors && j < half; ++j)
      ((float*)f->data)[j] = factors[j];
    ggml_tensor* ids = ggml_new_tensor_1d(g, GGML_TYPE_I32, tokens);
    ropeproof_int32_positions(p, (int32_t*)ids->data);
    ggml_tensor* x = ggml_new_tensor_3d(
        g, p->dtype == ROPEPROOF_F16 ? GGML_TYPE_F16 : GGML_TYPE_F32,
        p->head_dim, t->heads, tokens);
    ropeproof_pack(p, t, ROPEPROOF_TOKEN_MAJOR, x->data);
    x = (p->direction > 0 ? ggml_rope_ext : ggml_rope_ext_back)(
        g, x, ids, f, p->rotary_dim,
        p->pairing == ROPEPROOF_HALF_SPLIT ? GGML_ROPE_TYPE_NEOX
                                           : GGML_ROPE_TYPE_NORMAL,
        s.original_length, p->base,
        is_yarn || s.kind == ROPEPROOF_LINEAR ? 1 / s.factor : 1, is_yarn,
        p->amplitude / (is_yarn ? 1 + 0.1 * std::log(s.factor) : 1),
        s.beta_fast, s.beta_slow);
    ggml_cgraph* graph = ggml_new_graph(g);
    ggml_build_forward_expand(graph, x);
    ggml_graph_compute_with_ctx(g, graph, 1);
    ropeproof_unpack(p, t, ROPEPROOF_TOKEN_MAJOR, x->data);
    ggml_free(g);
  }
  return ROPEPROOF_OK;
}
