#include "conformance/plugin/float_control.h"

#if defined(__x86_64__) || defined(__i386__)
#include <xmmintrin.h>
#endif
#include <cfenv>

namespace ropeproof::conformance::plugin {
namespace {

struct Bits {
  std::uint64_t vector;
  std::uint32_t x87;
  const char* name;
};

#if defined(__x86_64__) || defined(__i386__)
constexpr std::uint64_t kSticky = 0x3f, kFlush = 0x8000;
constexpr Bits kBits[] = {{0x6000, 0x0c00, "the rounding mode"},
                          {kFlush, 0, "flush-to-zero"},
                          {0x0040, 0, "denormals-are-zero"},
                          {0x1f80, 0x003f, "the exception masks"},
                          {0, 0x0300, "the x87 precision"}};
#elif defined(__aarch64__)
constexpr std::uint64_t kFlush = 1 << 24 | 1 << 19;
constexpr Bits kBits[] = {{0x3 << 22, 0, "the rounding mode"},
                          {kFlush, 0, "flush-to-zero"},
                          {1 << 25, 0, "default NaNs"},
                          {0x9f00, 0, "the exception masks"}};
#else
constexpr std::uint64_t kFlush = 0;  // not known
constexpr Bits kBits[] = {{~std::uint64_t{0}, 0, "the rounding mode"}};
#endif

}  // namespace

FloatControl FloatControl::now() {
  FloatControl control;
#if defined(__x86_64__) || defined(__i386__)
  control.vector = _mm_getcsr() & ~kSticky;
  std::uint16_t word = 0;
  asm volatile("fnstcw %0" : "=m"(word));
  control.x87 = word & 0x0f3f;  // the other bits mean nothing
#elif defined(__aarch64__)
  asm volatile("mrs %0, fpcr" : "=r"(control.vector));
#else
  control.vector = static_cast<std::uint64_t>(std::fegetround());
#endif
  return control;
}

bool differ_in_flushing(const FloatControl& before, const FloatControl& after) {
  return ((before.vector ^ after.vector) & kFlush) != 0;
}

std::string name_changes(const FloatControl& before,
                         const FloatControl& after) {
  const std::uint64_t vector = before.vector ^ after.vector;
  const std::uint32_t x87 = before.x87 ^ after.x87;
  std::string names;
  for (const Bits& bits : kBits) {
    if ((vector & bits.vector) == 0 && (x87 & bits.x87) == 0) continue;
    if (!names.empty()) names += ", ";
    names += bits.name;
  }
  return names;
}

}  // namespace ropeproof::conformance::plugin
