// equation.h -- which formula of the specification a wrong result contradicts.
#pragma once

#include <cstdint>

#include "reference/scaling.h"

namespace ropeproof::conformance::explain {

// One of (R1)-(R6) of reference/rope.h, or kScalingFormulas of
// reference/scaling.h.
using Equation = reference::Formula;

// Throws std::out_of_range for a number that a judge never gives.
const Equation& equation(int number);

// The formula of an operation as a whole, where nothing more is known.
int equation_of(std::uint32_t operation);

// The formula that decides the frequencies: (R1), or a scaling.
int equation_of(const reference::Scaling& scaling);

// Symptoms are what is known of the wrong elements of one output.
struct Symptoms {
  bool only_outside = false;      // no channel of the window is wrong
  bool some_heads_alone = false;  // or some elements were never written
  bool has_lengths = false;       // q or k: the next two are known
  bool pairs_keep_length = false, heads_keep_length = false;
  // Heads do but for rounding, and most of their elements are wrong.
  bool heads_turn_whole = false;
  bool pair_0_is_right = false;  // whose frequency is 1 whatever the base
  // Angles were measured to be those of another frequency, another position.
  bool frequency_is_off = false, position_is_off = false;
};

// The first formula that these elements contradict, in the order in which a
// rotation applies them backwards: what is left when the later ones hold.
// `scaling`: the one that the kernel itself computes; Default for none.
int equation_of(const Symptoms& symptoms, std::uint32_t operation,
                const reference::Scaling& scaling);

// Whether the numbers show that it is this one: all are outside the window, the
// frequency or the position was measured, or heads turned as wholes by pairs of
// other channels. Of halves exchanged or one spoilt element they do not.
bool is_shown(const Symptoms& symptoms);

}  // namespace ropeproof::conformance::explain
