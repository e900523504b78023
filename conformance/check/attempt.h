// attempt.h -- one call of a check, and what became of it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "conformance/call/call.h"
#include "conformance/check/contract.h"

namespace ropeproof::conformance::check {

// Says in a check why an answer is none: `end`, and in the reason, behind it,
// the place of a crash, ": read past the end of k, at byte 64 of 64".
void say_end(Check& check, const plugin::Answer& answer);
std::string place_text(const plugin::Answer& answer);

// The functions below make the Check of an aspect. It counts for the suffixes
// of its promise and for `more`; `what` names the call among several.

// Returns what an answer alone decides: a crash, a refusal, a pass for kOk.
Check result_of(const plugin::Answer& answer, Aspect aspect,
                const std::string& what = "", Suffixes more = 0);

// Returns the check of the subject's call. It fails as result_of() says, and if
// the output has a stray write or a wrong element.
Check judged(const plugin::Kernel& kernel, const Subject& subject,
             const plugin::Answer& answer, const judge::Output& output,
             Aspect aspect, const std::string& what = "", Suffixes more = 0);

call::Call call_of(plugin::Kernel& kernel, const Subject& subject,
                   const std::optional<cases::Storage>& storage = std::nullopt);

// Makes the subject's call and judges it.
Check attempt(plugin::Kernel& kernel, const Subject& subject, Aspect aspect,
              const std::optional<cases::Storage>& storage = std::nullopt,
              const std::string& what = "");

// Makes a failing call once more: at once and then, where `restarts`, in a
// fresh process. `is_right` makes and judges it.
Retry made_again(plugin::Kernel& kernel, bool restarts,
                 const std::function<bool()>& is_right);
// Says in a failing check what its call came to then.
void add_retry(Check& check, Retry retry);

Check passed(Aspect aspect, Suffixes more = 0);
Check failed(Aspect aspect, const std::string& reason, Suffixes more = 0);
// The kernel does not promise it, or the case cannot show it.
Check not_checked(Aspect aspect, const std::string& reason, Suffixes more = 0);
// The kernel does not offer the feature of the promise; none where it does.
std::optional<Check> not_offered(const plugin::Kernel& kernel, Aspect aspect);
Check declined(Aspect aspect);

bool offers(const plugin::Kernel& kernel, std::uint32_t feature);

}  // namespace ropeproof::conformance::check
