// patience.h -- how often a kernel may hang.
#ifndef ROPEPROOF_CONFORMANCE_PLUGIN_PATIENCE_H_
#define ROPEPROOF_CONFORMANCE_PLUGIN_PATIENCE_H_

#include <chrono>
#include <string>

#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::plugin {

// " (last printed: ...)", or nothing.
std::string quoted_last_line(const std::string& line);

// Counts the calls that a kernel did not answer in time. A thousand cases of ten
// seconds each tell no more than three.
class Patience {
 public:
  explicit Patience(const KernelOptions& options)
      : left_(options.max_timeouts), allowed_(options.max_timeouts) {}

  // The answer to a call that took too long; `line` was printed last.
  Answer late(std::chrono::milliseconds limit, const std::string& line);
  // The kernel cannot be started again.
  void lose() { left_ = 0; }

  bool is_lost() const { return left_ <= 0; }
  // To every further call.
  Answer answer() const;

 private:
  int left_, allowed_, hung_ = 0;
};

}  // namespace ropeproof::conformance::plugin

#endif  // ROPEPROOF_CONFORMANCE_PLUGIN_PATIENCE_H_
