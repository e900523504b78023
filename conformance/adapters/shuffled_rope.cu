// shuffled_rope.cu -- a lane has a channel of bf16 or half, and gets the other of
// its pair by a shuffle; for cuda_test.py. Interleaved pairs, dense. With FAST it
// takes its angles from __sincosf, whose error a GPU alone has.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <ropeproof_kernel.h>

namespace {

template <class T>
__global__ void rotate(ropeproof_tensor x, const int64_t* positions,
                       int channels, float base) {
  extern __shared__ float angles[];  // of each pair of the token
  const int lane = threadIdx.x;
  for (int j = lane; j < channels / 2; j += 32) {
    angles[j] = positions[blockIdx.x] / powf(base, 2.0f * j / channels);
  }
  __syncwarp();
  for (int i = lane; i < x.heads * channels; i += 32) {
    const int64_t at = int64_t{blockIdx.x} * x.heads * channels + i;
    const unsigned both = 3u << (lane & ~1);
    const float own = static_cast<const T*>(x.in)[at];
    const float other = __shfl_xor_sync(both, own, 1);
    float c, s;
#ifdef FAST
    __sincosf(angles[i % channels / 2], &s, &c);
#else
    sincosf(angles[i % channels / 2], &s, &c);
#endif
    static_cast<T*>(x.out)[at] =
        i % 2 == 0 ? own * c - other * s : other * s + own * c;
  }
}

}  // namespace

extern "C" int32_t ropeproof_describe(ropeproof_description* d) {
  d->abi_version = ROPEPROOF_ABI_VERSION, d->operations = ROPEPROOF_ROPE;
  d->name = "shuffled-rope", d->version = "1.0";
  d->dtypes = ROPEPROOF_BF16 | ROPEPROOF_F16;
  d->pairings = ROPEPROOF_INTERLEAVED;
  d->features = ROPEPROOF_OUT_OF_PLACE;
  d->claims[0].angle_class = ROPEPROOF_A1;
  d->claims[0].table_dtype = ROPEPROOF_F32;
  return ROPEPROOF_OK;
}

extern "C" int32_t ropeproof_supports(const ropeproof_problem* p) {
  return p->position_batch_stride == p->seq ? ROPEPROOF_OK
                                            : ROPEPROOF_UNSUPPORTED;
}

extern "C" int32_t ropeproof_run(const ropeproof_problem* p) {
  const unsigned tokens = static_cast<unsigned>(p->batch * p->seq);
  if (tokens * p->q.heads == 0) return ROPEPROOF_OK;
  const int channels = static_cast<int>(p->head_dim);
  const float base = static_cast<float>(p->base);
  return ropeproof_cuda::guarded([&] {
    if (p->dtype == ROPEPROOF_BF16) {
      rotate<__nv_bfloat16>
          <<<tokens, 32, channels * 2>>>(p->q, p->positions, channels, base);
    } else {
      rotate<half>
          <<<tokens, 32, channels * 2>>>(p->q, p->positions, channels, base);
    }
    return ROPEPROOF_OK;
  });
}
