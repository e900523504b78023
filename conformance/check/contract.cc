#include "conformance/check/contract.h"

#include <utility>

#include "conformance/check/attempt.h"

namespace ropeproof::conformance::check {

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

std::vector<Check> check_lifetime(plugin::Kernel& kernel) {
  const std::optional<plugin::Lifetime> lifetime = kernel.lifetime();
  if (!lifetime) return {};
  return {lifetime->load_fault.empty()
              ? passed(Aspect::kLoad)
              : failed(Aspect::kLoad, lifetime->load_fault),
          result_of(lifetime->unload, Aspect::kUnload)};
}

}  // namespace ropeproof::conformance::check
