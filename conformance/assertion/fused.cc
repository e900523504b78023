#include "conformance/assertion/fused.h"

#include <stdexcept>

#include "conformance/assertion/abi_problem.h"
#include "conformance/assertion/fused_cache.h"
#include "conformance/assertion/fused_parts.h"
#include "conformance/assertion/judgement.h"

namespace ropeproof::conformance::assertion {

std::string fused_failure(const ropeproof_problem& problem,
                          const ropeproof_fused& fused,
                          const ropeproof_claim& claim) {
  if (problem.operation != ROPEPROOF_ROPE) {
    throw std::invalid_argument("operation is " +
                                std::to_string(problem.operation) +
                                "; fused kernels are judged as ROPEPROOF_ROPE");
  }
  read_problem(problem);  // refuses what contradicts itself
  const bool is_cached = fused.slots != nullptr;
  if (is_cached) check_cache(problem, fused);
  std::string text = is_cached ? cache_failures(problem, fused) : "", open;
  for (const bool is_key : {false, true}) {
    if ((is_key ? problem.k : problem.q).heads == 0) continue;
    const Judgement judgement(read_parts(problem, fused, is_key), claim);
    if (open.empty()) open = judgement.no_verdict();
    if (judgement.wrong() == 0) continue;
    if (is_key && is_cached) text += unwritten_text(problem, fused);
    text += judgement.text();
  }
  if (text.empty() && !open.empty()) throw std::invalid_argument(open);
  return text;
}

}  // namespace ropeproof::conformance::assertion
