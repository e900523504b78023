#include "reference/sweep/arithmetic.h"

namespace ropeproof::reference::sweep {

namespace {

// Where the processor has a fused operation, compiled for it: only there could
// the compiler use it.
#if defined(__x86_64__)
[[gnu::target("fma")]] double on_fused_hardware(double a, double b, double c) {
  return a * b + c;
}
#endif

}  // namespace

double multiply_then_add(double a, double b, double c) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("fma")) return on_fused_hardware(a, b, c);
#endif
  return a * b + c;
}

std::string arithmetic_fault(double (*multiply_add)(double, double, double)) {
  // volatile: what the machine does, not what the compiler would.
  const volatile double one = 1, above_half_ulp = 0x1.8p-53,
                        below_half_ulp = 0x1p-54;
  const volatile double up = one + above_half_ulp, same = one + below_half_ulp,
                        down = -one - above_half_ulp,
                        negative = -one - below_half_ulp;
  if (up != 1 + 0x1p-52 || same != 1 || down != -1 - 0x1p-52 ||
      negative != -1) {
    return "this thread does not round to nearest; restore FE_TONEAREST";
  }

  const volatile double smallest_normal = 0x1p-1022;
  const volatile double subnormal = smallest_normal / 2;
  const volatile double again = subnormal * 2;
  if (subnormal == 0 || again != 0x1p-1022) {
    return "this thread flushes subnormal numbers to zero; clear FTZ and DAZ, "
           "and link nothing with -ffast-math";
  }

  // (1 + 2^-30)^2 = 1 + 2^-29 + 2^-60, whose last term a rounded product loses.
  const volatile double a = 1 + 0x1p-30, c = -(1 + 0x1p-29);
  if (multiply_add(a, a, c) != 0) {
    return "the compiler fuses a*b + c; build with -ffp-contract=off";
  }
  return {};
}

void require_arithmetic() {
  const std::string fault = arithmetic_fault();
  if (!fault.empty()) throw ArithmeticError("sweep: " + fault);
}

}  // namespace ropeproof::reference::sweep
