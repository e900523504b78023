// mutation.h -- known bugs, each as what it changes of an exact kernel.
#ifndef ROPEPROOF_CONFORMANCE_WRONG_MUTATION_H_
#define ROPEPROOF_CONFORMANCE_WRONG_MUTATION_H_

#include <functional>
#include <string>
#include <vector>

#include "conformance/wrong/pipeline.h"

namespace ropeproof::conformance::wrong {

struct Mutation {
  std::string name;    // what the kernel does: "positions rounded to bf16"
  const char* bug;     // its class, a key of cases::bug_classes()
  int equation;        // of judge/equation.h: the first step that goes wrong
  const char* advice;  // what to try, in a line
  std::function<void(Pipeline&)> change;
  // Rounds on the way: where an honest kernel's last bits differ, some of its
  // elements round the other way.
  bool rounds = false;
};

// All of them, in no order that matters. Several may be the same kernel, for all
// problems (direction reversed, adjoint taken for forward) or for some.
const std::vector<Mutation>& mutations();

}  // namespace ropeproof::conformance::wrong

#endif  // ROPEPROOF_CONFORMANCE_WRONG_MUTATION_H_
