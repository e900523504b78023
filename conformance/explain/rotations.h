// rotations.h -- by what a wrong output was rotated, seen from input and output
// alone.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "conformance/cases/case.h"
#include "conformance/judge/output.h"

namespace ropeproof::conformance::explain {

// One pair of one token, over all heads of q and k.
struct Rotation {
  std::int64_t token = 0, pair = 0;
  double position = 0;  // on the pair's axis; with weights, their sum
  double angle = 0;     // of the forward direction, in (-pi, pi]
  double stretch = 0;   // length of the output over that of the input and |m|
};

// Which tensors of an output are looked at.
struct Tensors {
  bool q = true, k = true;
};

// The rotations of an output, by tokens, then pairs. Left out is what none
// explains: a pair of zeros, numbers that are not finite, heads that were
// rotated apart, q and k too.
// `table`: what cos and sin are held in.
std::vector<Rotation> rotations(const cases::Problem& problem,
                                const cases::Golden& golden,
                                std::uint32_t operation,
                                const judge::Output& output,
                                reference::Format table, Tensors tensors = {});

// The most that rounding alone does to such an angle, in rad, or to a stretch.
double rotation_noise(reference::Format format);

// The rest of an angle, in [-pi, pi], once whole circles are taken off:
// that of std::remainder, which in glibc takes a step for each binary digit of
// the quotient.
double in_half_circle(double angle);

// angle = times * x, up to whole circles.
struct Multiple {
  double times = 0, angle = 0;
  double noise = 0;  // of the angle, beyond that of all
};

// An x, known to within `error`; infinity: there is one, or several.
struct Estimate {
  double x = 0, error = 0;

  // Returns the whole number that it may be.
  std::optional<double> whole() const;
};

// Returns the x in [-limit, limit] that explains all angles to within `noise`
// and the rounding of f32. Where several do, `expected` is preferred, then
// -`expected`; an estimate with an infinite error says that another x may do so
// by chance. Returns nothing where no x explains them.
std::optional<Estimate> solve(std::vector<Multiple> multiples, double limit,
                              double noise, double expected);

}  // namespace ropeproof::conformance::explain
