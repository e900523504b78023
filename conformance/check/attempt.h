// attempt.h -- one call of a check, and what became of it.
#ifndef ROPEPROOF_CONFORMANCE_CHECK_ATTEMPT_H_
#define ROPEPROOF_CONFORMANCE_CHECK_ATTEMPT_H_

#include <string>
#include <vector>

#include "conformance/check/contract.h"

namespace ropeproof::conformance::check {

// Why an answer is no pass; and what the kernel said of a problem that it could not
// solve, "" where it did not say.
std::string reason_of(const plugin::Answer& answer);
std::string error_of(const plugin::Answer& answer);

// What an answer alone decides: a crash, a refusal; `what` names the
// call among several. A pass for kOk.
Check result_of(const plugin::Answer& answer, const std::string& aspect,
                const std::string& suffixes, const std::string& what = "");

// The same of a call of the subject or of a case made of its tokens, `c`; fails,
// too, if the output has a stray write or a wrong element.
Check judged(const Subject& subject, const cases::RopeCase& c,
             const plugin::Answer& answer, const judge::Output& output,
             const std::string& aspect, const std::string& suffixes,
             const std::string& what = "");

// Makes the call, and judges it so.
Check attempt(plugin::Kernel& kernel, const Subject& subject,
              const cases::RopeCase& c, const call::Placement& placement,
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

// Rows of `row` elements: those numbered `rows`, in this order. An empty list has none.
template <class List>
List pick_rows(const List& all, const std::vector<std::int64_t>& rows,
               std::int64_t row) {
  List picked;
  if (all.empty()) return picked;
  for (const std::int64_t r : rows) {
    const auto first = all.begin() + r * row;
    picked.insert(picked.end(), first, first + row);
  }
  return picked;
}

// The case with these of its tokens (batch * seq numbers), in this order, as
// [batch, seq]; goldens too.
cases::RopeCase pick_tokens(const cases::RopeCase& c,
                            const std::vector<std::int64_t>& tokens,
                            std::int64_t batch, std::int64_t seq);

// The case with these heads of q and k; with the first ones only; goldens too.
cases::RopeCase pick_heads(const cases::RopeCase& c,
                           const std::vector<std::int64_t>& q_heads,
                           const std::vector<std::int64_t>& k_heads);
cases::RopeCase first_heads(const cases::RopeCase& c, std::int64_t q_heads,
                            std::int64_t k_heads);

}  // namespace ropeproof::conformance::check

#endif  // ROPEPROOF_CONFORMANCE_CHECK_ATTEMPT_H_
