// patience.h -- how often a kernel may hang, crash or break the protocol.
#ifndef ROPEPROOF_CONFORMANCE_PLUGIN_PATIENCE_H_
#define ROPEPROOF_CONFORMANCE_PLUGIN_PATIENCE_H_

#include <chrono>
#include <string>

#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::plugin {

// " (last printed: ...)", or nothing.
std::string quoted_last_line(const std::string& line);

// Counts the calls that ended a kernel's process. A thousand cases of ten seconds
// each tell no more than three, nor does a kernel that fails each call after a
// start of ten seconds.
class Patience {
 public:
  explicit Patience(const KernelOptions& options) : options_(options) {}

  // For one call. Loading a library, or importing a framework, takes longer; so
  // does a process's first call, during which compilers run.
  std::chrono::milliseconds limit(bool is_first) const;
  std::chrono::milliseconds start_limit() const;

  // Whether a call with this answer is made once more, alone in a fresh process:
  // it came too late, and `is_first` in its process it was not. Says so on
  // standard error.
  bool tries_again(const Answer& answer, bool is_first);

  // Of each call, at last; `has_ended`: its process has.
  void count(const Answer& answer, bool has_ended);
  // The kernel cannot be started again; the answer to the call that asked.
  Answer lose(const std::string& why);

  // No more calls: answer() is the answer to each.
  bool is_lost() const { return !lost_.detail.empty(); }
  const Answer& answer() const { return lost_; }

 private:
  KernelOptions options_;
  int hung_ = 0, tried_again_ = 0;
  int ended_ = 0;  // calls in a row
  Answer lost_;
};

}  // namespace ropeproof::conformance::plugin

#endif  // ROPEPROOF_CONFORMANCE_PLUGIN_PATIENCE_H_
