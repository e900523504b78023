// shared_rope.cu -- a block rotates four tokens by a table in shared memory; for
// cuda_test.py, which compiles it with BUG 1 to 4, too. Dense, f32.
#include <cuda_runtime.h>
#include <ropeproof_kernel.h>

#ifndef BUG
#define BUG 0
#endif

namespace {

constexpr int kTokens = 4, kThreads = 32, kPairs = 256;

__global__ void rotate(ropeproof_tensor x, const int64_t* positions,
                       int64_t seq, int64_t tokens, int half, float base) {
  __shared__ float cosine[kTokens][kPairs], sine[kTokens][kPairs];
#if BUG == 4  // each row takes a token from a counter that is not atomic
  __shared__ int next, mine[kTokens];
  if (threadIdx.x + threadIdx.y == 0) next = 0;
  __syncthreads();
  if (threadIdx.x == 0) mine[threadIdx.y] = next++;
  __syncthreads();
  const int row = mine[threadIdx.y];
#else
  const int row = threadIdx.y;
#endif
  const int64_t token = int64_t{blockIdx.x} * kTokens + row;
  const bool is_token = BUG == 2 || token < tokens;  // of the last block
  for (int j = threadIdx.x; is_token && j < half; j += kThreads) {
    const float phi =
        positions[token] / powf(base, static_cast<float>(j) / half);
    // Not by the thread that needs it.
    cosine[threadIdx.y][half - 1 - j] = cosf(phi);
    sine[threadIdx.y][half - 1 - j] = sinf(phi);
  }
#if BUG != 1
  __syncthreads();
#endif
  if (!is_token) return;
  for (int i = threadIdx.x; i < x.heads * half; i += kThreads) {
    const int j = i % half;
    const int64_t at = (token * x.heads + i / half) * 2 * half + j;
    const float c = cosine[threadIdx.y][half - 1 - j];
    const float s = sine[threadIdx.y][half - 1 - j];
    const float u = static_cast<const float*>(x.in)[at];
    const float v = static_cast<const float*>(x.in)[at + half];
    static_cast<float*>(x.out)[at] = u * c - v * s;
    static_cast<float*>(x.out)[at + half] = u * s + v * c;
  }
}

}  // namespace

extern "C" int32_t ropeproof_describe(ropeproof_description* d) {
  d->abi_version = ROPEPROOF_ABI_VERSION, d->operations = ROPEPROOF_ROPE;
  d->name = "shared-rope", d->version = "1.0", d->dtypes = ROPEPROOF_F32;
  d->pairings = ROPEPROOF_HALF_SPLIT;
  d->features = ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_DETERMINISTIC;
  d->claims[0].angle_class = ROPEPROOF_A1;
  return ROPEPROOF_OK;
}

extern "C" int32_t ropeproof_supports(const ropeproof_problem* p) {
  return p->head_dim <= 2 * kPairs && p->position_batch_stride == p->seq
             ? ROPEPROOF_OK
             : ROPEPROOF_UNSUPPORTED;
}

extern "C" int32_t ropeproof_run(const ropeproof_problem* p) {
  const int64_t tokens = p->batch * p->seq;
  if (tokens * p->q.heads == 0) return ROPEPROOF_OK;
  return ropeproof_cuda::guarded([&] {
    const int64_t blocks =
        BUG == 3 ? tokens / kTokens : (tokens + kTokens - 1) / kTokens;
    if (blocks > 0) {
      rotate<<<static_cast<unsigned>(blocks), dim3(kThreads, kTokens)>>>(
          p->q, p->positions, p->seq, tokens, static_cast<int>(p->head_dim / 2),
          static_cast<float>(p->base));
    }
    return ROPEPROOF_OK;
  });
}
