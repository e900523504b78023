// float_control.h -- how a thread's processor is set, as far as calls must
// leave it so.
#pragma once

#include <cstdint>
#include <string>

namespace ropeproof::conformance::plugin {

// The control bits of the calling thread, without the sticky flags that every
// inexact result raises. x86: MXCSR and the x87 control word, and above that
// whether the x87 registers hold something and whether strings are copied
// backwards; AArch64: FPCR.
struct FloatControl {
  std::uint64_t vector = 0;
  std::uint32_t x87 = 0;

  // Reads them; strings are copied forwards from then on.
  static FloatControl now();
  // Sets all of them as a program finds them when it starts.
  static void reset();
  bool operator==(const FloatControl&) const = default;
};

// Whether only one of the two flushes subnormal results to zero.
bool differ_in_flushing(const FloatControl& before, const FloatControl& after);

// Returns what differs in words: "the rounding mode, flush-to-zero".
std::string name_changes(const FloatControl& before, const FloatControl& after);

}  // namespace ropeproof::conformance::plugin
