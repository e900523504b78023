// digests.h -- everything that the kernels compute, as a few numbers that can be
// compared between SIMD targets and between machines.
#ifndef ROPEPROOF_FAST_BITS_DIGESTS_H_
#define ROPEPROOF_FAST_BITS_DIGESTS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace ropeproof::fast {

struct Digest {
  std::string name;  // "rotate f16 half-split adjoint"
  bool needs_fma;    // false: the same without fused multiply-add, too
  std::uint64_t value;
};

// One digest per kernel, type, pairing and direction, by the SIMD target that
// dispatch goes to, in an order that is always the same. Each covers many
// rotary_dims, windows and table types; values, among them NaNs, infinities,
// subnormals and ties; and positions, consecutive ones and others.
// Cost     about 0.3 s.
std::vector<Digest> digests();

}  // namespace ropeproof::fast

#endif  // ROPEPROOF_FAST_BITS_DIGESTS_H_
