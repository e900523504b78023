#include "tools/timing.h"

#include <sys/resource.h>
#include <time.h>

#include <utility>

#include "conformance/text/format.h"
#include "tools/rooms.h"

namespace ropeproof::tools {
namespace {

double seconds(clockid_t clock) {
  timespec at{};
  clock_gettime(clock, &at);
  return static_cast<double>(at.tv_sec) +
         1e-9 * static_cast<double>(at.tv_nsec);
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) +
         1e-6 * static_cast<double>(time.tv_usec);
}

double seconds_of_children() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

Timing::Timing() : last_{seconds(CLOCK_MONOTONIC), 0, 0} {}

Timing::Clock Timing::now() {
  return {seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID),
          seconds(CLOCK_THREAD_CPUTIME_ID)};
}

Timing::Clock Timing::next() {
  const Clock before = std::exchange(last_, now());
  const Clock step{last_.wall - before.wall, last_.process - before.process,
                   last_.thread - before.thread};
  wall_ += step.wall;
  return step;
}

void Timing::end_reading() { reading_ = next().process; }

void Timing::end_judging() {
  const Clock step = next();
  judging_ = step.thread;
  forming_ = step.process - step.thread;
}

void Timing::end_explaining() { explaining_ = next().process; }

std::string Timing::table() const {
  std::string lines = "timing, in seconds of processor\n";
  const auto add = [&](const char* step, double time) {
    lines += text::format("  %-18s %8.2f\n", step, time);
  };
  const double calling = seconds_of_children();
  add("reading vectors", reading_), add("forming cases", forming_);
  add("calling the kernel", calling), add("judging", judging_);
  add("explaining", explaining_);
  add("all", reading_ + forming_ + calling + judging_ + explaining_);
  add("by the clock", wall_);
  return lines;
}

}  // namespace ropeproof::tools
