// deadline.h -- when an answer is late.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

namespace ropeproof::conformance::plugin {

// What the processes of a group do now and have done, those included that ended
// and were waited for.
struct Activity {
  std::chrono::milliseconds processor{0};  // processor time, in steps of 10 ms
  bool is_runnable = false;  // some thread computes, or waits for a processor
};
// Returns nothing where the system does not say, without /proc.
std::optional<Activity> activity_of(pid_t group);

// An answer is late when its time limit has passed. Others may use the machine,
// though: processes that are runnable and have had less processor time than the
// limit get more, up to kMostLimits of them on the wall's clock.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr int kMostLimits = 10;

  explicit Deadline(std::chrono::milliseconds limit);

  std::string text() const;  // "10000 ms"
  // Returns when to ask is_over() next.
  Clock::time_point next() const { return next_; }
  // Says whether the answer is late; to be asked at next() or later. The first
  // question is early, since it costs a look at every process of the machine:
  // what a group has used is known from then on.
  bool is_over(pid_t group);

 private:
  std::chrono::milliseconds limit_;
  Clock::time_point start_, next_;
  bool has_looked_ = false;
  std::optional<Activity> first_;     // seen at the first look
  std::chrono::milliseconds left_{};  // the rest of the limit at the first look
};

}  // namespace ropeproof::conformance::plugin
