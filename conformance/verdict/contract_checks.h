// contract_checks.h -- the promises beside the numbers, as checks of a report.
#ifndef ROPEPROOF_CONFORMANCE_VERDICT_CONTRACT_CHECKS_H_
#define ROPEPROOF_CONFORMANCE_VERDICT_CONTRACT_CHECKS_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "conformance/corpus/corpus.h"
#include "conformance/kernels/kernel.h"
#include "conformance/verdict/report.h"
#include "conformance/verdict/tolerance.h"

namespace ropeproof::conformance {

// The verdict of a call that was due.
Verdict verdict_of(Outcome outcome);

// Frequencies are asked for in f32, or f64 where the tensors are f64: the types
// that kernels keep them in. Others in the claim's table type.
reference::Format table_format(std::uint32_t operation, const RopeCase& c,
                               const Claim& claim);

class ContractChecks {
 public:
  // Chooses the cases whose calls are varied: for each operation, dtype and
  // pairing one that the kernel can do, with several tokens and heads, keys and
  // a partial head if there is such a one; the first in the order of the corpus.
  // A choice of the corpus alone: the same in every tier and shard.
  ContractChecks(Kernel& kernel, const Corpus& corpus);

  // Empty for a case that was not chosen.
  std::vector<Check> of(const RopeCase& c, std::uint32_t operation) const;
  Check of(const RejectCase& c) const;
  Check of(const SequenceCase& c) const;

  // Of reject and sequence cases: rope, or rotate where the kernel has nothing
  // else.
  std::uint32_t main_operation() const;

 private:
  std::string missing(const RopeCase& c, std::uint32_t operation) const;
  Check refused(const RopeCase& c, std::uint32_t operation,
                const std::string& aspect) const;

  Kernel& kernel_;
  std::map<std::string, const RopeCase*> cases_;  // by id
  // (operation, dtype, pairing) -> the case.
  std::map<std::pair<std::uint32_t, std::string>, const RopeCase*> chosen_;
};

}  // namespace ropeproof::conformance

#endif  // ROPEPROOF_CONFORMANCE_VERDICT_CONTRACT_CHECKS_H_
