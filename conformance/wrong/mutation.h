// mutation.h -- a bug, as what it changes of a kernel's pipeline.
//
// With a predicate that says where it strikes, a mutation is a mutant, which
// the suite must fail (selftest/mutants.h). Those that have words of their own
// are the hypotheses that wrong answers and probes are compared with:
// mutations() has them all.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/cases/bug_class.h"
#include "conformance/wrong/pipeline.h"

namespace ropeproof::conformance::wrong {

using Change = std::function<void(Pipeline&)>;

struct Mutation {
  std::string name;  // what the kernel does: "positions rounded to bf16"
  // Who met it: "huggingface/candle#3411", a number of issues and pull requests
  // at GitHub; a measured engine; a document's erratum; or "of: " and the name
  // of the mutation that this one is the same slip as, elsewhere. Empty: nobody
  // met it.
  std::string source = {};
  cases::Bug bug = {};
  int equation = 0;  // of explain/equation.h: the first step that goes wrong
  const char* advice = "";  // what to try, in a line
  Change change;
  // Rounds on the way: where an honest kernel's last bits differ, some of its
  // elements round the other way.
  bool rounds = false;
  // Numbers stay as they were: what a loop does that ends too early, in place
  // or after a copy.
  bool ends_early = false;
};

// Known bugs, in no order that matters. Several may be the same kernel, for all
// problems (direction reversed, adjoint taken for forward) or for some.
const std::vector<Mutation>& mutations();
// What a kernel may do to numbers though nobody has met it, for answers that no
// known bug gives: a step rounded to so many bits, frequencies of other pairs.
const std::vector<Mutation>& numeric_mutations();
// The known bug of this name; throws std::logic_error for others.
const Mutation& known(std::string_view name);

// Changes that several bugs share.

template <class Step, class Value>
auto set(Step Pipeline::*step, Value value) {
  return [=](Pipeline& pipeline) { pipeline.*step = value; };
}

// Does not rotate the heads for which is(problem, index).
template <class Is>
auto skips(Is is) {
  return set(&Pipeline::adjust_directed, [=](const PairIndex& at, CosSin& r) {
    if (is(at.p, at)) r = {1, 0};
  });
}

// Rotates the heads for which is(problem, index) the wrong way.
template <class Is>
auto reverses(Is is) {
  return set(&Pipeline::adjust_directed, [=](const PairIndex& at, CosSin& r) {
    if (is(at.p, at)) r.s = -r.s;
  });
}

}  // namespace ropeproof::conformance::wrong
