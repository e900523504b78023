#include "conformance/plugin/deadline.h"

#if defined(__linux__)
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <thread>

namespace ropeproof::conformance::plugin {
namespace {

using std::chrono::milliseconds;

// A child in a group of its own, for as long as this lives.
class Group {
 public:
  template <class Body>
  explicit Group(const Body& body) : pid_(fork()) {
    if (pid_ == 0) {
      setpgid(0, 0);
      body();
      _exit(0);
    }
    setpgid(pid_, pid_);
  }
  ~Group() {
    kill(-pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

[[noreturn]] void spin(int policy) {
  cpu_set_t all, first;
  sched_getaffinity(0, sizeof all, &all);
  CPU_ZERO(&first);
  std::size_t cpu = 0;
  while (!CPU_ISSET(cpu, &all)) ++cpu;
  CPU_SET(cpu, &first);
  sched_setaffinity(0, sizeof first, &first);
  const sched_param none{};
  sched_setscheduler(0, policy, &none);
  for (volatile bool forever = true; forever;) {
  }
  _exit(0);
}

[[noreturn]] void sleep_on() {
  for (;;) pause();
}

// How many limits pass until the group is late.
double limits_of(const Group& group, milliseconds limit) {
  const auto start = Deadline::Clock::now();
  Deadline deadline(limit);
  do {
    std::this_thread::sleep_until(deadline.next());
  } while (!deadline.is_over(group.pid()));
  return std::chrono::duration<double>(Deadline::Clock::now() - start) / limit;
}

}  // namespace

TEST_CASE("processor time of a group includes children that ended",
          "[conformance][kernel]") {
  const Group group([] {
    const pid_t child = fork();
    if (child == 0) {
      const auto end = clock() + CLOCKS_PER_SEC / 10;
      while (clock() < end) {
      }
      _exit(0);
    }
    waitpid(child, nullptr, 0);
    sleep_on();
  });
  while (activity_of(group.pid())->processor < milliseconds(80)) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  while (activity_of(group.pid())->is_runnable) {
    std::this_thread::sleep_for(milliseconds(10));
  }
}

TEST_CASE("a group that sleeps or is stopped is late after one limit",
          "[conformance][kernel]") {
  const Group sleeps(sleep_on);
  CHECK(limits_of(sleeps, milliseconds(200)) < 9);
  const Group stopped([] {
    kill(getpid(), SIGSTOP);
    sleep_on();
  });
  CHECK(limits_of(stopped, milliseconds(200)) < 9);
}

TEST_CASE("a group that waits for a processor gets ten limits",
          "[conformance][kernel]") {
  const Group busy([] { spin(SCHED_OTHER); });
  const Group starved([] { spin(SCHED_IDLE); });
  CHECK(limits_of(starved, milliseconds(100)) > 5);
}

TEST_CASE("a group that computes is late when it has had its limit",
          "[conformance][kernel]") {
  const Group busy([] { spin(SCHED_OTHER); });
  CHECK(limits_of(busy, milliseconds(50)) < 10.5);
}

}  // namespace ropeproof::conformance::plugin
#endif
