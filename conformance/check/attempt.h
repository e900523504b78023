// attempt.h -- one call of a check, and what became of it.
#ifndef ROPEPROOF_CONFORMANCE_CHECK_ATTEMPT_H_
#define ROPEPROOF_CONFORMANCE_CHECK_ATTEMPT_H_

#include <optional>
#include <string>
#include <vector>

#include "conformance/check/contract.h"

namespace ropeproof::conformance::check {

// Why an answer is no pass; and what the kernel said of a problem that it could
// not solve, "" where it did not say.
std::string reason_of(const plugin::Answer& answer);
std::string error_of(const plugin::Answer& answer);

// What an answer alone decides: a crash, a refusal; `what` names the
// call among several. A pass for kOk.
Check result_of(const plugin::Answer& answer, const std::string& aspect,
                const std::string& suffixes, const std::string& what = "");

// The same of a call of the subject or of a case made of its tokens, `c`;
// fails, too, if the output has a stray write or a wrong element.
Check judged(const Subject& subject, const cases::Case& c,
             const plugin::Answer& answer, const judge::Output& output,
             const std::string& aspect, const std::string& suffixes,
             const std::string& what = "");

// Makes the call, and judges it so.
Check attempt(plugin::Kernel& kernel, const Subject& subject,
              const cases::Case& c,
              const std::optional<cases::Storage>& storage,
              const std::string& aspect, const std::string& suffixes,
              const std::string& what = "");

Check passed(const std::string& aspect, const std::string& suffixes);
Check failed(const std::string& aspect, const std::string& suffixes,
             const std::string& reason);
// The kernel does not promise it, or the case cannot show it.
Check not_checked(const std::string& aspect, const std::string& suffixes,
                  const std::string& reason);
// The kernel does not take it.
Check declined(const std::string& aspect, const std::string& suffixes);

bool offers(const plugin::Kernel& kernel, std::uint32_t feature);

}  // namespace ropeproof::conformance::check

#endif  // ROPEPROOF_CONFORMANCE_CHECK_ATTEMPT_H_
