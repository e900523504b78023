#include "conformance/check/contract.h"

namespace ropeproof::conformance::check {

reference::Format frequency_format(reference::Format dtype) {
  using reference::Format;
  return dtype == Format::kF64 ? Format::kF64 : Format::kF32;
}

Subject subject_of(const plugin::Kernel& kernel, const cases::RopeCase& c,
                   std::uint32_t operation) {
  Subject subject{c, operation, judge::claim_of(kernel.description(), c.dtype)};
  if (operation == ROPEPROOF_FREQUENCIES) {
    subject.claim.table = frequency_format(c.dtype);
  }
  return subject;
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
