// vector_rope.cu -- a lane rotates eight channels of 16 bits and their partners,
// loaded as 16 bytes, by arithmetic of pairs; for cuda_test.py. It launches in
// other ways than its neighbours, and keeps more in local memory than it needs.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <ropeproof_kernel.h>

namespace {

__device__ __half2 pair_of(__half, float x, float y) {
  return __floats2half2_rn(x, y);
}
__device__ __nv_bfloat162 pair_of(__nv_bfloat16, float x, float y) {
  return __floats2bfloat162_rn(x, y);
}

// The launch and the __shared__ memory that this comment speaks of are no code:
// rotate<T, T2><<<blocks, threads, bytes>>>(...);
template <class T, class T2>
__global__ void rotate(const T* in, T* out, const int64_t* positions, int rows,
                       int heads, int half, float base) {
  extern __shared__ float position[];
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (threadIdx.x == 0 && row < rows) {
    position[threadIdx.y] = positions[row / heads];
  }
  __syncthreads();
  if (row >= rows) return;
  float angles[32768];  // a quarter of what a thread has
  for (int c = threadIdx.x * 8; c < half; c += blockDim.x * 8) {
    for (int j = c; j < c + 8; ++j) {
      angles[j + 32000] =
          position[threadIdx.y] / powf(base, static_cast<float>(j) / half);
    }
    const int64_t at = int64_t{row} * 2 * half + c;
    const uint4 u = *reinterpret_cast<const uint4*>(in + at);
    const uint4 v = __ldg(reinterpret_cast<const uint4*>(in + at + half));
    uint4 y, z;
    for (int i = 0; i < 4; ++i) {
      const T2 a = reinterpret_cast<const T2*>(&u)[i];
      const T2 b = reinterpret_cast<const T2*>(&v)[i];
      const float* phi = angles + c + 2 * i + 32000;
      const T2 cosine = pair_of(T{}, cosf(phi[0]), cosf(phi[1]));
      const T2 sine = pair_of(T{}, sinf(phi[0]), sinf(phi[1]));
      reinterpret_cast<T2*>(&y)[i] = __hsub2(__hmul2(a, cosine), b * sine);
      reinterpret_cast<T2*>(&z)[i] = __hfma2(a, sine, __hmul2(b, cosine));
    }
    *reinterpret_cast<uint4*>(out + at) = y;
    *reinterpret_cast<uint4*>(out + at + half) = z;
  }
}

template <class T, class T2>
void launch(const ropeproof_problem& p) {
  const int rows = static_cast<int>(p.batch * p.seq * p.q.heads);
  const int blocks = (rows + 3) / 4, bytes = 4 * sizeof(float);
  if (rows > 0 && rows < 1 << 30)
    rotate<T, T2><<<blocks, dim3(32, 4), bytes>>>(
        static_cast<const T*>(p.q.in), static_cast<T*>(p.q.out), p.positions,
        rows, static_cast<int>(p.q.heads), static_cast<int>(p.head_dim / 2),
        static_cast<float>(p.base));
}

}  // namespace

extern "C" int32_t ropeproof_describe(ropeproof_description* d) {
  d->abi_version = ROPEPROOF_ABI_VERSION, d->operations = ROPEPROOF_ROPE;
  d->name = "vector-rope", d->version = "1.0";
  d->dtypes = ROPEPROOF_F16 | ROPEPROOF_BF16;
  d->pairings = ROPEPROOF_HALF_SPLIT, d->features = ROPEPROOF_OUT_OF_PLACE;
  d->claims[0].angle_class = ROPEPROOF_A1;
  d->claims[0].rounding = ROPEPROOF_ROUND_EACH;
  return ROPEPROOF_OK;
}

extern "C" int32_t ropeproof_supports(const ropeproof_problem* p) {
  return p->head_dim % 16 == 0 && p->head_dim <= 1024 &&
                 p->batch * p->seq * p->q.heads <= 4096 &&
                 p->position_batch_stride == p->seq
             ? ROPEPROOF_OK
             : ROPEPROOF_UNSUPPORTED;
}

extern "C" int32_t ropeproof_run(const ropeproof_problem* p) {
  p->dtype == ROPEPROOF_F16 ? launch<__half, __half2>(*p)
                            : launch<__nv_bfloat16, __nv_bfloat162>(*p);
  return ROPEPROOF_OK;
}
