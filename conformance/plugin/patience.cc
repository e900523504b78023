#include "conformance/plugin/patience.h"

namespace ropeproof::conformance::plugin {

std::string quoted_last_line(const std::string& line) {
  return line.empty() ? "" : " (last printed: " + line + ")";
}

Answer Patience::late(std::chrono::milliseconds limit,
                      const std::string& line) {
  ++hung_;
  --left_;
  return {Outcome::kTimeout, "no answer within " +
                                 std::to_string(limit.count()) + " ms" +
                                 quoted_last_line(line)};
}

Answer Patience::answer() const {
  if (hung_ < allowed_) {
    return {Outcome::kError, "not run: the kernel cannot be started again"};
  }
  return {Outcome::kTimeout, "not run: the kernel has hung " +
                                 std::to_string(hung_) +
                                 (hung_ == 1 ? " time" : " times")};
}

}  // namespace ropeproof::conformance::plugin
