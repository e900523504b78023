// shapes.h -- problems of a size that a kernel takes.
#ifndef ROPEPROOF_CONFORMANCE_IDENTIFY_SHAPES_H_
#define ROPEPROOF_CONFORMANCE_IDENTIFY_SHAPES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "conformance/identify/prober.h"

namespace ropeproof::conformance::identify {

enum class Window { kWhole, kLeading, kInside };

// What a problem is to be.
struct Wanted {
  std::uint32_t operation = ROPEPROOF_ROPE;
  reference::Format dtype = reference::Format::kF32;
  reference::Pairing pairing = reference::Pairing::kHalfSplit;
  Window window = Window::kWhole;
  std::int64_t batch = 1, seq = 1;
  bool has_many_heads = false;
  double base = 10000;
  std::vector<double> positions = {
      1};  // begun again where there are more tokens
};

// The first of the usual sizes that the kernel takes, with goldens of elements
// drawn from a fixed seed.
std::optional<cases::Case> shaped(Prober& prober, const Wanted& wanted);

// The dtypes and pairings that it declares, those that show most first.
std::vector<reference::Format> dtypes_of(const plugin::Description& kernel);
std::vector<reference::Pairing> pairings_of(const plugin::Description& kernel);

// Number i of those around 1, of both signs, the same each time.
double drawn(reference::Format format, std::uint64_t i);

}  // namespace ropeproof::conformance::identify

#endif  // ROPEPROOF_CONFORMANCE_IDENTIFY_SHAPES_H_
