// output.h -- what a kernel answered, as numbers alone.
#pragma once

#include <string>
#include <tuple>

#include "conformance/cases/problem.h"

namespace ropeproof::conformance::judge {

// What a kernel returned, as bit patterns in the order of the problem's
// tensors.
struct Output {
  cases::Bits q, k;      // rotate, rope, lookup; permute: q alone
  cases::Bits cos, sin;  // table
  cases::Bits inv_freq;  // frequencies
  std::string stray;     // a write outside the outputs, in words; empty if none

  bool operator==(const Output&) const = default;
};

// Whether the values are the same, whatever was written beside them.
inline bool same_bits(const Output& a, const Output& b) {
  const auto bits = [](const Output& o) {
    return std::tie(o.q, o.k, o.cos, o.sin, o.inv_freq);
  };
  return bits(a) == bits(b);
}

}  // namespace ropeproof::conformance::judge
