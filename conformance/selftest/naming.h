// naming.h -- whether a mutant's failures are given the right name.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "conformance/cases/corpus.h"
#include "conformance/cover/arrays.h"
#include "conformance/cover/recipe.h"
#include "conformance/explain/diagnosis.h"
#include "conformance/selftest/mutants.h"

namespace ropeproof::conformance::selftest {

class Naming {
 public:
  // The corpus outlives it.
  Naming(const cases::Corpus& corpus, const cover::Arrays& arrays);

  // What a run says of each mutant, asked some cases for which it is wrong and
  // some others.
  std::vector<std::vector<explain::Diagnosis>> of(
      std::span<const Mutant> mutants) const;
  // What a run of committed cases says of any kernel.
  std::vector<explain::Diagnosis> of(plugin::Kernel& kernel) const;

 private:
  struct Candidate {
    cases::Case c;  // of a formed one the golden is none
    bool is_formed;
  };
  // Marks in `finds` the mutants of `open` that answer some call of the case as
  // no exact kernel does.
  static void find_touched(std::span<const Mutant> mutants,
                           const std::vector<bool>& open,
                           const Candidate& candidate,
                           std::vector<bool>& finds);
  std::vector<std::set<std::string>> asked(
      std::span<const Mutant> mutants) const;
  // Committed cases and formed ones, with their goldens, in the order of a run.
  std::vector<cases::Group> proved(const std::set<std::string>& ids) const;

  const cases::Corpus& corpus_;
  std::vector<cover::Recipe> recipes_;
  std::vector<Candidate> candidates_;  // the small ones first
  std::vector<std::string> common_;  // ids of cases that every mutant is asked
};

// Whether some diagnosis, or an alias of it, is of this class of bugs.
bool names(const std::vector<explain::Diagnosis>& diagnoses, cases::Bug bug);

}  // namespace ropeproof::conformance::selftest
