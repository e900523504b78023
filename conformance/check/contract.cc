#include "conformance/check/contract.h"

namespace ropeproof::conformance::check {

std::vector<ContractResult> check_contract(plugin::Kernel& kernel,
                                           const Subject& subject,
                                           const Judgement& judge) {
  std::vector<ContractResult> results = check_memory(kernel, subject, judge);
  for (ContractResult& result : check_determinism(kernel, subject)) {
    results.push_back(std::move(result));
  }
  results.push_back(check_concurrency(kernel, subject, judge));
  return results;
}

}  // namespace ropeproof::conformance::check
