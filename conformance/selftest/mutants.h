// mutants.h -- kernels with one bug each, which the suite must fail.
//
// Each is the exact kernel with one mutation, for some problems or for all, or
// from one call to the next. What needs a process of its own, a read past the
// end or a wrong start, is a fake (fakes/expected.h).
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/wrong/mutation.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::selftest {

// What kills a mutant, in the order in which it is asked.
enum class Stage { kSmoke, kCore, kFormed, kCalls, kNone };

using Predicate = std::function<bool(const ropeproof_problem&)>;

struct Mutant {
  wrong::Mutation mutation;
  Predicate where;  // the problems that it is wrong for; empty: all
  // A diagnosis knows this very mutation, and it strikes everywhere: that it is
  // named says little.
  bool is_hypothesis = false;
  Stage due = Stage::kFormed;  // the last that may kill it; kNone: none may

  Mutant(std::string name, cases::Bug bug, wrong::Change change,
         Predicate strikes = {})
      : mutation{.name = std::move(name),
                 .bug = bug,
                 .change = std::move(change)},
        where(std::move(strikes)) {}

  bool is_right(Stage killed_by) const {
    return due == Stage::kNone ? killed_by == due : killed_by <= due;
  }
};

// A bug that a diagnosis knows, by its name.
Mutant known(const char* name);
// A known bug under another name, only in problems for which `where` holds;
// without `where` in all.
Mutant some(const char* name, const char* bug, Predicate where = {});

// Killed by the smoke tier already.
std::vector<Mutant> smoke_mutants();

// Bugs of features that the smoke tier does not combine; killed by the
// committed cases of core.
std::vector<Mutant> core_mutants();

// Wrong only in an order of memory, from a size on, or where several features
// meet; killed by core.
std::vector<Mutant> narrow_mutants();
std::vector<Mutant> engine_mutants();

// Every mutant of the lists above, and a kernel without a bug.
std::vector<Mutant> mutants();

// Right in the first call of a process, and wrong after some calls or beside
// them.
std::vector<Mutant> call_mutants();

// Offers everything but frequencies, in every dtype, class A0.
plugin::Description mutant_description();

class MutantKernel : public wrong::PipelineKernel {
 public:
  explicit MutantKernel(const Mutant& mutant,
                        plugin::Description description = mutant_description());
  plugin::Answer run(const ropeproof_problem& problem) override;

 private:
  Predicate where_;
};

}  // namespace ropeproof::conformance::selftest
