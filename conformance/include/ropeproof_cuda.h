// ropeproof_cuda.h -- CUDA kernels compiled as C++, run on this processor.
//
// The threads of a block are fibres of one thread of the machine. Which runs
// first, and which block, is drawn anew for each launch from a seed, the
// environment's ROPEPROOF_CUDA_SEED, so that a missing __syncthreads() gives
// other numbers. Shared memory begins each block as NaNs. Global memory is the
// host's. cuda_as_cpp.py has what C++ cannot say: a launch, and shared arrays.
//
// Not seen: code generation, contraction into fused operations, the special
// function units (__sinf is sinf), weak order of memory, limits of registers.
// Needs C++17, <ucontext.h> and <sys/mman.h>.
#ifndef ROPEPROOF_CONFORMANCE_ROPEPROOF_CUDA_H_
#define ROPEPROOF_CONFORMANCE_ROPEPROOF_CUDA_H_

#include <math.h>
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
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
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
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline const char* cudaGetErrorString(cudaError_t) { return "no error"; }
inline cudaError_t cudaStreamCreate(cudaStream_t*) { return cudaSuccess; }
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
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

namespace ropeproof_cuda {

// The 512 KiB that a thread has of local memory, and room for the calls.
inline constexpr std::size_t kStackBytes = 640 * 1024, kGuardBytes = 1 << 16;
inline constexpr unsigned kMostThreads = 1024;
inline constexpr std::size_t kMostShared = 227 * 1024;
inline constexpr std::size_t kMostStatic = 48 * 1024;  // a kernel's own arrays

// What a launch is given in <<<>>>.
struct Launch {
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;
  Launch(dim3 blocks, dim3 threads, std::size_t bytes = 0,
         cudaStream_t on = nullptr)
      : grid(blocks), block(threads), shared(bytes), stream(on) {}
};

[[noreturn]] inline void fail(const std::string& line) {
  throw std::runtime_error("cuda-as-cpp: " + line);
}

// The threads of one block after the other.
class Machine {
 public:
  static Machine& here() {
    static thread_local Machine machine;
    return machine;
  }

  void run(const Launch& launch, const std::function<void()>& kernel) {
    const auto count = [](const dim3& d) {
      return std::size_t{d.x} * d.y * d.z;
    };
    const std::size_t blocks = count(launch.grid),
                      threads = count(launch.block);
    if (blocks == 0 || threads == 0 || threads > kMostThreads) {
      fail("a launch of " + std::to_string(blocks) + " blocks of " +
           std::to_string(threads) + " threads; a block has 1 to 1024");
    }
    if (launch.shared > kMostShared) {
      fail("a launch asks for " + std::to_string(launch.shared) +
           " bytes of shared memory; a block has 232448 at most");
    }
    kernel_ = &kernel;
    ::gridDim = launch.grid, ::blockDim = launch.block;
    dynamic_.resize(launch.shared);
    threads_.resize(threads);
    for (const std::size_t block : shuffled(blocks)) run_block(block);
  }

  void* dynamic() { return dynamic_.data(); }
  void poison(void* memory, std::size_t bytes) {
    std::memset(memory, 0xff, bytes);
    shared_.emplace_back(memory, bytes);
  }

  // Waits for all threads of the block that have not returned, or for those of
  // this warp that `mask` names.
  void wait(bool is_warp, unsigned mask) {
    Thread& thread = threads_[current_];
    const std::size_t self = current_;
    thread.state = is_warp ? State::kAtWarp : State::kAtBlock;
    thread.mask = mask;
    ucontext_t* const own = &fibres_[thread.fibre].context;
    swapcontext(own, &scheduler_);
    enter(self);
  }

  std::size_t lane() const { return current_ % warpSize; }
  // Room for a value of each lane of this warp.
  std::uint64_t* values() { return &values_[current_ - lane()]; }

 private:
  enum class State { kNew, kReady, kAtBlock, kAtWarp, kDone };
  struct Thread {
    State state = State::kNew;
    unsigned mask = 0;
    std::size_t fibre = 0;
  };
  struct Fibre {
    ucontext_t context{};
    // Pages are there when they are touched, but for those below the stack.
    void* const stack =
        mmap(nullptr, kGuardBytes + kStackBytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    Fibre() {
      if (stack == MAP_FAILED) fail("no memory for the stacks of a block");
      mprotect(stack, kGuardBytes, PROT_NONE);
    }
    Fibre(const Fibre&) = delete;
    ~Fibre() { munmap(stack, kGuardBytes + kStackBytes); }
  };

  Machine() {
    const char* const seed = std::getenv("ROPEPROOF_CUDA_SEED");
    random_.seed(seed == nullptr ? 1 : std::strtoul(seed, nullptr, 10));
  }

  std::vector<std::size_t> shuffled(std::size_t count) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random_);
    return order;
  }

  void enter(std::size_t thread) {
    const auto t = static_cast<unsigned>(thread);
    current_ = thread;
    ::threadIdx = {t % ::blockDim.x, t / ::blockDim.x % ::blockDim.y,
                   t / ::blockDim.x / ::blockDim.y};
  }

  void run_block(std::size_t number) {
    const auto b = static_cast<unsigned>(number);
    ::blockIdx = {b % ::gridDim.x, b / ::gridDim.x % ::gridDim.y,
                  b / ::gridDim.x / ::gridDim.y};
    for (auto& [memory, bytes] : shared_) std::memset(memory, 0xff, bytes);
    std::fill(dynamic_.begin(), dynamic_.end(), '\xff');
    std::fill(threads_.begin(), threads_.end(), Thread{});
    order_ = shuffled(threads_.size());
    begun_ = 0, fibre_count_ = 0;
    while (true) {
      // A fibre takes one thread after the other until one of them waits.
      while (begun_ < order_.size()) {
        start_fibre();
        rethrow();
      }
      std::vector<std::size_t> ready;
      for (const std::size_t t : shuffled(threads_.size())) {
        if (may_go_on(t)) ready.push_back(t);
      }
      if (ready.empty()) break;
      for (const std::size_t t : ready) threads_[t].state = State::kReady;
      for (const std::size_t t : ready) {
        swapcontext(&scheduler_, &fibres_[threads_[t].fibre].context);
        rethrow();
      }
    }
    const auto waiting =
        std::count_if(threads_.begin(), threads_.end(),
                      [](const Thread& t) { return t.state != State::kDone; });
    if (waiting > 0) {
      fail(std::to_string(waiting) + " of " + std::to_string(threads_.size()) +
           " threads of a block wait for others that do not come");
    }
  }

  // Whether all that a waiting thread waits for wait, too, or have returned.
  bool may_go_on(std::size_t number) const {
    const Thread& one = threads_[number];
    if (one.state == State::kAtBlock) {
      return std::all_of(threads_.begin(), threads_.end(), [](const Thread& t) {
        return t.state == State::kAtBlock || t.state == State::kDone;
      });
    }
    if (one.state != State::kAtWarp) return false;
    const std::size_t first = number - number % warpSize;
    for (std::size_t lane = 0; lane < std::size_t{warpSize}; ++lane) {
      if ((one.mask >> lane & 1) == 0 || first + lane >= threads_.size()) {
        continue;
      }
      const Thread& other = threads_[first + lane];
      if (other.state == State::kDone) continue;
      if (other.state != State::kAtWarp || other.mask != one.mask) return false;
    }
    return true;
  }

  void start_fibre() {
    if (fibre_count_ == fibres_.size()) fibres_.emplace_back();
    Fibre& fibre = fibres_[fibre_count_++];
    getcontext(&fibre.context);
    fibre.context.uc_stack.ss_sp =
        static_cast<char*>(fibre.stack) + kGuardBytes;
    fibre.context.uc_stack.ss_size = kStackBytes;
    fibre.context.uc_link = &scheduler_;
    makecontext(&fibre.context, &Machine::begin, 0);
    swapcontext(&scheduler_, &fibre.context);
  }

  static void begin() {
    Machine& self = here();
    const std::size_t fibre = self.fibre_count_ - 1;
    while (self.begun_ < self.order_.size() && self.fault_ == nullptr) {
      const std::size_t thread = self.order_[self.begun_++];
      self.threads_[thread].fibre = fibre;
      self.enter(thread);
      try {
        (*self.kernel_)();
      } catch (...) {
        self.fault_ = std::current_exception();
      }
      self.threads_[thread].state = State::kDone;
    }
  }

  void rethrow() {
    if (fault_ != nullptr)
      std::rethrow_exception(std::exchange(fault_, nullptr));
  }

  const std::function<void()>* kernel_ = nullptr;
  std::vector<Thread> threads_;
  std::deque<Fibre> fibres_;  // whose contexts stay where they are
  std::vector<std::size_t> order_;
  std::size_t begun_ = 0, fibre_count_ = 0, current_ = 0;
  std::uint64_t values_[kMostThreads]{};
  std::vector<char> dynamic_;
  std::vector<std::pair<void*, std::size_t>> shared_;
  ucontext_t scheduler_{};
  std::exception_ptr fault_;
  std::mt19937 random_;
};

// A shared array, which it makes NaNs for each block.
struct Poisoned {
  Poisoned(void* memory, std::size_t bytes) {
    Machine::here().poison(memory, bytes);
  }
};

template <class T>
T* dynamic_shared() {
  return static_cast<T*>(Machine::here().dynamic());
}

template <class Kernel>
void launch(const Launch& how, const Kernel& kernel) {
  Machine::here().run(how, kernel);
}

// Returns what `call` does; where it throws, it prints a line and returns -1,
// which is no status of ropeproof_run.
template <class Call>
std::int32_t guarded(const Call& call) {
  try {
    return call();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return -1;
  }
}

// The value that lane `source` of this warp gives.
template <class T>
T of_lane(unsigned mask, T value, std::size_t source) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t));
  Machine& machine = Machine::here();
  std::memcpy(&machine.values()[machine.lane()], &value, sizeof value);
  machine.wait(true, mask);
  std::memcpy(&value, &machine.values()[source], sizeof value);
  machine.wait(true, mask);
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

#endif  // ROPEPROOF_CONFORMANCE_ROPEPROOF_CUDA_H_
