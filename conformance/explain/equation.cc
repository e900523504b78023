#include "conformance/explain/equation.h"

#include <ropeproof_kernel.h>

#include <stdexcept>
#include <string>

namespace ropeproof::conformance::explain {
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
  return scaling.index() == 0 ? 1 : reference::formula_of(scaling).number;
}

int equation_of(const Symptoms& symptoms, std::uint32_t operation,
                const reference::Scaling& scaling) {
  if (operation == ROPEPROOF_PERMUTE) return 3;
  if (operation == ROPEPROOF_FREQUENCIES) return equation_of(scaling);
  if (symptoms.only_outside) return 5;
  if (symptoms.some_heads_alone) return 6;
  if (symptoms.has_lengths && !symptoms.pairs_keep_length) {
    // Another pairing rotates too: it keeps the length of the head.
    return symptoms.heads_keep_length ? 3 : 4;
  }
  if (operation == ROPEPROOF_ROTATE || operation == ROPEPROOF_LOOKUP) return 4;
  const int frequency = equation_of(scaling);
  if (symptoms.position_is_off) return 2;
  if (symptoms.frequency_is_off) return frequency;
  return symptoms.pair_0_is_right || frequency != 1 ? frequency : 2;
}

bool is_shown(const Symptoms& symptoms) {
  if (symptoms.only_outside) return true;
  if (symptoms.some_heads_alone) return false;
  return symptoms.position_is_off || symptoms.frequency_is_off ||
         (symptoms.has_lengths && !symptoms.pairs_keep_length &&
          symptoms.heads_turn_whole);
}

}  // namespace ropeproof::conformance::explain
