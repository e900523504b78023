// patience.h -- how often a kernel may hang, crash or break the protocol.
#pragma once

#include <chrono>
#include <string>

#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::plugin {

// Returns " (last printed: ...)", or nothing for an empty line.
std::string quoted_last_line(const std::string& line);

// Counts the calls that ended a kernel's process. A thousand cases of ten
// seconds each tell no more than three, nor does a kernel that fails each call
// after a start of ten seconds.
class Patience {
 public:
  // The kernel's time begins here.
  explicit Patience(const KernelOptions& options)
      : options_(options), begin_(Clock::now()) {}

  // The limit of one call. A process's first call has a longer one, since
  // compilers run during it; so has its start, which may import a framework.
  std::chrono::milliseconds limit(bool is_first) const;
  std::chrono::milliseconds start_limit() const;

  // Whether a call is made once more, alone in a fresh process: a late one,
  // unless it is the first of its process, and one whose process was killed as
  // memory ran out, which another program may have taken. Says so on standard
  // error.
  bool tries_again(const Answer& answer, bool is_first);

  // Counts a call with its last answer. `has_ended`: its process has ended.
  void count(const Answer& answer, bool has_ended);
  // Makes no more calls, since the kernel cannot be started again. Returns the
  // answer to the call that asked.
  Answer give_up(const std::string& why);

  // Whether there are no more calls: answer() is the answer to each.
  bool has_given_up() const { return !no_more_.detail.empty(); }
  const Answer& answer() const { return no_more_; }

 private:
  using Clock = std::chrono::steady_clock;
  bool is_over() const;

  KernelOptions options_;
  Clock::time_point begin_;
  int hung_ = 0, tried_again_ = 0;
  int ended_ = 0;   // calls in a row
  Answer no_more_;  // to calls that are not made
};

}  // namespace ropeproof::conformance::plugin
