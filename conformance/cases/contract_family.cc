// What a kernel may declare beyond the plain call, in combinations: a feature
// that works alone and fails beside another one is how these bugs ship.
#include "conformance/cases/families.h"
#include "conformance/cases/family.h"

namespace ropeproof::conformance::cases {
namespace {

using reference::Direction;
using reference::Format;
using reference::leading;
using reference::Pairing;
using reference::trailing;

constexpr Pairing kPairings[] = {Pairing::kInterleaved, Pairing::kHalfSplit};

RopeCase plain(Format dtype, const reference::Layout& layout) {
  return make_case(dtype, layout, 1e4, 2, 3, 3, 2, {3, 259, 17, 9, 0, 1021});
}

void add_adjoint(Family& family, Pairing pairing) {
  for (const Format dtype : {Format::kF32, Format::kBF16}) {
    RopeCase c = plain(dtype, leading(24, 16, pairing));
    c.spec.direction = Direction::kAdjoint;
    c.spec.frequencies.amplitude = 1.3465735902799727;  // YaRN, factor 32
    family.add(c,
               {"rotation/direction-reversed", "window/outside-not-copied",
                "scaling/amplitude-misapplied", "rotation/backward-wrong"},
               "adjoint of a partial head with amplitude, q and k");
  }
}

void add_amplitude(Family& family, Pairing pairing) {
  for (const Format dtype : {Format::kF32, Format::kBF16}) {
    RopeCase c = plain(dtype, leading(24, 16, pairing));
    c.spec.frequencies.amplitude = 1.4852030263919618;  // YaRN, factor 128
    family.add(c, {"window/outside-not-copied", "scaling/amplitude-misapplied"},
               "amplitude away from position 0");
  }
}

void add_memory(Family& family, Pairing pairing) {
  for (const Memory memory :
       {Memory::kStrided, Memory::kInPlace, Memory::kStridedInPlace}) {
    RopeCase c = plain(Format::kF32, leading(24, 16, pairing));
    c.memory = memory;
    family.add(c,
               {"window/outside-not-copied", "memory/strides-ignored",
                "memory/aliasing", "shape/heads-miscounted"},
               "a partial head, q and k, gaps of their own in and out");
  }
  RopeCase c = plain(Format::kBF16, trailing(24, 16, pairing));
  c.memory = Memory::kStrided;
  family.add(c,
             {"window/outside-not-copied", "window/wrong-end",
              "memory/strides-ignored"},
             "a window at the end, strided");
}

void add_half(Family& family, Pairing pairing) {
  family.add(plain(Format::kF16, leading(16, 16, pairing)),
             {"layout/pairs-swapped", "frequency/wrong-exponent",
              "position/shared-across-batch", "shape/heads-miscounted"},
             "f16, full head");
  RopeCase c = plain(Format::kF16, leading(24, 16, pairing));
  c.memory = Memory::kStridedInPlace;
  family.add(c,
             {"window/outside-overwritten", "window/outside-not-copied",
              "memory/strides-ignored"},
             "f16, partial head, strided in place");
}

void add_negative(Family& family, Pairing pairing) {
  for (const Format dtype : {Format::kF32, Format::kBF16}) {
    RopeCase c = plain(dtype, leading(16, 16, pairing));
    c.positions = {-3, 259, -17, -9, 0, -1021};
    family.add(c, {"rotation/direction-reversed", "position/shift-lost"},
               "negative positions, q and k");
  }
}

}  // namespace

Group contract_family() {
  Family family("core", "contract",
                "Features of the ABI in combinations: adjoint, amplitude, "
                "memory layouts, negative positions, f16, with partial heads "
                "and with q and k of their own sizes.");
  for (const Pairing pairing : kPairings) {
    add_adjoint(family, pairing);
    add_amplitude(family, pairing);
    add_memory(family, pairing);
    add_half(family, pairing);
    add_negative(family, pairing);
  }
  return family.take();
}

}  // namespace ropeproof::conformance::cases
