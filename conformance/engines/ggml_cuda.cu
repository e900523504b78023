// ggml, CUDA: ggml_cuda_op_rope() of src/ggml-cuda/rope.cu as it is, by backends/cuda_as_cpp.py.
// What it needs of ggml-cuda/common.cuh and convert.cuh stands here.
// flags: -I SITE/llama_cpp_python/src/ggml-cuda -I SITE/llama_cpp_python/include --without convert.cuh --without common.cuh --without ggml-cuda/common.cuh
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <ggml.h>
#include <ropeproof_tokens.h>

#undef GGML_ASSERT
#undef GGML_ABORT
#define GGML_ASSERT(is_so) \
  if (!(is_so)) throw std::invalid_argument("GGML_ASSERT(" #is_so ")")
#define GGML_ABORT(why) throw std::invalid_argument(why)

struct ggml_backend_cuda_context {
  cudaStream_t stream() { return nullptr; }
};
struct ggml_cuda_kernel_launch_params : ropeproof_cuda::Launch {
  ggml_cuda_kernel_launch_params(dim3 g, dim3 b, size_t s, cudaStream_t t)
      : Launch{g, b, s, t} {}
};
template <class Kernel, class... Given>
void ggml_cuda_kernel_launch(Kernel kernel, const ropeproof_cuda::Launch& how,
                             Given... given) {
  ropeproof_cuda::launch(how, [&] { kernel(given...); });
}
inline void ggml_cuda_pdl_lc() {}
inline void ggml_cuda_pdl_sync() {}
template <int bytes>
void ggml_cuda_memcpy_1(void* to, const void* from) {
  memcpy(to, from, bytes);
}
template <class To, class From>
To ggml_cuda_cast(From x) {
  if constexpr (std::is_same_v<From, float2>)
    return To{x.x, x.y};
  else
    return x;
}
// Of the fused operation, which is not called.
enum class block_reduce_method { SUM };
template <block_reduce_method, int>
float block_reduce(float, float*) {
  throw 0;
}
inline uint3 init_fastdiv_values(uint64_t) { throw 0; }
inline uint32_t fastmodulo(uint32_t, uint3) { throw 0; }
extern "C" int64_t ggml_nrows(const ggml_tensor* t) {
  return t->ne[1] * t->ne[2] * t->ne[3];
}
extern "C" size_t ggml_type_size(ggml_type type) {
  return type == GGML_TYPE_F32 ? 4 : 2;
}
extern "C" void ggml_rope_yarn_corr_dims(int, int, float, float, float,
                                         float d[2]) {
  d[0] = d[1] = 0;
}
#include "rope.cu"

extern "C" int32_t ropeproof_describe(ropeproof_description* d) {
  d->abi_version = ROPEPROOF_ABI_VERSION, d->operations = ROPEPROOF_ROPE;
  d->name = "ggml-cuda", d->version = "llama-cpp-python 0.3.36", d->max_position = INT32_MAX;
  d->dtypes = ROPEPROOF_F32 | ROPEPROOF_F16;
  d->pairings = ROPEPROOF_HALF_SPLIT | ROPEPROOF_INTERLEAVED;
  d->features = ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_IN_PLACE | ROPEPROOF_KEYS |
                ROPEPROOF_PARTIAL | ROPEPROOF_WINDOW_OFFSET |
                ROPEPROOF_ADJOINT | ROPEPROOF_AMPLITUDE |
                ROPEPROOF_NEGATIVE_POSITIONS | ROPEPROOF_DETERMINISTIC;
  d->scalings =
      ROPEPROOF_LINEAR | ROPEPROOF_LONG_ROPE | ROPEPROOF_FREQUENCY_FACTORS;
  d->claims[0].angle_class = ROPEPROOF_A2,
  d->claims[0].table_dtype = ROPEPROOF_F32;
  return ROPEPROOF_OK;
}

extern "C" int32_t ropeproof_supports(const ropeproof_problem* p) {
  return (p->head_dim | p->rotary_offset) % 2 == 0 ? ROPEPROOF_OK
                                                   : ROPEPROOF_UNSUPPORTED;
}

extern "C" int32_t ropeproof_run(const ropeproof_problem* p) {
  const ropeproof_scaling none{}, &s = p->scaling ? *p->scaling : none;
  const double* factors =
      s.seq_len > s.original_length ? s.long_factor : s.short_factor;
  const int64_t tokens = p->batch * p->seq, half = p->rotary_dim / 2,
                size = p->dtype == ROPEPROOF_F32 ? 4 : 2;
  std::vector<int32_t> positions(tokens);
  std::vector<float> frequency_factors(factors,
                                       factors ? factors + half : factors);
  ropeproof_int32_positions(p, positions.data());
  ggml_tensor ids{}, f{};
  ids.data = positions.data(), f.data = frequency_factors.data();
  return ropeproof_cuda::guarded([&] {
    for (const ropeproof_tensor* t : {&p->q, &p->k}) {
      if (tokens * t->heads == 0) continue;
      ggml_tensor x{};
      x.type = p->dtype == ROPEPROOF_F32 ? GGML_TYPE_F32 : GGML_TYPE_F16;
      x.data = const_cast<void*>(t->in);
      const int64_t ne[] = {p->head_dim, t->heads, tokens, 1};
      for (int i = 0; i < 4; ++i)
        x.ne[i] = ne[i], x.nb[i] = i == 0 ? size : x.nb[i - 1] * ne[i - 1];
      ggml_tensor y = x;
      y.data = t->out, y.src[0] = &x, y.src[1] = &ids,
      y.src[2] = factors ? &f : nullptr;
      const float base = p->base,
                  scale = s.kind == ROPEPROOF_LINEAR ? 1 / s.factor : 1,
                  amplitude = p->amplitude;
      y.op_params[1] = p->rotary_dim, y.op_params[15] = p->rotary_offset;
      y.op_params[2] =
          p->pairing == ROPEPROOF_HALF_SPLIT ? GGML_ROPE_TYPE_NEOX : 0;
      memcpy(y.op_params + 5, &base, 4), memcpy(y.op_params + 6, &scale, 4),
          memcpy(y.op_params + 8, &amplitude, 4);
      ggml_backend_cuda_context context;
      (p->direction > 0 ? ggml_cuda_op_rope : ggml_cuda_op_rope_back)(context,
                                                                      &y);
    }
    return ROPEPROOF_OK;
  });
}
