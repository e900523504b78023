#include "fast/bench/cycles.h"

#ifdef __linux__
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#endif

namespace ropeproof::fast::bench {

#ifdef __linux__

Cycles::Cycles() {
  perf_event_attr event{};
  event.size = sizeof(event);
  event.type = PERF_TYPE_HARDWARE;
  event.config = PERF_COUNT_HW_CPU_CYCLES;
  event.exclude_kernel = 1;
  event.exclude_hv = 1;
  constexpr int kThisThread = 0, kAnyProcessor = -1, kNoGroup = -1, kFlags = 0;
  file_ = static_cast<int>(syscall(SYS_perf_event_open, &event, kThisThread,
                                   kAnyProcessor, kNoGroup, kFlags));
}

Cycles::~Cycles() {
  if (are_counted()) close(file_);
}

double Cycles::now() const {
  std::uint64_t count = 0;
  if (!are_counted() || read(file_, &count, sizeof(count)) != sizeof(count)) {
    return 0;
  }
  return static_cast<double>(count);
}

#else

Cycles::Cycles() = default;
Cycles::~Cycles() = default;
double Cycles::now() const { return 0; }

#endif

}  // namespace ropeproof::fast::bench
