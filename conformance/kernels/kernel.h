// kernel.h -- a kernel under test, however it plugs in.
//
// The runner knows kernels only through this class: a shared library that runs
// in a forked worker, or a command that speaks the framed protocol of
// adapters/README.md. Third-party code never runs in the runner's own process:
// a crash or a hang is an answer, not the end of the run.
#ifndef ROPEPROOF_CONFORMANCE_KERNELS_KERNEL_H_
#define ROPEPROOF_CONFORMANCE_KERNELS_KERNEL_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "conformance/ropeproof_kernel.h"

namespace ropeproof::conformance {

// ropeproof_description, owned and checked.
struct Description {
  std::string name, version;
  std::uint32_t operations = 0, dtypes = 0, pairings = 0, features = 0;
  std::int64_t max_position = 0;
  std::uint32_t angle_class = 0, angle_dtype = 0, power = 0;
  std::uint32_t trig_ulp = 1;
  std::uint32_t table_dtype = 0, rounding = 0;
  std::uint32_t scalings = 0;
};

// A kernel that cannot be loaded, started or understood. what() is one line:
// what, where, what to do. Exit status 3.
struct KernelError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Outcome {
  kOk,
  kUnsupported,  // the kernel said so
  kInvalid,      // the kernel said so
  kError,        // the answer broke the protocol
  kCrash,        // the process ended; `detail` names the signal or status
  kTimeout,      // no answer within the time limit; the process was killed
  kMissing,      // the results that were handed in have none for this call
};

struct Answer {
  Outcome outcome = Outcome::kOk;
  std::string detail;  // one line, empty for kOk
};

class Kernel {
 public:
  virtual ~Kernel() = default;

  virtual const Description& description() const = 0;

  // Memory that the kernel can reach, 64-byte aligned, zeroed, valid until
  // release(). Throws std::bad_alloc.
  virtual std::byte* allocate(std::size_t bytes) = 0;
  virtual void release() = 0;

  // Solves one problem, all of whose pointers are from allocate(). After a
  // crash or a timeout the next call starts a fresh process.
  virtual Answer run(const ropeproof_problem& problem) = 0;

  // Whether strides, gaps and in-place calls reach the kernel. A process sees
  // dense copies, so the suite cannot judge its memory behaviour.
  virtual bool shares_memory() const = 0;
};

struct KernelOptions {
  std::chrono::milliseconds time_limit{10000};
};

// dlopen in a forked worker. Throws KernelError.
std::unique_ptr<Kernel> load_library(const std::string& path,
                                     const KernelOptions& options);

// Starts `command` with /bin/sh -c. Throws KernelError.
std::unique_ptr<Kernel> start_process(const std::string& command,
                                      const KernelOptions& options);

}  // namespace ropeproof::conformance

#endif  // ROPEPROOF_CONFORMANCE_KERNELS_KERNEL_H_
