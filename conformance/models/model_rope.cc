#include "conformance/models/model_rope.h"

#include <array>
#include <variant>

namespace ropeproof::conformance::models {

std::string_view scaling_name(const reference::Scaling& scaling) {
  // In the order of the variant.
  constexpr std::array<std::string_view,
                       std::variant_size_v<reference::Scaling>>
      kNames = {"default", "linear",   "ntk",    "dynamic",
                "yarn",    "longrope", "llama3", "frequency_factors"};
  return kNames[scaling.index()];
}

}  // namespace ropeproof::conformance::models
