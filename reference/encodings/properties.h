// properties.h -- what an encoding is good for, found out by trying.
//
// A tutorial asks five properties of an encoding and ticks them in a table.
// Here each tick is a check on certified numbers: 8 channels (binary: 5), a
// trained length of 32.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ropeproof::reference::encodings {

// How PE(p + k) follows from PE(p), by a map that does not depend on p.
enum class ShiftMap { kLinear, kAffine, kNone };

struct Properties {
  std::string_view name;

  // (1) No two positions have the same values; of a relative encoding, no two
  // keys at or behind their query.
  bool is_unique = false;
  // (2) Nothing where there is no PE(p).
  std::optional<ShiftMap> shift = {};
  // (3) It is defined beyond the trained length, and whether a position keeps
  // its values when the length grows.
  bool extends = false, is_same_at_any_length = false;
  // (4) Nothing is trained; and how many numbers are, for 32 positions.
  bool has_fixed_rule = false;
  std::int64_t trained = 0;
  // (5) Two axes with channels of their own: unique on a grid, and every shift
  // of both is linear. Nothing where there is no PE(p).
  std::optional<bool> has_axes = {};

  // Scores depend on the distance alone.
  bool is_relative = false;
  // Every value is in [-1, 1].
  bool is_bounded = false;
};

// The properties of all encodings, and of RoPE: R(p) in place of PE(p). Cost:
// some 0.1 s.
std::vector<Properties> all_properties();

}  // namespace ropeproof::reference::encodings
