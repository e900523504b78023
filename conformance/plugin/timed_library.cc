#include "conformance/plugin/timed_library.h"

#include <sched.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <new>
#include <optional>
#include <thread>

#include "conformance/plugin/kernel.h"
#include "conformance/plugin/patience.h"
#include "conformance/plugin/worker.h"
#include "conformance/text/one_line.h"

namespace ropeproof::conformance::plugin {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kPage = 4096, kHugePage = std::size_t{2} << 20;
constexpr int kLoadingLimits = 10;

// Waits without a system call, but gives the processor up where the other side
// may need it.
class Spin {
 public:
  void once() {
    constexpr int kTurns = 2000;
    if (++turns_ % kTurns == 0) sched_yield();
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  // Every some thousand turns: time for a look at the world.
  bool is_long() const { return turns_ % 20000 == 0; }

 private:
  int turns_ = 0;
};

double ns_of(const timespec& time) {
  return 1e9 * static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_nsec);
}

// The time of all threads of a process, those that have ended, too.
double processor_ns(pid_t process) {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(process, &clock) != 0 ||
      clock_gettime(clock, &time) != 0) {
    return 0;
  }
  return ns_of(time);
}

double first_thread_ns(pid_t process) {
  double ns = 0;
  std::ifstream("/proc/" + std::to_string(process) + "/schedstat") >> ns;
  return ns;
}

double of_descendants_ns(pid_t process) {
  double ns = 0;
  std::error_code error;
  // Each thread has children of its own.
  for (std::filesystem::directory_iterator
           thread("/proc/" + std::to_string(process) + "/task", error),
       end;
       !error && thread != end; thread.increment(error)) {
    std::ifstream children(thread->path() / "children");
    for (pid_t child = 0; children >> child;) {
      ns += processor_ns(child) + of_descendants_ns(child);
    }
  }
  return ns;
}

// Leaves the first processor, on which the runner waits, where there are
// others.
void leave_first_processor() {
#if defined(__linux__)
  cpu_set_t all, others;
  if (sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) < 2) {
    return;
  }
  others = all;
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &all)) continue;
    CPU_CLR(cpu, &others);
    break;
  }
  sched_setaffinity(0, sizeof others, &others);
#endif
}

}  // namespace

TimedLibrary::TimedLibrary(const std::string& path, const Sandbox& walls,
                           std::chrono::milliseconds time_limit)
    : time_limit_(time_limit) {
  memory_ = map_shared(memory_place_, kMemory, PROT_READ | PROT_WRITE);
  bell_memory_ = map_shared(bell_place_, kPage, PROT_READ | PROT_WRITE);
  if (memory_ == nullptr || bell_memory_ == nullptr) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
  madvise(memory_, kMemory, MADV_HUGEPAGE);
#endif
  bell_ = new (bell_memory_) Doorbell;
  Sandbox sandbox = walls;
  sandbox.shown.insert(sandbox.shown.end(), {sandbox.program, path});
  child_ = execute_behind_walls(sandbox,
                                {sandbox.program, kWorkerWord, path,
                                 memory_place_.text(), bell_place_.text()},
                                {memory_place_.file, bell_place_.file});
  const auto until = Clock::now() + kLoadingLimits * time_limit_;
  while (bell_->is_ready.load() == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    child_->forward_output();
    if (child_->has_ended() || Clock::now() > until) {
      const std::string how = child_->end(Child::kGrace);
      throw KernelError(text::one_line(path) +
                        ": cannot be loaded to be timed: " + how +
                        quoted_last_line(child_->last_line()));
    }
  }
}

TimedLibrary::~TimedLibrary() {
  child_.reset();
  if (memory_ != nullptr) unmap_shared(memory_place_, memory_, kMemory);
  if (bell_memory_ != nullptr) unmap_shared(bell_place_, bell_memory_, kPage);
}

std::byte* TimedLibrary::allocate(std::size_t bytes) {
  if (bytes > kMemory - used_) throw std::bad_alloc();
  std::byte* const block = memory_ + used_;
  used_ += (bytes + kHugePage - 1) / kHugePage * kHugePage;
  used_ = std::min(used_, kMemory);
  return block;
}

std::int32_t TimedLibrary::call(const ropeproof_problem& problem,
                                Doorbell::Call call) {
  if (!end_.empty()) throw KernelError(end_);
  bell_->problem = problem;
  bell_->call = call;
  bell_->rung.store(++number_, std::memory_order_release);
  wait_for_answer();
  return bell_->status;
}

void TimedLibrary::wait_for_answer() {
  const auto is_answered = [&] {
    return bell_->answered.load(std::memory_order_acquire) == number_;
  };
  std::optional<Clock::time_point> until;
  for (Spin spin; !is_answered(); spin.once()) {
    if (!spin.is_long()) continue;
    const auto now = Clock::now();
    if (!until) until = now + time_limit_;
    child_->forward_output();
    const bool has_ended = child_->has_ended();
    if (is_answered()) return;
    if (!has_ended && now < *until) continue;
    const std::string how =
        child_->end(has_ended ? Child::kGrace : Child::Clock::duration{});
    end_ = has_ended ? "ended: " + how
                     : "no answer within " +
                           std::to_string(time_limit_.count()) + " ms";
    end_ += quoted_last_line(child_->last_line());
    throw KernelError(end_);
  }
}

double TimedLibrary::others_ns() const {
  const pid_t called = child_->inmost();
  if (called <= 0) return 0;
  const double first = first_thread_ns(called);
  if (first == 0) return 0;
  return of_descendants_ns(child_->outmost()) - first;
}

void serve_timed(const std::string& path, Doorbell& bell) {
  leave_first_processor();
  limit_threads(1);  // as the runner does with what it times in its process
  Loaded loaded;
  const Functions functions = load(path, loaded);
  if (functions.run == nullptr || loaded.status != ROPEPROOF_OK ||
      functions.device) {
    loaded.text[sizeof loaded.text - 1] = '\0';
    std::fprintf(stderr, "%s\n",
                 functions.device ? "its memory is a device's; bench times "
                                    "those of the host"
                                  : loaded.text);
    return;
  }
  bell.is_ready.store(1);
  for (std::uint64_t seen = 0;;) {
    std::uint64_t rung = seen;
    for (Spin spin; rung == seen; spin.once()) {
      rung = bell.rung.load(std::memory_order_acquire);
    }
    seen = rung;
    const ropeproof_problem problem = bell.problem;
    bell.status = bell.call == Doorbell::kNothing ? ROPEPROOF_OK
                                                  : functions.run(&problem);
    bell.answered.store(seen, std::memory_order_release);
  }
}

}  // namespace ropeproof::conformance::plugin
