// family.h -- the making of a family: ids, inputs, targets.
#ifndef ROPEPROOF_CONFORMANCE_CASES_FAMILY_H_
#define ROPEPROOF_CONFORMANCE_CASES_FAMILY_H_

#include <string>
#include <vector>

#include "conformance/cases/case.h"

namespace ropeproof::conformance::cases {

class Family {
 public:
  Family(const std::string& tier, const std::string& name,
         const std::string& description);

  // Adds a case with the next id; fills q and k unless they are given.
  void add(RopeCase c, const std::vector<std::string>& targets,
           const std::string& comment);

  Group take() { return std::move(group_); }

 private:
  Group group_;
};

// A case with these sizes and positions, forward, dense, without inputs.
RopeCase make_case(reference::Format dtype, const reference::Layout& layout,
                   double base, std::int64_t batch, std::int64_t seq,
                   std::int64_t q_heads, std::int64_t k_heads,
                   std::vector<double> positions);

}  // namespace ropeproof::conformance::cases

#endif  // ROPEPROOF_CONFORMANCE_CASES_FAMILY_H_
