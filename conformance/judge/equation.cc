#include "conformance/judge/equation.h"

#include <ropeproof_kernel.h>

#include <stdexcept>
#include <string>

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

int equation_of(const reference::Scaling& scaling) {
  if (scaling.index() == 0) return 1;
  return reference::kScalingFormulas[scaling.index() - 1].number;
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
