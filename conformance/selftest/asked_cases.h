// asked_cases.h -- the cases that a kernel is asked, formed once for all that
// look at them.
#pragma once

#include <functional>
#include <vector>

#include "conformance/cases/corpus.h"
#include "conformance/cover/arrays.h"
#include "conformance/cover/recipe.h"
#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::selftest {

class AskedCases {
 public:
  // `row`: the row that a case was formed from, empty for a committed case and
  // for a shape. `seed`: what its values were drawn from, 0 for a committed
  // case.
  using Look = std::function<void(const cases::Case&, const cover::Row& row,
                                  std::uint64_t seed)>;

  // The cases of a kernel of this description, which must take all. Corpus and
  // arrays outlive this.
  AskedCases(const cases::Corpus& corpus, const cover::Arrays& arrays,
             const plugin::Description& description, cases::Tier tier);

  // Shows the cases of a tier, without the tiers that it contains, on all
  // cores: several threads call `look` at once. Passes on what it throws.
  void committed(cases::Tier tier, const Look& look) const;
  void formed(cases::Tier tier, const Look& look) const;

 private:
  const cases::Corpus& corpus_;
  std::vector<cover::Recipe> recipes_;
};

}  // namespace ropeproof::conformance::selftest
