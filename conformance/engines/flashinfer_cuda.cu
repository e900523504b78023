// FlashInfer, CUDA: BatchQKApplyRotaryPosIds() and BatchQKApplyRotaryPosIdsCosSinCache() of
// include/flashinfer/pos_enc.cuh as they are, by backends/cuda_as_cpp.py. What it needs of
// FlashInfer's other headers stands here: vec_t without PTX.
// flags: -I SITE/flashinfer/data/include/flashinfer --without math.cuh --without page.cuh --without utils.cuh --without vec_dtypes.cuh
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <ropeproof_tokens.h>

#include <sstream>

#define FLASHINFER_ERROR(why) throw std::invalid_argument(why)
#define FLASHINFER_CUDA_CALL(call) \
  if (cudaError_t e = (call)) return e;
#define DISPATCH_INTERLEAVE(is, NAME, ...)      \
  if (is) {                                     \
    constexpr bool NAME = true;                 \
    __VA_ARGS__                                 \
  } else {                                      \
    constexpr bool NAME = false;                \
    __VA_ARGS__                                 \
  }
#define WITH_HEAD(head_dim, NAME, size, ...) \
  if (head_dim == size) {                    \
    constexpr size_t NAME = size;            \
    __VA_ARGS__                              \
  }
#define DISPATCH_HEAD_DIM(head_dim, NAME, ...)  \
  WITH_HEAD(head_dim, NAME, 64, __VA_ARGS__)    \
  WITH_HEAD(head_dim, NAME, 128, __VA_ARGS__)   \
  WITH_HEAD(head_dim, NAME, 256, __VA_ARGS__)   \
  WITH_HEAD(head_dim, NAME, 512, __VA_ARGS__)
namespace flashinfer {
template <class T, size_t n>
struct vec_t {
  T at[n];
  T& operator[](size_t i) { return at[i]; }
  const T& operator[](size_t i) const { return at[i]; }
  void load(const T* from) { cast_load(from); }
  template <class From>
  void cast_load(const From* from) {
    for (size_t i = 0; i < n; ++i) at[i] = static_cast<T>(from[i]);
  }
  template <class To>
  void cast_store(To* to) const {
    for (size_t i = 0; i < n; ++i) to[i] = static_cast<To>(at[i]);
  }
};
template <class, class>
struct paged_kv_t;
template <class, class>
struct paged_kv_mla_t;
namespace math {
inline float ptx_exp2(float x) { return exp2f(x); }
inline float ptx_log2(float x) { return log2f(x); }
}  // namespace math
inline uint32_t ceil_div(uint32_t a, uint32_t b) { return (a + b - 1) / b; }
}  // namespace flashinfer
#include "pos_enc.cuh"

extern "C" int32_t ropeproof_describe(ropeproof_description* d) {
  d->abi_version = ROPEPROOF_ABI_VERSION;
  d->operations = ROPEPROOF_LOOKUP | ROPEPROOF_ROPE;
  d->name = "flashinfer", d->version = "0.7.2.post1";
  d->caches = ROPEPROOF_CACHE_SIDE_BY_SIDE;
  d->dtypes = ROPEPROOF_F16 | ROPEPROOF_BF16;
  d->pairings = ROPEPROOF_HALF_SPLIT | ROPEPROOF_INTERLEAVED;
  d->features = ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_KEYS | ROPEPROOF_PARTIAL |
                ROPEPROOF_DETERMINISTIC;
  d->scalings = ROPEPROOF_LINEAR;
  d->max_position = INT32_MAX;
  // The power of a reciprocal that is rounded.
  d->claims[0].angle_class = ROPEPROOF_A1, d->claims[0].power_ulp = 2;
  d->claims[0].table_dtype = ROPEPROOF_F32;
  return ROPEPROOF_OK;
}

extern "C" int32_t ropeproof_supports(const ropeproof_problem* p) {
  const int64_t d = p->head_dim;  // of its own kernels; rows of whole vectors
  const bool has_f32 =
      p->operation != ROPEPROOF_LOOKUP || p->table_dtype == ROPEPROOF_F32;
  return (d == 64 || d == 128 || d == 256 || d == 512) && has_f32 &&
                 p->rotary_dim % 32 == 0
             ? ROPEPROOF_OK
             : ROPEPROOF_UNSUPPORTED;
}

template <class T>
cudaError_t solve(const ropeproof_problem* p) {
  const uint32_t tokens = p->batch * p->seq, r = p->rotary_dim, d = p->head_dim;
  const uint32_t heads[] = {uint32_t(p->q.heads), uint32_t(p->k.heads)};
  const auto in = [](const ropeproof_tensor& t) { return (T*)t.in; };
  const auto out = [](const ropeproof_tensor& t) { return (T*)t.out; };
  const size_t q = heads[0] * d, k = heads[1] * d;
  const bool is_interleaved = p->pairing == ROPEPROOF_INTERLEAVED;
  if (p->operation == ROPEPROOF_LOOKUP) {
    return flashinfer::BatchQKApplyRotaryPosIdsCosSinCache(
        in(p->q), in(p->k), out(p->q), out(p->k), (float*)p->cos,
        (int64_t*)p->ids, tokens, heads[0], heads[1], r, d, q, d, k, d, q, d, k,
        d, is_interleaved);
  }
  std::vector<int32_t> positions(tokens);
  ropeproof_int32_positions(p, positions.data());
  return flashinfer::BatchQKApplyRotaryPosIds(
      in(p->q), in(p->k), out(p->q), out(p->k), positions.data(), tokens,
      heads[0], heads[1], r, d, q, d, k, d, q, d, k, d, is_interleaved,
      float(p->scaling ? p->scaling->factor : 1), float(p->base));
}

extern "C" int32_t ropeproof_run(const ropeproof_problem* p) {
  return ropeproof_cuda::guarded([&] {
    if (p->batch * p->seq * (p->q.heads + p->k.heads) > 0) {
      p->dtype == ROPEPROOF_F16 ? solve<half>(p) : solve<__nv_bfloat16>(p);
    }
    return ROPEPROOF_OK;
  });
}
