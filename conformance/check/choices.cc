#include "conformance/check/choices.h"

#include <algorithm>
#include <ranges>

#include "conformance/check/call.h"
#include "conformance/check/contract.h"
#include "conformance/plugin/words.h"
#include "conformance/text/words.h"

namespace ropeproof::conformance::check {
namespace {

plugin::Question question_about(plugin::Kernel& kernel, std::uint32_t operation,
                                const cases::RopeCase& c) {
  const judge::Claim claim = subject_of(kernel, c, operation).claim;
  return Call(kernel, operation, c, claim.table).question();
}

const char* text_of(plugin::Outcome outcome) {
  return outcome == plugin::Outcome::kOk         ? "taken"
         : outcome == plugin::Outcome::kDeclined ? "declined"
                                                 : "not answered";
}

}  // namespace

bool declines(plugin::Kernel& kernel, std::uint32_t operation,
              const cases::RopeCase& c) {
  return kernel.has_supports() &&
         kernel.supports(question_about(kernel, operation, c)).outcome ==
             plugin::Outcome::kDeclined;
}

std::string Choices::check(std::uint32_t operation, const cases::RopeCase& c,
                           plugin::Outcome outcome) {
  if (!kernel_.has_supports()) return {};
  const auto ask = [&](const plugin::Question& question) {
    return kernel_.supports(question).outcome;
  };
  asked_.push_back({c.id + " " + text::word(plugin::kOperationWords, operation),
                    question_about(kernel_, operation, c), outcome});
  std::string changed;
  for (const Asked& before : std::views::reverse(asked_)) {
    const plugin::Outcome now = ask(before.question);
    if (now == before.outcome || !changed.empty()) continue;
    changed = std::string("ropeproof_supports: ") + before.what + " was " +
              text_of(before.outcome) + " first and " + text_of(now) +
              " when asked again; the answer may depend on the problem alone";
  }
  if (asked_.size() > kRemembered) asked_.pop_front();
  return changed;
}

}  // namespace ropeproof::conformance::check
