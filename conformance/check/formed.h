// formed.h -- the cases that are formed for one kernel.
#ifndef ROPEPROOF_CONFORMANCE_CHECK_FORMED_H_
#define ROPEPROOF_CONFORMANCE_CHECK_FORMED_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "conformance/check/runner.h"
#include "conformance/cover/formed.h"
#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::check {

// What the selected tier or profile, or a selected id, asks of the kernel;
// nothing in smoke and without arrays. In a profile dtype and specification are
// the model's. Fresh cases come in an order drawn from the seed.
std::vector<cover::FormedCase> formed_cases(plugin::Kernel& kernel,
                                            const Selection& selection);

// In place of goldens, for calls that nobody judges: zeros, but cosines that, as in a
// cache, are the same for tokens of equal positions only.
void fill_stand_ins(cases::RopeCase& c);

// By how the id, or a pattern of ids, begins.
bool is_formed(const std::string& id);

// Whether a pattern may match none of `ids`: it names formed cases of a kind that
// is not among them. Tier and seed say which kinds there are.
bool may_be_idle(const std::string& pattern,
                 const std::vector<std::string>& ids);

struct FormedQuestion {
  cases::RopeCase rope;
  // Of the same sizes, for kernels that permute: heads and columns are the query
  // heads and the tokens of a batch row.
  std::optional<cases::PermuteCase> permute;
};

// Without id: weights of the sizes of a case, for one of the two pairings that they
// are trained for.
cases::PermuteCase permute_of(const cases::RopeCase& c, std::uint64_t seed);

// The kernel's description, with the positions of a profile at the most.
plugin::Description asked_description(const plugin::Kernel& kernel,
                                      const Selection& selection);

// In their order, on all cores; `description` is the one above.
std::vector<FormedQuestion> form_all(
    std::span<const cover::FormedCase* const> formed,
    const plugin::Description& description);

}  // namespace ropeproof::conformance::check

#endif  // ROPEPROOF_CONFORMANCE_CHECK_FORMED_H_
