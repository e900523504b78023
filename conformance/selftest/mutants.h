// mutants.h -- kernels with one bug each, which the suite must fail.
//
// Each is the exact kernel of pipeline_kernel.h with one knob changed, for some problems
// or for all. The bugs are ones that engines have shipped. What needs a process of
// its own, a read past the end or a wrong start, is a fake (fakes/expected.h).
#ifndef ROPEPROOF_CONFORMANCE_SELFTEST_MUTANTS_H_
#define ROPEPROOF_CONFORMANCE_SELFTEST_MUTANTS_H_

#include <functional>
#include <vector>

#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::selftest {

// What kills a mutant, in the order in which it is asked.
enum class Stage { kSmoke, kCore, kFormed, kNone };

struct Mutant {
  const char* name;
  const char* bug;  // its class, a key of cases::bug_classes()
  std::function<void(wrong::Pipeline&)> mutate;
  // The problems that it is wrong for; empty: all.
  std::function<bool(const ropeproof_problem&)> where = {};
  Stage due = Stage::kFormed;  // the last that may kill it; kNone: none may

  bool is_right(Stage killed_by) const {
    return due == Stage::kNone ? killed_by == due : killed_by <= due;
  }
};

// A bug that the diagnosis knows, by its name; throws std::logic_error for others.
Mutant known(const char* name);
// The same under another name, in the problems that `where` says; empty: in all.
Mutant some(const char* name, const char* bug,
            std::function<bool(const ropeproof_problem&)> where = {});

// Killed by the smoke tier already.
std::vector<Mutant> smoke_mutants();

// Bugs of features that the smoke tier does not combine; killed by the committed
// cases of core.
std::vector<Mutant> core_mutants();

// Wrong only in an order of memory, from a size on, or where several features meet;
// killed by core.
std::vector<Mutant> narrow_mutants();
std::vector<Mutant> engine_mutants();

// All of them, and a kernel without a bug.
std::vector<Mutant> mutants();

// Offers everything but frequencies, in every dtype, class A0.
plugin::Description mutant_description();

class MutantKernel : public wrong::PipelineKernel {
 public:
  explicit MutantKernel(const Mutant& mutant);
  plugin::Answer run(const ropeproof_problem& problem) override;

 private:
  std::function<bool(const ropeproof_problem&)> where_;
};

}  // namespace ropeproof::conformance::selftest

#endif  // ROPEPROOF_CONFORMANCE_SELFTEST_MUTANTS_H_
