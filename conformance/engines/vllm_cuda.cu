// vLLM, CUDA: rotary_embedding() of csrc/pos_encoding_kernels.cu as it is, by
// backends/cuda_as_cpp.py. What it needs of torch and of vLLM's headers stands here.
// flags: -I VLLM/csrc --without torch_utils.h --without core/cuda_compat.h --without dispatch_utils.h
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <ropeproof_tokens.h>

#include <optional>

#define VLLM_LDG(at) *(at)
#define STD_TORCH_CHECK(is_so, ...) \
  if (!(is_so)) throw std::invalid_argument("STD_TORCH_CHECK(" #is_so ")")
#define WITH_TYPE(type, of, ...) \
  if (type == of) {              \
    using scalar_t = Type<of>;   \
    __VA_ARGS__();               \
  }
#define VLLM_STABLE_DISPATCH_FLOATING_TYPES(type, name, ...) \
  WITH_TYPE(type, ROPEPROOF_F32, __VA_ARGS__)                \
  WITH_TYPE(type, ROPEPROOF_F16, __VA_ARGS__)                \
  WITH_TYPE(type, ROPEPROOF_BF16, __VA_ARGS__)
template <int word>
using Type = std::conditional_t<
    word == ROPEPROOF_F32, float,
    std::conditional_t<word == ROPEPROOF_F16, half, __nv_bfloat16>>;
namespace torch::stable {
struct Tensor {  // a dense one
  const void* data;
  std::vector<int64_t> shape;
  uint32_t dtype = 0;
  int64_t dim() const { return static_cast<int64_t>(shape.size()); }
  int64_t size(int64_t i) const { return shape[i < 0 ? i + dim() : i]; }
  int64_t stride(int64_t i) const {
    int64_t product = 1;
    for (int64_t d = (i < 0 ? i + dim() : i) + 1; d < dim(); ++d)
      product *= shape[d];
    return product;
  }
  int64_t numel() const { return size(0) * stride(0); }
  uint32_t scalar_type() const { return dtype; }
  int get_device_index() const { return 0; }
  template <class T>
  const T* const_data_ptr() const { return static_cast<const T*>(data); }
  template <class T>
  T* mutable_data_ptr() const { return static_cast<T*>(const_cast<void*>(data)); }
};
namespace accelerator {
struct DeviceGuard {
  explicit DeviceGuard(int) {}
};
}  // namespace accelerator
}  // namespace torch::stable
inline cudaStream_t get_current_cuda_stream() { return nullptr; }
#include "pos_encoding_kernels.cu"

extern "C" int32_t ropeproof_describe(ropeproof_description* d) {
  d->abi_version = ROPEPROOF_ABI_VERSION, d->operations = ROPEPROOF_LOOKUP;
  d->name = "vllm-cuda", d->version = "0f5257e";
  d->caches = ROPEPROOF_CACHE_SIDE_BY_SIDE;
  d->dtypes = ROPEPROOF_F32 | ROPEPROOF_F16 | ROPEPROOF_BF16;
  d->pairings = ROPEPROOF_HALF_SPLIT | ROPEPROOF_INTERLEAVED;
  d->features = ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_IN_PLACE | ROPEPROOF_KEYS |
                ROPEPROOF_PARTIAL | ROPEPROOF_WINDOW_OFFSET |
                ROPEPROOF_ADJOINT | ROPEPROOF_DETERMINISTIC;
  return ROPEPROOF_OK;
}

extern "C" int32_t ropeproof_supports(const ropeproof_problem* p) {
  return p->q.heads > 0 && (p->k.heads == 0 || p->q.heads % p->k.heads == 0)
             ? ROPEPROOF_OK
             : ROPEPROOF_UNSUPPORTED;
}

extern "C" int32_t ropeproof_run(const ropeproof_problem* p) {
  const int64_t tokens = p->batch * p->seq;
  if (tokens == 0) return ROPEPROOF_OK;
  ropeproof_copy(p, &p->q), ropeproof_copy(p, &p->k);
  using torch::stable::Tensor;
  Tensor ids{p->ids, {tokens}};
  Tensor cache{p->cos, {p->cache_rows, p->rotary_dim}, p->table_dtype};
  const auto made = [&](const ropeproof_tensor& t) {
    return Tensor{t.out, {tokens, t.heads, p->head_dim}, p->dtype};
  };
  Tensor q = made(p->q);
  return ropeproof_cuda::guarded([&] {
    rotary_embedding(ids, q,
                     p->k.heads > 0 ? std::optional(made(p->k)) : std::nullopt,
                     p->head_dim, cache, p->pairing == ROPEPROOF_HALF_SPLIT,
                     p->rotary_offset, p->direction < 0);
    return ROPEPROOF_OK;
  });
}
