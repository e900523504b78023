#include "conformance/check/choices.h"

#include <algorithm>
#include <ranges>

#include "conformance/call/call.h"
#include "conformance/check/contract.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::check {
namespace {

// Calls to ask about, for which no data are written.
call::Call question(plugin::Kernel& kernel, std::uint32_t operation,
                    const cases::Case& c) {
  const judge::Claim claim =
      judge::claim_of(kernel.description(), c.problem.dtype, operation);
  return call::Call(kernel, operation, c, claim.table, std::nullopt, false);
}

call::Call question(plugin::Kernel& kernel, std::uint32_t operation,
                    const Outline& outline) {
  const judge::Claim claim =
      judge::claim_of(kernel.description(), outline.problem.dtype, operation);
  return call::Call(kernel, operation, outline.problem, outline.id, claim.table,
                    false);
}

// The first answer that is no yes.
template <class Asked>
plugin::Outcome ask(plugin::Kernel& kernel, std::uint32_t operation,
                    const Asked& asked) {
  const call::Call call = question(kernel, operation, asked);
  for (const ropeproof_problem& problem : call.questions()) {
    const plugin::Outcome outcome = kernel.supports(problem).outcome;
    if (outcome != plugin::Outcome::kOk) return outcome;
  }
  return plugin::Outcome::kOk;
}

const char* text_of(plugin::Outcome outcome) {
  return outcome == plugin::Outcome::kOk         ? "taken"
         : outcome == plugin::Outcome::kDeclined ? "declined"
                                                 : "not answered";
}

}  // namespace

std::uint32_t main_operation(const plugin::Description& kernel) {
  for (const std::uint32_t operation :
       {ROPEPROOF_ROPE, ROPEPROOF_ROTATE, ROPEPROOF_LOOKUP}) {
    if ((kernel.operations & operation) != 0) return operation;
  }
  return ROPEPROOF_ROPE;
}

template <class Asked>
bool declines(plugin::Kernel& kernel, std::uint32_t operation, const Asked& c) {
  if (!kernel.has_supports()) return false;
  try {
    return ask(kernel, operation, c) == plugin::Outcome::kDeclined;
  } catch (const plugin::NoAddressSpace&) {  // its check says so
    return false;
  }
}

template bool declines(plugin::Kernel&, std::uint32_t, const cases::Case&);
template bool declines(plugin::Kernel&, std::uint32_t, const Outline&);

std::string Choices::check(std::uint32_t operation, const cases::Case& c,
                           plugin::Outcome outcome) {
  if (!kernel_.has_supports()) return {};
  asked_.push_back({operation, c, outcome});
  std::string changed;
  for (const Asked& before : std::views::reverse(asked_)) {
    const auto& [operation_before, asked, outcome_before] = before;
    const plugin::Outcome now = ask(kernel_, operation_before, asked);
    if (now == outcome_before || !changed.empty()) continue;
    changed = "ropeproof_supports: " + asked.id + " " +
              text::word(plugin::kOperationWords, operation_before) + " was " +
              text_of(outcome_before) + " first and " + text_of(now) +
              " when asked again; the answer may depend on the problem alone";
  }
  if (c.problem.elements() > kLargestRemembered) asked_.pop_back();
  if (asked_.size() > kRemembered) asked_.pop_front();
  return changed;
}

}  // namespace ropeproof::conformance::check
