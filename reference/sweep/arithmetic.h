// arithmetic.h -- whether this thread computes as IEEE 754 says.
//
// The fast path trusts the machine's arithmetic: rounding to nearest, no fused
// operation that the source does not ask for, no subnormal taken for zero. A
// compiler flag, a library linked with -ffast-math or a kernel that changed a
// control register breaks that without a trace in the code, and then wrong
// digits come out with nothing undecided. So it is asked first.
#pragma once

#include <stdexcept>
#include <string>

namespace ropeproof::reference::sweep {

struct ArithmeticError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// a*b + c with two roundings: what the compiler is to make of plain source.
double multiply_then_add(double a, double b, double c);

// What is wrong with the calling thread's arithmetic, and with
// `multiply_add`, in words; empty if nothing is.
std::string arithmetic_fault(
    double (*multiply_add)(double, double, double) = multiply_then_add);

// Throws ArithmeticError with these words. Some ten nanoseconds.
void require_arithmetic();

}  // namespace ropeproof::reference::sweep
