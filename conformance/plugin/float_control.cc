#include "conformance/plugin/float_control.h"

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
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
constexpr unsigned kDefault = 0x1f80;
constexpr std::uint32_t kInUse = 1 << 16, kBackwards = 1 << 17;
constexpr std::uint64_t kDirection = 1 << 10;  // of the flags

// What fnstenv stores.
struct X87Environment {
  std::uint16_t control, unused, status, unused_too, tags, unused_again;
  std::uint32_t last_instruction[4];
};
constexpr std::uint16_t kAllEmpty = 0xffff;
constexpr Bits kBits[] = {{0x6000, 0x0c00, "the rounding mode"},
                          {kFlush, 0, "flush-to-zero"},
                          {0x0040, 0, "denormals-are-zero"},
                          {0x1f80, 0x003f, "the exception masks"},
                          {0, 0x0300, "the x87 precision"},
                          {0, kInUse, "the x87 registers (emms?)"},
                          {0, kBackwards, "the direction flag"}};
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
  const auto flags = static_cast<std::uint64_t>(__readeflags());
  asm volatile("cld");  // before the compiler copies anything
  control.vector = _mm_getcsr() & ~kSticky;
  X87Environment x87;
  // The store masks all exceptions; loading the control word unmasks them, in
  // a tenth of the time that loading all of it takes.
  asm volatile("fnstenv %0\n\tfldcw %0" : "=m"(x87));
  control.x87 = x87.control & 0x0f3f;  // the other bits mean nothing
  if (x87.tags != kAllEmpty) control.x87 |= kInUse;
  if ((flags & kDirection) != 0) control.x87 |= kBackwards;
#elif defined(__aarch64__)
  asm volatile("mrs %0, fpcr" : "=r"(control.vector));
#else
  control.vector = static_cast<std::uint64_t>(std::fegetround());
#endif
  return control;
}

void FloatControl::reset() {
#if defined(__x86_64__) || defined(__i386__)
  // fesetenv() leaves what registers hold, and takes three times as long.
  asm volatile("cld\n\tfninit");
  _mm_setcsr(kDefault);
#else
  std::fesetenv(FE_DFL_ENV);
#endif
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
