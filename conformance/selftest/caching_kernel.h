// caching_kernel.h -- a kernel that keeps what it has seen, under too short a key.
#ifndef ROPEPROOF_CONFORMANCE_SELFTEST_CACHING_KERNEL_H_
#define ROPEPROOF_CONFORMANCE_SELFTEST_CACHING_KERNEL_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::selftest {

// Offers everything, and to compute every scaling.
plugin::Description computing_description();

// The fields of a problem, and of each scaling, as check::Change names them.
const std::vector<std::string>& cached_fields();
// The positions but for the first and the last.
inline constexpr const char* kInnerPositions = "inner positions";

// Its key has every field but one. A plan of loops, for a field that is a size, is
// kept under no contents either. Without a missing field: no cache; for one that
// there is not, an honest one.
class CachingKernel : public wrong::PipelineKernel {
 public:
  explicit CachingKernel(std::string missing);

  plugin::Answer run(const ropeproof_problem& problem) override;

 private:
  // What a problem says of one field, and how a cache answers with an earlier one.
  struct Part {
    std::string name, bytes;
    std::function<void(ropeproof_problem&)> recall;
  };

  // Every field of a problem with dense tensors, in parts that a key may lack.
  static std::vector<Part> parts_of(const ropeproof_problem& p);

  std::string missing_;
  std::map<std::string, Part> known_;  // by key
};

}  // namespace ropeproof::conformance::selftest

#endif  // ROPEPROOF_CONFORMANCE_SELFTEST_CACHING_KERNEL_H_
