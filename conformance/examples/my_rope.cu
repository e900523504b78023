// my_rope.cu -- a CUDA kernel as a plug-in: f32 and half-split, of any strides,
// on a stream of its own.
//
//   nvcc -O2 -shared -Xcompiler -fPIC -Iconformance/include my_rope.cu -o x.so
//   ropeproof run --lib ./x.so
#include <ropeproof_device.h>

namespace {

cudaStream_t stream = nullptr;

// One thread a pair, one block a head of a token.
__global__ void rotate(ropeproof_tensor x, const int64_t* positions,
                       int64_t batch_stride, int64_t seq, int half,
                       float base) {
  const int64_t row = blockIdx.x;
  const int64_t h = row % x.heads, s = row / x.heads % seq,
                b = row / x.heads / seq;
  const float* in = static_cast<const float*>(x.in) + b * x.in_batch_stride +
                    s * x.in_token_stride + h * x.in_head_stride;
  float* out = static_cast<float*>(x.out) + b * x.out_batch_stride +
               s * x.out_token_stride + h * x.out_head_stride;
  const float position = static_cast<float>(positions[b * batch_stride + s]);
  for (int j = threadIdx.x; j < half; j += blockDim.x) {
    const float phi = position / powf(base, static_cast<float>(j) / half);
    const float c = cosf(phi), s_j = sinf(phi), u = in[j], v = in[j + half];
    out[j] = u * c - v * s_j;
    out[j + half] = u * s_j + v * c;
  }
}

void* allocate(size_t bytes) {
  void* memory = nullptr;
  return cudaMalloc(&memory, bytes) == cudaSuccess ? memory : nullptr;
}
void release(void* memory) { cudaFree(memory); }
int32_t copy(void* to, const void* from, size_t bytes) {
  const cudaError_t work = cudaStreamSynchronize(stream);
  const cudaError_t copied = cudaMemcpy(to, from, bytes, cudaMemcpyDefault);
  return work != cudaSuccess || copied != cudaSuccess;
}

}  // namespace

extern "C" int32_t ropeproof_describe(ropeproof_description* d) {
  d->abi_version = ROPEPROOF_ABI_VERSION, d->operations = ROPEPROOF_ROPE;
  d->name = "my-cuda-rope", d->version = "1.0", d->dtypes = ROPEPROOF_F32;
  d->pairings = ROPEPROOF_HALF_SPLIT;
  d->features = ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_IN_PLACE |
                ROPEPROOF_STRIDED | ROPEPROOF_KEYS;
  // CUDA's powf is good to 4 ulp, its sinf and cosf to 2.
  d->claims[0].angle_class = ROPEPROOF_A1;
  d->claims[0].power_ulp = 4, d->claims[0].trig_ulp = 2;
  return ROPEPROOF_OK;
}

extern "C" int32_t ropeproof_device(ropeproof_device_memory* memory) {
  if (cudaStreamCreate(&stream) != cudaSuccess) return ROPEPROOF_UNSUPPORTED;
  memory->allocate = allocate, memory->release = release, memory->copy = copy;
  return ROPEPROOF_OK;
}

extern "C" int32_t ropeproof_run(const ropeproof_problem* p) {
  for (const ropeproof_tensor& x : {p->q, p->k}) {
    const int64_t rows = p->batch * p->seq * x.heads;
    if (rows == 0) continue;
    rotate<<<static_cast<unsigned>(rows), 64, 0, stream>>>(
        x, p->positions, p->position_batch_stride, p->seq,
        static_cast<int>(p->head_dim / 2), static_cast<float>(p->base));
    if (cudaGetLastError() != cudaSuccess) return ROPEPROOF_INVALID;
  }
  return ROPEPROOF_OK;
}
