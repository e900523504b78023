// ropeproof_cuda.h -- CUDA kernels compiled as C++, run on this processor.
//
// The threads of a block are fibres of one thread of the machine. Which runs
// first, and which block, is drawn anew for each launch from a seed, the
// environment's ROPEPROOF_CUDA_SEED, so that a missing __syncthreads() gives
// other numbers. Shared memory begins each block as NaNs. Global memory is the
// host's. cuda_as_cpp.py has what C++ cannot say: a launch, and shared arrays.
//
// Compiled with -fsanitize=thread (cuda_as_cpp --races) it holds each access
// against those of other threads, ropeproof_cuda_races.h.
//
// Not seen: code generation, contraction into fused operations, the special
// function units (__sinf is sinf), weak order of memory, limits of registers.
// Needs C++17, <ucontext.h> and <sys/mman.h>; no _FORTIFY_SOURCE, whose longjmp
// stays on one stack.
#ifndef ROPEPROOF_CONFORMANCE_ROPEPROOF_CUDA_H_
#define ROPEPROOF_CONFORMANCE_ROPEPROOF_CUDA_H_

#include <math.h>
#include <ropeproof_device.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __shared__ static thread_local
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define cudaLaunchKernelGGL(kernel, grid, block, shared, stream, ...) \
  ::ropeproof_cuda::launch(                                           \
      ::ropeproof_cuda::Launch(grid, block, shared, stream),          \
      [&] { kernel(__VA_ARGS__); })

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned nx = 1, unsigned ny = 1, unsigned nz = 1)
      : x(nx), y(ny), z(nz) {}
};
inline thread_local uint3 threadIdx{0, 0, 0}, blockIdx{0, 0, 0};
inline thread_local dim3 blockDim, gridDim;
inline constexpr int warpSize = 32;
using cudaStream_t = void*;
using cudaError_t = int;
inline constexpr cudaError_t cudaSuccess = 0;
enum { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDefault };
enum { cudaErrorLaunchFailure = 719 };
inline cudaError_t cudaStreamCreate(cudaStream_t*) { return cudaSuccess; }
inline cudaError_t cudaGetDeviceCount(int* count) {
  return *count = 1, cudaSuccess;
}
template <class T>
cudaError_t cudaMalloc(T** memory, std::size_t bytes) {
  *memory = static_cast<T*>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  return *memory == nullptr ? 2 : cudaSuccess;
}
inline cudaError_t cudaFree(void* memory) {
  return std::free(memory), cudaSuccess;
}
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes,
                              int) {
  return std::memcpy(to, from, bytes), cudaSuccess;
}

#include "ropeproof_cuda_machine.h"

namespace ropeproof_cuda {

template <class T>
T* dynamic_shared() {
  return static_cast<T*>(Machine::here().dynamic());
}

// A launch that fails is noted, as CUDA does: see cudaGetLastError.
template <class Call>
void noted(const Call& call) {
  try {
    call();
  } catch (const Lack& lack) {
    Faults::here().note(ROPEPROOF_UNUSABLE, lack.what());
  } catch (const std::exception& error) {
    Faults::here().note(ROPEPROOF_FAILED, error.what());
  }
}

template <class Kernel>
void launch(const Launch& how, const Kernel& kernel) {
  noted([&] { Machine::here().run(how, kernel); });
}

// Returns what `call` does; what it throws is noted as of a launch.
template <class Call>
std::int32_t guarded(const Call& call) {
  std::int32_t status = ROPEPROOF_OK;
  noted([&] { status = call(); });
  return status;
}

// The value that lane `source` of this warp gives.
template <class T>
T of_lane(unsigned mask, T value, std::size_t source) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t));
  Machine& machine = Machine::here();
  const bool was_watched = std::exchange(is_watched, false);
  std::memcpy(&machine.values()[machine.lane()], &value, sizeof value);
  machine.wait(true, mask);
  std::memcpy(&value, &machine.values()[source], sizeof value);
  machine.wait(true, mask);
  is_watched = was_watched;
  return value;
}

// `source` of a shuffle among groups of `width` lanes, or the lane itself where
// that lies outside of its group.
inline std::size_t within(int source, int width) {
  const int lane = static_cast<int>(Machine::here().lane());
  const int first = lane - lane % width;
  const bool is_in = source >= first && source < first + width;
  return static_cast<std::size_t>(is_in ? source : lane);
}

}  // namespace ropeproof_cuda

inline cudaError_t cudaGetLastError() {
  return ropeproof_cuda::Faults::here().last();
}
inline cudaError_t cudaPeekAtLastError() {
  return ropeproof_cuda::Faults::here().last(false);
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return cudaGetLastError();
}
inline cudaError_t cudaDeviceSynchronize() { return cudaGetLastError(); }
inline const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaSuccess ? "no error" : "a launch failed";
}
// A device of two multiprocessors, of which each holds two blocks: few, so that
// of grids that are made for them a block does more than one part of the work.
enum { cudaDevAttrMultiProcessorCount = 16 };
enum { cudaDevAttrMaxThreadsPerMultiProcessor = 39 };
inline cudaError_t cudaGetDevice(int* device) {
  return *device = 0, cudaSuccess;
}
inline cudaError_t cudaDeviceGetAttribute(int* value, int which, int) {
  *value = which == cudaDevAttrMultiProcessorCount ? 2 : 2048;
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel,
                                                          int, std::size_t) {
  return *blocks = 2, cudaSuccess;
}
template <class... Given>
cudaError_t cudaLaunchKernel(void (*kernel)(Given...), dim3 grid, dim3 block,
                             void** arguments, std::size_t shared = 0,
                             cudaStream_t stream = nullptr) {
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    ropeproof_cuda::launch({grid, block, shared, stream}, [&] {
      kernel(*static_cast<std::remove_reference_t<Given>*>(arguments[i])...);
    });
  }
  (std::index_sequence_for<Given...>());
  return cudaPeekAtLastError();
}
inline cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**,
                                    std::size_t = 0, cudaStream_t = nullptr) {
  ropeproof_cuda::noted([] {
    ropeproof_cuda::fail("a kernel that is a void* has arguments of no type");
  });
  return cudaPeekAtLastError();
}
enum { cudaLaunchAttributeProgrammaticStreamSerialization = 6 };
struct cudaLaunchAttribute {
  int id;
  struct {
    int programmaticStreamSerializationAllowed;
  } val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes = 0;
  cudaStream_t stream = nullptr;
  cudaLaunchAttribute* attrs = nullptr;
  unsigned numAttrs = 0;
};
template <class... Wanted, class... Given>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* how,
                               void (*kernel)(Wanted...), Given... given) {
  ropeproof_cuda::launch(
      {how->gridDim, how->blockDim, how->dynamicSmemBytes, how->stream},
      [&] { kernel(given...); });
  return cudaPeekAtLastError();
}
extern "C" __attribute__((weak, visibility("default"))) int32_t ropeproof_fault(
    char* line, size_t bytes) {
  return ropeproof_cuda::Faults::here().take(line, bytes);
}

#ifdef __clang__
#define ROPEPROOF_COMPILER ""  // its version has its name
#else
#define ROPEPROOF_COMPILER "g++ "
#endif
// What a report says of a library of these kernels (adapters/PROTOCOL.md).
extern "C" __attribute__((weak, visibility("default"))) const char*
ropeproof_backend() {
  return R"({"name": "cuda-as-cpp", "version": "1, )" ROPEPROOF_COMPILER
      __VERSION__ R"(",
    "shows": "logic, indices, barriers, races and the order of roundings",
    "hides": "code generation, special-function units, contraction and )"
         R"(the order of memory", "left_out": []})";
}

#include "ropeproof_cuda_types.h"
#ifdef __SANITIZE_THREAD__
#include "ropeproof_cuda_races.h"
#endif

#endif  // ROPEPROOF_CONFORMANCE_ROPEPROOF_CUDA_H_
