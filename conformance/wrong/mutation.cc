#include "conformance/wrong/mutation.h"

#include <algorithm>
#include <stdexcept>

#include "conformance/wrong/mutation_lists.h"

namespace ropeproof::conformance::wrong {

Mutations joined(std::initializer_list<Mutations> lists) {
  Mutations all;
  for (const Mutations& list : lists) {
    all.insert(all.end(), list.begin(), list.end());
  }
  return all;
}

const std::vector<Mutation>& mutations() {
  static const Mutations kAll =
      joined({layout_mutations(), window_mutations(), frequency_mutations(),
              scaling_mutations(), amplitude_mutations(), position_mutations(),
              token_mutations(), axis_mutations(), rounding_mutations(),
              memory_mutations(), weight_mutations()});
  return kAll;
}

const Mutation& known(std::string_view name) {
  const auto found = std::ranges::find(mutations(), name, &Mutation::name);
  if (found != mutations().end()) return *found;
  throw std::logic_error("no such mutation: " + std::string(name));
}

}  // namespace ropeproof::conformance::wrong
