#include "conformance/check/attempt.h"

#include "conformance/explain/account.h"
#include "conformance/judge/tolerance.h"
#include "conformance/plugin/features.h"

namespace ropeproof::conformance::check {
namespace {

Check check_of(Aspect aspect, Suffixes more, Verdict verdict,
               const std::string& reason) {
  const Promise& about = promise(aspect);
  Check check;
  check.aspect = aspect;
  check.suffixes = about.suffixes | more;
  check.features = check.suffixes == kSuffixD && about.feature == 0
                       ? promise(Aspect::kSameBits).feature
                       : about.feature;
  check.verdict = verdict;
  check.reason = check.end = reason;
  return check;
}

}  // namespace

Check passed(Aspect aspect, Suffixes more) {
  return check_of(aspect, more, Verdict::kPass, "");
}

Check failed(Aspect aspect, const std::string& reason, Suffixes more) {
  return check_of(aspect, more, Verdict::kFail, reason);
}

Check not_checked(Aspect aspect, const std::string& reason, Suffixes more) {
  return check_of(aspect, more, Verdict::kUnsupported, reason);
}

std::optional<Check> not_offered(const plugin::Kernel& kernel, Aspect aspect) {
  const std::uint32_t feature = promise(aspect).feature;
  if (offers(kernel, feature)) return std::nullopt;
  return not_checked(aspect, text::word(plugin::kFeatureWords, feature));
}

Check declined(Aspect aspect) {
  return check_of(aspect, 0, Verdict::kDeclined, "");
}

std::string place_text(const plugin::Answer& answer) {
  return answer.place.empty() ? "" : ": " + answer.place;
}

void say_end(Check& check, const plugin::Answer& answer) {
  check.end = answer.detail;
  if (answer.outcome == plugin::Outcome::kUnsupported) {
    check.end = "refused what it declares (" + answer.detail + ")";
  } else if (answer.outcome == plugin::Outcome::kInvalid) {
    check.end = "refused a valid problem (" + answer.detail + ")";
  }
  check.reason = check.end + place_text(answer);
}

Check result_of(const plugin::Answer& answer, Aspect aspect,
                const std::string& what, Suffixes more) {
  Check check = passed(aspect, more);
  check.answer = answer;
  if (answer.outcome == plugin::Outcome::kOk) return check;
  check.verdict = verdict_of(answer.outcome);
  say_end(check, answer);
  if (!what.empty()) check.reason = what + ": " + check.reason;
  return check;
}

Check judged(const plugin::Kernel& kernel, const Subject& subject,
             const plugin::Answer& answer, const judge::Output& output,
             Aspect aspect, const std::string& what, Suffixes more) {
  Check result = result_of(answer, aspect, what, more);
  if (!result.passes()) return result;
  const auto& [c, operation] = subject;
  const std::string of = what.empty() ? "" : what + ": ";
  if (!output.stray.empty()) {
    result.verdict = Verdict::kFail;
    result.end = output.stray;
    result.reason = of + output.stray;
    return result;
  }
  const judge::Claim claim =
      judge::claim_of(kernel.description(), c.problem.dtype, operation);
  if (judge::judge(c.problem, c.golden, operation, claim, output).pass()) {
    return result;
  }
  result.verdict = Verdict::kFail;
  result.has_wrong_values = true;
  result.wrong =
      shared(explain::answer_of(shared(c), operation, claim, output));
  result.reason = of + explain::account_of(*result.wrong, true).pattern;
  return result;
}

call::Call call_of(plugin::Kernel& kernel, const Subject& subject,
                   const std::optional<cases::Storage>& storage) {
  const judge::Claim claim = judge::claim_of(
      kernel.description(), subject.c.problem.dtype, subject.operation);
  return {kernel, subject.operation, subject.c, claim.table, storage};
}

Check attempt(plugin::Kernel& kernel, const Subject& subject, Aspect aspect,
              const std::optional<cases::Storage>& storage,
              const std::string& what) {
  judge::Output output;
  const plugin::Answer answer = call_of(kernel, subject, storage).run(output);
  Check check = judged(kernel, subject, answer, output, aspect, what);
  if (check.wrong && storage) {
    explain::Answer stored = *check.wrong;
    cases::Case asked = *stored.asked;
    asked.problem.storage = *storage;
    stored.asked = shared(std::move(asked));
    check.wrong = shared(std::move(stored));
  }
  return check;
}

Retry made_again(plugin::Kernel& kernel, bool restarts,
                 const std::function<bool()>& is_right) {
  if (is_right()) return Retry::kRightAgain;
  if (!restarts || !kernel.restart(0)) return Retry::kNone;
  return is_right() ? Retry::kRightInFreshProcess : Retry::kWrongInFreshProcess;
}

void add_retry(Check& check, Retry retry) {
  check.retry = retry;
  (check.is_of_values() ? check.account.pattern : check.reason) +=
      text::word(kRetrySaid, retry);
}

bool offers(const plugin::Kernel& kernel, std::uint32_t feature) {
  return (kernel.description().features & feature) != 0;
}

}  // namespace ropeproof::conformance::check
