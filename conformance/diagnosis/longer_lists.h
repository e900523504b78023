// longer_lists.h -- what a problem lists for each pair, for a kernel that takes it to
// have more of them.
#ifndef ROPEPROOF_CONFORMANCE_DIAGNOSIS_LONGER_LISTS_H_
#define ROPEPROOF_CONFORMANCE_DIAGNOSIS_LONGER_LISTS_H_

#include <ropeproof_kernel.h>

#include <cstdint>
#include <vector>

namespace ropeproof::conformance::diagnosis {

class LongerLists {
 public:
  // Lets the lists of `p` be as long as its rotary_dim says, with zeros behind those
  // of `given`. Must outlive the use of `p`.
  LongerLists(const ropeproof_problem& given, ropeproof_problem& p);

 private:
  std::vector<double> inv_freq_, inv_freq_lo_, weights_;
  std::vector<std::int32_t> axis_of_pair_;
};

}  // namespace ropeproof::conformance::diagnosis

#endif  // ROPEPROOF_CONFORMANCE_DIAGNOSIS_LONGER_LISTS_H_
