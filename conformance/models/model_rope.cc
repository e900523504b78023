#include "conformance/models/model_rope.h"

#include <type_traits>
#include <variant>

namespace ropeproof::conformance::models {

std::string_view scaling_name(const reference::Scaling& scaling) {
  return std::visit(
      [](const auto& s) -> std::string_view {
        using S = std::decay_t<decltype(s)>;
        if constexpr (std::is_same_v<S, reference::Linear>) {
          return "linear";
        } else if constexpr (std::is_same_v<S, reference::Ntk>) {
          return "ntk";
        } else if constexpr (std::is_same_v<S, reference::DynamicNtk>) {
          return "dynamic";
        } else if constexpr (std::is_same_v<S, reference::Yarn>) {
          return "yarn";
        } else if constexpr (std::is_same_v<S, reference::LongRope>) {
          return "longrope";
        } else if constexpr (std::is_same_v<S, reference::Llama3>) {
          return "llama3";
        } else if constexpr (std::is_same_v<S, reference::FrequencyFactors>) {
          return "frequency_factors";
        } else {
          return "default";
        }
      },
      scaling);
}

}  // namespace ropeproof::conformance::models
