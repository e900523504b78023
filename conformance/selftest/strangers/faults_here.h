// faults_here.h -- a program's faults at one place of a call.
#pragma once

#include <ropeproof_kernel.h>

#include "conformance/selftest/strangers/program.h"

namespace ropeproof::conformance::selftest::strangers {

// How often a turn of a loop is done, and as which.
struct Turn {
  int times = 1;
  std::int64_t index = 0;
};

// What a condition reads, and what the faults make of the kernel's numbers.
class Here {
 public:
  Here(const Program& program, const ropeproof_problem& p, std::int64_t calls)
      : program_(program), p_(p), calls_(calls) {}

  bool is_key = false;
  std::int64_t batch = 0, token = 0, head = 0, pair = 0;
  double position = 0;
  double angle = 0;
  double magnitude = 0;  // of the number at hand

  const ropeproof_tensor& tensor() const { return is_key ? p_.k : p_.q; }

  Turn turn(Point loop, std::int64_t index, std::int64_t count) const;
  // An index; `dense` is what it would be in dense memory.
  std::int64_t index(Point point, std::int64_t i, std::int64_t dense) const;
  double number(Point point, double x) const;
  // The fault of this kind that strikes, or null.
  const Fault* find(Point point, Op op) const;
  // Whether it could strike somewhere in this call.
  bool has(Point point) const;

 private:
  bool holds(const Fault& fault) const {
    return !fault.when || holds(*fault.when);
  }
  bool holds(const When& when) const;
  double feature(Feature f) const;

  const Program& program_;
  const ropeproof_problem& p_;
  std::int64_t calls_;
};

}  // namespace ropeproof::conformance::selftest::strangers
