// attempt.h -- one call of a check, and what became of it.
#ifndef ROPEPROOF_CONFORMANCE_CONTRACT_ATTEMPT_H_
#define ROPEPROOF_CONFORMANCE_CONTRACT_ATTEMPT_H_

#include <string>
#include <vector>

#include "conformance/contract/contract.h"

namespace ropeproof::conformance {

// The result that an answer alone decides: a crash, a refusal; `what` names the
// call among several. A pass for kOk.
ContractResult result_of(const Answer& answer, std::string check, char suffix,
                         const std::string& what = "");

ContractResult passed(std::string check, char suffix);
ContractResult failed(std::string check, char suffix, std::string reason);
// The kernel does not promise it, or the case cannot show it.
ContractResult not_checked(std::string check, char suffix, std::string reason);

bool offers(const Kernel& kernel, std::uint32_t feature);

// The case with these of its tokens (batch * seq numbers), in this order, as
// [batch, seq]; goldens too.
RopeCase pick_tokens(const RopeCase& c, const std::vector<std::int64_t>& tokens,
                     std::int64_t batch, std::int64_t seq);

// The case with the first heads only.
RopeCase pick_heads(const RopeCase& c, std::int64_t q_heads,
                    std::int64_t k_heads);

}  // namespace ropeproof::conformance

#endif  // ROPEPROOF_CONFORMANCE_CONTRACT_ATTEMPT_H_
