// refuse.h -- what is wrong with an argument, in one form.
#ifndef ROPEPROOF_REFERENCE_REFUSE_H_
#define ROPEPROOF_REFERENCE_REFUSE_H_

#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace ropeproof::reference {

[[noreturn]] inline void refuse(const std::string& field,
                                const std::string& value,
                                const std::string& range) {
  throw std::invalid_argument(field + " is " + value + "; expected " + range);
}

// By bits, so that no compiler flag can argue it away.
inline bool is_finite(double x) {
  constexpr std::uint64_t kExponent = 0x7ff0000000000000u;
  return (std::bit_cast<std::uint64_t>(x) & kExponent) != kExponent;
}

}  // namespace ropeproof::reference

#endif  // ROPEPROOF_REFERENCE_REFUSE_H_
