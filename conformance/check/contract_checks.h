// contract_checks.h -- which case each promise of a kernel is checked with.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "conformance/cases/corpus.h"
#include "conformance/check/choices.h"
#include "conformance/check/contract.h"
#include "conformance/check/run.h"
#include "conformance/check/variations.h"
#include "conformance/cover/recipe.h"
#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::check {

class ContractChecks {
 public:
  // Operation, dtype, pairing.
  using Kind = std::tuple<std::uint32_t, reference::Format, reference::Pairing>;

  // Chooses the cases whose calls are varied: for each operation, dtype and
  // pairing one that the kernel can do, with several tokens and heads, keys and
  // a partial head if there is such a one; the first in the order of the
  // corpus, or where that has none of the formed cases. The same in every
  // shard. Each promise says from which tier on it is checked; in a profile no
  // field is changed to what is another model's.
  ContractChecks(plugin::Kernel& kernel, const cases::Corpus& corpus,
                 cases::Tier tier, bool is_profile);
  // `max_position`: of formed cases.
  void choose_formed(std::span<const cover::Recipe> recipes,
                     std::int64_t max_position);

  // Returns the case of a kind; null where the kernel takes none.
  const cases::Case* chosen(const Kind& kind) const;
  // Makes the checks of a case; none for one that was not chosen.
  std::vector<Check> of(const cases::Case& c, std::uint32_t operation);
  Check of(const cases::RejectCase& c) const;
  Check of(const cases::SequenceCase& c);

 private:
  // The kinds for which a problem is richer than what is chosen, and taken.
  std::vector<Kind> kinds_for(const Question& asked);
  void find_once();
  // Why a check of this case is not made: not offered, or declined.
  std::optional<Check> not_asked(Aspect aspect, const cases::Case& c,
                                 std::uint32_t operation) const;

  // The first of the cases chosen for an operation and a dtype, or for all
  // dtypes.
  const cases::Case* first_of(
      std::uint32_t operation,
      std::optional<reference::Format> dtype = std::nullopt) const;
  // Returns whether this case is the one to check a promise with. That is the
  // first case chosen for the promise; for a promise checked once a run, the
  // first one chosen for the main operation, else for any operation.
  bool asks(Aspect aspect, const cases::Case& c, std::uint32_t operation) const;
  Check changes(reference::Format dtype, std::uint32_t operation);

  plugin::Kernel& kernel_;
  cases::Tier tier_;
  bool is_profile_;
  std::map<std::string, const cases::Case*> cases_;  // by id
  std::vector<Subject> contrasting_;  // for the threads of a concurrent kernel
  std::map<Kind, const cases::Case*> chosen_;
  std::deque<cases::Case> formed_;                           // of chosen_
  std::map<Kind, const cases::Case*>::const_iterator once_;  // of chosen_
  // The changes of one field that are tried with a dtype, for all operations.
  std::map<reference::Format, std::vector<Variation>> variations_;
  ColdOutputs cold_;  // of sequences, of the main operation
};

}  // namespace ropeproof::conformance::check
