#include "conformance/judge/equation.h"

#include <ropeproof_kernel.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "conformance/plugin/words.h"

namespace ropeproof::conformance::judge {
namespace {

constexpr Equation kEquations[] = {
    {1, "frequency of each pair"},
    {2, "angle at a position"},
    {3, "the two channels of a pair"},
    {4, "rotation of a pair"},
    {5, "channels outside the window are copied"},
    {6, "each head rotates by its token's position"}};

}  // namespace

const Equation& equation(int number) {
  for (const Equation& known : kEquations) {
    if (known.number == number) return known;
  }
  for (const Equation& known : reference::kScalingFormulas) {
    if (known.number == number) return known;
  }
  throw std::out_of_range("no equation (R" + std::to_string(number) + ")");
}

int equation_of(std::uint32_t operation) {
  switch (operation) {
    case ROPEPROOF_FREQUENCIES:
      return 1;
    case ROPEPROOF_TABLE:
      return 2;
    case ROPEPROOF_PERMUTE:
      return 3;
    default:
      return 6;
  }
}

const Equation& equation_of_scaling(std::uint32_t kind) {
  const auto* const found = std::ranges::find(
      plugin::kScalingWords, kind, [](const auto& word) { return word.first; });
  if (found == plugin::kScalingWords.end()) {
    throw std::out_of_range("no scaling " + std::to_string(kind));
  }
  return reference::kScalingFormulas[found - plugin::kScalingWords.begin()];
}

int equation_of(const reference::Scaling& scaling) {
  const std::uint32_t kind = plugin::scaling_bit(scaling);
  return kind == 0 ? 1 : equation_of_scaling(kind).number;
}

int equation_of(const Evidence& evidence, std::uint32_t operation,
                const reference::Scaling& scaling) {
  if (operation == ROPEPROOF_PERMUTE) return 3;
  if (operation == ROPEPROOF_FREQUENCIES) return equation_of(scaling);
  if (evidence.only_outside) return 5;
  if (evidence.some_heads_alone) return 6;
  if (evidence.has_lengths && !evidence.pairs_keep_length) {
    // Another pairing rotates too: it keeps the length of the head.
    return evidence.heads_keep_length ? 3 : 4;
  }
  if (operation == ROPEPROOF_ROTATE || operation == ROPEPROOF_LOOKUP) return 4;
  const int frequency = equation_of(scaling);
  if (evidence.position_is_off) return 2;
  if (evidence.frequency_is_off) return frequency;
  return evidence.pair_0_is_right || frequency != 1 ? frequency : 2;
}

}  // namespace ropeproof::conformance::judge
