#include "conformance/check/contract.h"

namespace ropeproof::conformance::check {

Subject subject_of(const plugin::Kernel& kernel, const cases::Case& c,
                   std::uint32_t operation) {
  return {c, operation,
          judge::claim_of(kernel.description(), c.problem.dtype, operation)};
}

std::vector<Check> check_contract(plugin::Kernel& kernel,
                                  const Subject& subject,
                                  std::span<const Subject> others) {
  std::vector<Check> results = check_memory(kernel, subject);
  for (Check& result : check_determinism(kernel, subject)) {
    results.push_back(std::move(result));
  }
  results.push_back(check_concurrency(kernel, subject, others));
  return results;
}

}  // namespace ropeproof::conformance::check
