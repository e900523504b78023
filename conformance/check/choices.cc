#include "conformance/check/choices.h"

#include <ranges>

#include "conformance/call/call.h"
#include "conformance/check/contract.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::check {
namespace {

// The call to ask about, for which no data are written.
call::Call laid_out(plugin::Kernel& kernel, std::uint32_t operation,
                    const Question& asked) {
  const reference::Format table =
      judge::claim_of(kernel.description(), asked.problem.dtype, operation)
          .table;
  if (asked.whole == nullptr) {
    return {kernel,   operation, asked.problem,
            asked.id, table,     call::Contents::kLaidOut};
  }
  return {kernel, operation,    *asked.whole,
          table,  std::nullopt, call::Contents::kLaidOut};
}

// The first answer that is no yes.
plugin::Outcome ask(plugin::Kernel& kernel, std::uint32_t operation,
                    const Question& asked) {
  const call::Call call = laid_out(kernel, operation, asked);
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

bool declines(plugin::Kernel& kernel, std::uint32_t operation,
              const Question& asked) {
  if (!kernel.has_supports()) return false;
  try {
    return ask(kernel, operation, asked) == plugin::Outcome::kDeclined;
  } catch (const plugin::NoAddressSpace&) {  // its check says so
    return false;
  }
}

std::string Choices::check(std::uint32_t operation, const cases::Case& c,
                           plugin::Outcome outcome) {
  if (!kernel_.has_supports()) return {};
  answered_.push_back({operation, c, outcome});
  std::string changed;
  for (const Answered& before : std::views::reverse(answered_)) {
    const plugin::Outcome now = ask(kernel_, before.operation, before.c);
    if (now == before.outcome || !changed.empty()) continue;
    changed = "ropeproof_supports: " + before.c.id + " " +
              text::word(plugin::kOperationWords, before.operation) + " was " +
              text_of(before.outcome) + " first and " + text_of(now) +
              " when asked again; the answer may depend on the problem alone";
  }
  if (c.problem.elements() > kLargestRemembered) answered_.pop_back();
  if (answered_.size() > kRemembered) answered_.pop_front();
  return changed;
}

}  // namespace ropeproof::conformance::check
