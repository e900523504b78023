// ropeproof list encodings: what each is good for.
#include <iomanip>
#include <iostream>

#include "reference/encodings/properties.h"
#include "tools/commands.h"

namespace ropeproof::tools {
namespace {

using reference::encodings::Properties;
using reference::encodings::ShiftMap;

const char* word(bool is) { return is ? "yes" : "no"; }

const char* word(const std::optional<bool>& is) { return is ? word(*is) : "-"; }

const char* word(const std::optional<ShiftMap>& shift) {
  if (!shift) return "-";
  switch (*shift) {
    case ShiftMap::kLinear:
      return "linear";
    case ShiftMap::kAffine:
      return "affine";
    case ShiftMap::kNone:
      break;
  }
  return "no";
}

}  // namespace

void list_encodings() {
  std::cout << "found by checks: 8 channels (binary: 5), trained length 32\n"
            << std::left << std::setw(12) << "" << std::right;
  for (const char* head : {"unique", "shift", "extends", "fixed", "axes",
                           "relative", "bounded", "steady", "trained"}) {
    std::cout << std::setw(10) << head;
  }
  std::cout << "\n";
  for (const Properties& p : reference::encodings::all_properties()) {
    std::cout << std::left << std::setw(12) << p.name << std::right;
    for (const char* cell :
         {word(p.is_unique), word(p.shift), word(p.extends),
          word(p.has_fixed_rule), word(p.has_axes), word(p.is_relative),
          word(p.is_bounded), word(p.is_same_at_any_length)}) {
      std::cout << std::setw(10) << cell;
    }
    std::cout << std::setw(10) << p.trained << "\n";
  }
  std::cout << R"(
unique    no two positions are alike; of a relative one, no two distances
shift     PE(p + k) follows from PE(p) by one map for all p: )"
               R"(linear, affine, or none
extends   defined beyond the trained length
fixed     a rule, nothing trained
axes      channels for each of two axes: unique on a grid, every shift linear
relative  scores depend on the distance alone
bounded   every value is in [-1, 1]
steady    a position has the same values at any length
trained   how many numbers are
)";
}

}  // namespace ropeproof::tools
