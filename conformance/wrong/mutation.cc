#include "conformance/wrong/mutation.h"

#include <algorithm>
#include <stdexcept>

#include "conformance/text/word_tables.h"
#include "conformance/wrong/mutation_lists.h"

namespace ropeproof::conformance::wrong {

Mutations joined(std::initializer_list<Mutations> lists) {
  Mutations all;
  for (const Mutations& list : lists) {
    all.insert(all.end(), list.begin(), list.end());
  }
  return all;
}

Mutation TypedSlip::operator()(reference::Format format,
                               const std::string& what, const char* f32_source,
                               const char* f16_source, const char* bf16_source,
                               Change change) const {
  using reference::Format;
  const char* source = format == Format::kF32   ? f32_source
                       : format == Format::kF16 ? f16_source
                                                : bf16_source;
  return (format == Format::kF32 ? f32 : half)(
      what + text::word(text::kFormatWords, format), source, std::move(change));
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
