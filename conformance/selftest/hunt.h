// hunt.h -- which cases kill which mutants.
#pragma once

#include <atomic>
#include <deque>
#include <span>
#include <vector>

#include "conformance/cases/case.h"
#include "conformance/selftest/mutants.h"

namespace ropeproof::conformance::selftest {

class Hunt {
 public:
  explicit Hunt(std::vector<Mutant> mutants);

  // Judges all mutants that are alive and wrong for some call of the case;
  // several threads at once, cases of one stage in any order, then those of the
  // next.
  void look(const cases::Case& c, Stage stage);

  std::span<const Mutant> mutants() const { return mutants_; }
  Stage killed_by(std::size_t mutant) const { return killed_by_[mutant]; }

 private:
  std::vector<Mutant> mutants_;
  std::deque<std::atomic<Stage>> killed_by_;
};

}  // namespace ropeproof::conformance::selftest
