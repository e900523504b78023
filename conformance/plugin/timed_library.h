// timed_library.h -- a library behind walls, called without a message in
// between: for measurements of kernels that nobody trusts.
#pragma once

#include <ropeproof_kernel.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "conformance/plugin/child.h"
#include "conformance/plugin/sandbox.h"
#include "conformance/plugin/shared_memory.h"

namespace ropeproof::conformance::plugin {

// What runner and worker share to call and to answer: each waits for the
// other's number to change, and neither asks the system.
struct Doorbell {
  enum Call : std::int32_t { kRun, kNothing };
  std::atomic<std::uint64_t> rung{0}, answered{0};
  std::atomic<std::int32_t> is_ready{0};  // loaded and described
  Call call = kRun;
  std::int32_t status = 0;  // of ropeproof_run
  ropeproof_problem problem{};
};

// The library has a process and memory of its own. The clock, the order of the
// calls and what is in the memory before and after each are the runner's. Both
// processes spin, the runner on its processor and the kernel's on others, where
// there are some.
class TimedLibrary {
 public:
  static constexpr std::size_t kMemory = std::size_t{1} << 30;  // bytes

  // Throws KernelError.
  TimedLibrary(const std::string& path, const Sandbox& sandbox,
               std::chrono::milliseconds time_limit);
  ~TimedLibrary();
  TimedLibrary(const TimedLibrary&) = delete;
  TimedLibrary& operator=(const TimedLibrary&) = delete;

  // Returns memory of its own, zeroed at first, aligned to 2 MiB, until
  // release(). Throws std::bad_alloc beyond 1 GiB.
  std::byte* allocate(std::size_t bytes);
  void release() { used_ = 0; }

  // Returns what ropeproof_run answered, or nothing for kNothing. Throws
  // KernelError where the process has ended, or is late: every later call does.
  std::int32_t call(const ropeproof_problem& problem,
                    Doorbell::Call call = Doorbell::kRun);
  // Processor time that its other threads, and processes that it started and
  // that live, have taken so far; the thread that is called is left out. In
  // ns, to some milliseconds; 0 where /proc does not say.
  double others_ns() const;

 private:
  void wait_for_answer();

  SharedPlace memory_place_{SharedPlace::kNewFile, 0},
      bell_place_{SharedPlace::kNewFile, 0};
  std::byte *memory_ = nullptr, *bell_memory_ = nullptr;
  Doorbell* bell_ = nullptr;
  std::size_t used_ = 0;
  std::uint64_t number_ = 0;
  std::chrono::milliseconds time_limit_;
  std::unique_ptr<Child> child_;
  std::string end_;  // why there are no more answers
};

}  // namespace ropeproof::conformance::plugin
