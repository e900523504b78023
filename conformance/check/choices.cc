#include "conformance/check/choices.h"

#include <algorithm>
#include <ranges>

#include "conformance/call/call.h"
#include "conformance/check/contract.h"
#include "conformance/plugin/words.h"
#include "conformance/text/words.h"

namespace ropeproof::conformance::check {
namespace {

std::vector<plugin::BareProblem> questions_about(plugin::Kernel& kernel,
                                                 std::uint32_t operation,
                                                 const cases::RopeCase& c) {
  const judge::Claim claim = subject_of(kernel, c, operation).claim;
  call::Placement placement;
  placement.is_question = true;
  return call::Call(kernel, operation, c, claim.table, placement).questions();
}

// The first answer that is no yes.
plugin::Outcome ask(plugin::Kernel& kernel,
                    const std::vector<plugin::BareProblem>& questions) {
  for (const plugin::BareProblem& question : questions) {
    const plugin::Outcome outcome = kernel.supports(question).outcome;
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

bool declines(plugin::Kernel& kernel, std::uint32_t operation,
              const cases::RopeCase& c) {
  if (!kernel.has_supports()) return false;
  try {
    return ask(kernel, questions_about(kernel, operation, c)) ==
           plugin::Outcome::kDeclined;
  } catch (const plugin::NoAddressSpace&) {  // its check says so
    return false;
  }
}

std::string Choices::check(std::uint32_t operation, const cases::RopeCase& c,
                           plugin::Outcome outcome) {
  if (!kernel_.has_supports()) return {};
  asked_.push_back({c.id + " " + text::word(plugin::kOperationWords, operation),
                    questions_about(kernel_, operation, c), outcome});
  std::string changed;
  for (const Asked& before : std::views::reverse(asked_)) {
    const plugin::Outcome now = ask(kernel_, before.questions);
    if (now == before.outcome || !changed.empty()) continue;
    changed = std::string("ropeproof_supports: ") + before.what + " was " +
              text_of(before.outcome) + " first and " + text_of(now) +
              " when asked again; the answer may depend on the problem alone";
  }
  if (asked_.size() > kRemembered) asked_.pop_front();
  return changed;
}

}  // namespace ropeproof::conformance::check
