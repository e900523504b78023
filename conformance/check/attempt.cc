#include "conformance/check/attempt.h"

#include "conformance/explain/account.h"

namespace ropeproof::conformance::check {
namespace {

Check check_of(const std::string& aspect, const std::string& suffixes,
               Verdict verdict, const std::string& reason) {
  Check check;
  check.aspect = aspect;
  check.suffixes = suffixes;
  check.verdict = verdict;
  check.reason = reason;
  return check;
}

}  // namespace

Check passed(const std::string& aspect, const std::string& suffixes) {
  return check_of(aspect, suffixes, Verdict::kPass, "");
}

Check failed(const std::string& aspect, const std::string& suffixes,
             const std::string& reason) {
  return check_of(aspect, suffixes, Verdict::kFail, reason);
}

Check not_checked(const std::string& aspect, const std::string& suffixes,
                  const std::string& reason) {
  return check_of(aspect, suffixes, Verdict::kUnsupported, reason);
}

Check declined(const std::string& aspect, const std::string& suffixes) {
  return check_of(aspect, suffixes, Verdict::kDeclined, "");
}

std::string reason_of(const plugin::Answer& answer) {
  switch (answer.outcome) {
    case plugin::Outcome::kUnsupported:
      return "refused what it declares (" + answer.detail + ")";
    case plugin::Outcome::kInvalid:
      return "refused a valid problem (" + answer.detail + ")";
    default:
      return answer.detail;
  }
}

std::string error_of(const plugin::Answer& answer) {
  return answer.outcome == plugin::Outcome::kFailed ? answer.detail : "";
}

Check result_of(const plugin::Answer& answer, const std::string& aspect,
                const std::string& suffixes, const std::string& what) {
  Check check = passed(aspect, suffixes);
  if (answer.outcome == plugin::Outcome::kOk) return check;
  check.verdict = verdict_of(answer.outcome);
  check.reason = (what.empty() ? "" : what + ": ") + reason_of(answer);
  check.error = error_of(answer);
  return check;
}

Check judged(const Subject& subject, const cases::Case& c,
             const plugin::Answer& answer, const judge::Output& output,
             const std::string& aspect, const std::string& suffixes,
             const std::string& what) {
  const std::string of = what.empty() ? "" : what + ": ";
  Check result = result_of(answer, aspect, suffixes, what);
  if (!result.passes()) return result;
  if (!output.stray.empty()) {
    return failed(aspect, suffixes, of + output.stray);
  }
  const judge::Measurement m = judge::judge(
      c.problem, c.golden, subject.operation, subject.claim, output);
  if (m.pass()) return result;
  const explain::Account account = explain::account_of(
      m, c.problem, c.golden, subject.operation, subject.claim, output);
  return failed(aspect, suffixes, of + account.pattern);
}

Check attempt(plugin::Kernel& kernel, const Subject& subject,
              const cases::Case& c,
              const std::optional<cases::Storage>& storage,
              const std::string& aspect, const std::string& suffixes,
              const std::string& what) {
  judge::Output output;
  const plugin::Answer answer =
      call::Call(kernel, subject.operation, c, subject.claim.table, storage)
          .run(output);
  return judged(subject, c, answer, output, aspect, suffixes, what);
}

bool offers(const plugin::Kernel& kernel, std::uint32_t feature) {
  return (kernel.description().features & feature) != 0;
}

}  // namespace ropeproof::conformance::check
