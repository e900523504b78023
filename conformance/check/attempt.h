// attempt.h -- one call of a check, and what became of it.
#ifndef ROPEPROOF_CONFORMANCE_CHECK_ATTEMPT_H_
#define ROPEPROOF_CONFORMANCE_CHECK_ATTEMPT_H_

#include <string>
#include <vector>

#include "conformance/check/contract.h"

namespace ropeproof::conformance::check {

// What the kernel said of a problem that it could not solve; "" where it did not say.
std::string error_of(const plugin::Answer& answer);

// The result that an answer alone decides: a crash, a refusal; `what` names the
// call among several. A pass for kOk.
ContractResult result_of(const plugin::Answer& answer, std::string check,
                         char suffix, const std::string& what = "");

// The same of a call of the subject or of a case made of its tokens, `c`; fails,
// too, if the output has a stray write or a wrong element.
ContractResult judged(const Subject& subject, const cases::RopeCase& c,
                      const plugin::Answer& answer, const judge::Output& output,
                      std::string check, char suffix,
                      const std::string& what = "");

// Makes the call, and judges it so.
ContractResult attempt(plugin::Kernel& kernel, const Subject& subject,
                       const cases::RopeCase& c,
                       const call::Placement& placement, std::string check,
                       char suffix, const std::string& what = "");

ContractResult passed(std::string check, char suffix);
ContractResult failed(std::string check, char suffix, std::string reason);
// The kernel does not promise it, or the case cannot show it.
ContractResult not_checked(std::string check, char suffix, std::string reason);

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
