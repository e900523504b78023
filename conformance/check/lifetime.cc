// How a kernel's process begins and ends.
#include "conformance/check/attempt.h"
#include "conformance/check/contract.h"

namespace ropeproof::conformance::check {

std::vector<Check> check_lifetime(plugin::Kernel& kernel) {
  const std::optional<plugin::Lifetime> lifetime = kernel.lifetime();
  if (!lifetime) return {};
  return {lifetime->load_fault.empty()
              ? passed("load", "")
              : failed("load", "", lifetime->load_fault),
          result_of(lifetime->unload, kUnload, "")};
}

}  // namespace ropeproof::conformance::check
