#include "conformance/check/contract_checks.h"

#include "conformance/cases/summary.h"
#include "conformance/check/contract.h"
#include "conformance/check/features.h"
#include "conformance/plugin/words.h"
#include "conformance/text/words.h"

namespace ropeproof::conformance::check {
namespace {

using reference::Format;

// What is wrong with an output of a contract check, in one line.
Judgement judgement_of(const plugin::Kernel& kernel, std::uint32_t operation) {
  return [&kernel, operation](const cases::RopeCase& c,
                              const judge::Output& output) {
    judge::Claim claim = judge::claim_of(kernel.description(), c.dtype);
    claim.table = table_format(operation, c, claim);
    const judge::Measurement m = judge::judge(c, operation, claim, output);
    return m.pass() ? "" : m.pattern;
  };
}

// The promises that a contract check puts to the test.
std::uint32_t features_of(const ContractResult& result) {
  if (result.check.ends_with("threads")) return ROPEPROOF_CONCURRENT;
  if (result.suffix == 'D') return ROPEPROOF_DETERMINISTIC;
  if (result.check == "in place") return ROPEPROOF_IN_PLACE;
  if (result.check == "strided") return ROPEPROOF_STRIDED;
  return 0;
}

Check contract_check(const ContractResult& result) {
  Check check;
  check.aspect = result.check;
  if (result.suffix != 0) check.suffixes = std::string(1, result.suffix);
  check.reason = result.reason;
  check.features = features_of(result);
  check.verdict = result.outcome == plugin::Outcome::kUnsupported
                      ? Verdict::kUnsupported
                  : result.outcome == plugin::Outcome::kOk && !result.pass
                      ? Verdict::kFail
                      : verdict_of(result.outcome);
  return check;
}

// How many kinds of mistakes a case can show; 0: too few to be chosen.
int richness(const cases::RopeCase& c) {
  if (c.batch < 2 || c.seq < 2 || c.q_heads < 2 || c.is_special) return 0;
  const bool is_partial = c.spec.layout.rotary_dim < c.spec.layout.head_dim;
  return 1 + (c.k_heads > 0 ? 1 : 0) + (is_partial ? 1 : 0);
}

}  // namespace

Verdict verdict_of(plugin::Outcome outcome) {
  switch (outcome) {
    case plugin::Outcome::kOk:
      return Verdict::kPass;
    case plugin::Outcome::kUnsupported:
    case plugin::Outcome::kInvalid:
      return Verdict::kFail;
    case plugin::Outcome::kError:
      return Verdict::kError;
    case plugin::Outcome::kCrash:
      return Verdict::kCrash;
    case plugin::Outcome::kMissing:
      return Verdict::kMissing;
    case plugin::Outcome::kTimeout:
      break;
  }
  return Verdict::kTimeout;
}

// Frequencies are asked for in f32, or f64 where the tensors are f64: the types
// that kernels keep them in.
Format table_format(std::uint32_t operation, const cases::RopeCase& c,
                    const judge::Claim& claim) {
  if (operation != ROPEPROOF_FREQUENCIES) return claim.table;
  return c.dtype == Format::kF64 ? Format::kF64 : Format::kF32;
}

ContractChecks::ContractChecks(plugin::Kernel& kernel,
                               const cases::Corpus& corpus)
    : kernel_(kernel) {
  for (const cases::Group& group : corpus.groups) {
    for (const cases::RopeCase& c : group.rope_cases) {
      cases_[c.id] = &c;
      const int rich = richness(c);
      if (rich == 0 || !kernel.is_live()) continue;
      for (const std::uint32_t operation :
           {ROPEPROOF_TABLE, ROPEPROOF_ROTATE, ROPEPROOF_ROPE}) {
        if (!missing(c, operation).empty()) continue;
        const std::string kind =
            text::word(text::kFormatWords, c.dtype) + " " +
            text::word(text::kPairingWords, c.spec.layout.pairing);
        const cases::RopeCase*& chosen = chosen_[{operation, kind}];
        if (chosen == nullptr || rich > richness(*chosen)) chosen = &c;
      }
    }
  }
}

std::string ContractChecks::missing(const cases::RopeCase& c,
                                    std::uint32_t operation) const {
  return missing_feature(kernel_.description(), operation, c,
                         kernel_.shares_memory());
}

std::uint32_t ContractChecks::main_operation() const {
  const std::uint32_t offered = kernel_.description().operations;
  const bool rotates_only =
      (offered & ROPEPROOF_ROPE) == 0 && (offered & ROPEPROOF_ROTATE) != 0;
  return rotates_only ? ROPEPROOF_ROTATE : ROPEPROOF_ROPE;
}

std::vector<Check> ContractChecks::of(const cases::RopeCase& c,
                                      std::uint32_t operation) const {
  const std::string kind =
      text::word(text::kFormatWords, c.dtype) + " " +
      text::word(text::kPairingWords, c.spec.layout.pairing);
  const auto found = chosen_.find({operation, kind});
  if (found == chosen_.end() || found->second->id != c.id) return {};
  const judge::Claim claim = judge::claim_of(kernel_.description(), c.dtype);
  std::vector<Check> checks;
  for (const ContractResult& result : check_contract(
           kernel_, {c, operation, table_format(operation, c, claim)},
           judgement_of(kernel_, operation))) {
    checks.push_back(contract_check(result));
  }
  return checks;
}

// A case that the kernel does not offer, as a check.
Check ContractChecks::refused(const cases::RopeCase& c, std::uint32_t operation,
                              const std::string& aspect) const {
  Check check;
  check.operation = operation;
  check.dtype = plugin::abi_dtype(c.dtype);
  check.aspect = aspect;
  check.reason = missing(c, operation);
  if (!check.reason.empty()) check.verdict = Verdict::kUnsupported;
  return check;
}

Check ContractChecks::of(const cases::RejectCase& r) const {
  const cases::RopeCase& c = *cases_.at(r.of);
  const std::uint32_t operation = main_operation();
  Check check = refused(c, operation, "refuses");
  if (check.verdict != Verdict::kUnsupported) {
    const judge::Claim claim = judge::claim_of(kernel_.description(), c.dtype);
    check = contract_check(check_reject(
        kernel_, {c, operation, table_format(operation, c, claim)}, r.defect));
    check.features = ROPEPROOF_VALIDATES;
  }
  check.operation = operation;
  check.dtype = plugin::abi_dtype(c.dtype);
  check.summary = r.comment + " (" + cases::summary(c) + ")";
  return check;
}

Check ContractChecks::of(const cases::SequenceCase& s) const {
  const std::uint32_t operation = main_operation();
  std::vector<Subject> calls;
  Check check;
  for (const std::string& id : s.calls) {
    const cases::RopeCase& c = *cases_.at(id);
    check = refused(c, operation, "sequence");
    if (check.verdict == Verdict::kUnsupported) break;
    const judge::Claim claim = judge::claim_of(kernel_.description(), c.dtype);
    calls.push_back({c, operation, table_format(operation, c, claim)});
  }
  if (!kernel_.is_live()) {
    check.verdict = Verdict::kUnsupported;
    check.aspect = "sequence";
    check.reason = "calls in a row";
  }
  if (check.verdict != Verdict::kUnsupported) {
    check = contract_check(
        check_sequence(kernel_, calls, judgement_of(kernel_, operation)));
  }
  check.operation = operation;
  check.summary = s.comment + " (" + std::to_string(s.calls.size()) + " calls)";
  return check;
}

}  // namespace ropeproof::conformance::check
