// engine.h -- staged truth: what a pipeline gives, bit for bit, and what it may
// give with another libm or compiler.
//
// A staged result is not the exact one: it is what a model was trained with.
// Every function here needs MPFR (elementary.h: available()) and throws
// std::invalid_argument without it.
#ifndef ROPEPROOF_REFERENCE_STAGED_ENGINE_H_
#define ROPEPROOF_REFERENCE_STAGED_ENGINE_H_

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/spec.h"
#include "reference/staged/pipeline.h"

namespace ropeproof::reference::staged {

// Numbers by name. Throws std::logic_error for a name that has no value.
class Values {
 public:
  double get(std::string_view name) const;
  void set(std::string_view name, double value);

 private:
  std::vector<std::pair<std::string_view, double>> values_;
};

// A pair's table entries as the engine stores them, forward.
struct Turn {
  double c = 0, s = 0;
};

// Closed; the ends are numbers of T.
struct Interval {
  double low = 0, high = 0;

  bool contains(double x) const { return low <= x && x <= high; }
};

// What a pipeline reads of a RoPE. Which channels make a pair is not its
// business: the layouts are permutations of one another (permutation.h).
struct Parameters {
  double base = 10000;          // 1 .. 2^64, keeps every frequency in range
  std::int64_t rotary_dim = 0;  // even, at least 2
  double amplitude = 1;         // m; not every pipeline knows it
  Direction direction = Direction::kForward;
};

// One output; numbers of T. Index n - 1: cos and sin within n ulp.
struct Element {
  double value = 0;                  // correctly rounded, nothing fused
  std::array<Interval, 2> unfused;   // nothing fused
  std::array<Interval, 2> any_form;  // fused or not
};

// One pipeline, for one type and one RoPE. Holds a reference to the pipeline.
class Engine {
 public:
  // Throws std::invalid_argument for parameters outside their range, a type or
  // an amplitude that the pipeline does not have.
  Engine(const Pipeline& pipeline, Format t, const Parameters& parameters);

  // The angle of pair j, radians. Here and below throws std::invalid_argument
  // for |position| > 2^53 and std::out_of_range for j beyond the last pair.
  double angle(std::int64_t position, std::int64_t j) const;

  // cos and sin correctly rounded.
  Turn turn(std::int64_t position, std::int64_t j) const;

  // All that the table may hold if cos and sin are within `ulps` units in the
  // last place of their correctly rounded values, and at most 1: c and s each
  // between those of the two turns. Both are exact where the angle is 0.
  std::array<Turn, 2> turns_within(int ulps, std::int64_t position,
                                   std::int64_t j) const;

  // One output of a pair. x_u and x_v are numbers of T.
  double rotate(Output output, Fused fused, const Turn& turn, double x_u,
                double x_v) const;

  // All that an output may be, from the turns within and in any of the forms.
  //
  // The four corners of the box [c] x [s] suffice. With the form and x fixed,
  // an output is f(c, s) = round_T(round_W(A + B)), where each of A and B is
  // the product of c or s with +-x_u or +-x_v, rounded or not. Rounding is
  // monotone, and so are a product with a constant and a sum. So for fixed s, f
  // is monotone in c, in a direction that only the sign of x decides, and for
  // fixed c in s. A function that is monotone in each argument, in a direction
  // that does not depend on the other, has its extremes on a box at corners.
  // The same argument carries the ends of [cos] and [sin] through the storage.
  Interval rotate_within(Output output, std::span<const Fused> forms,
                         const std::array<Turn, 2>& turns, double x_u,
                         double x_v) const;

  // y_u and y_v for each of `x`, pairs (x_u, x_v) that share a position and
  // an index, as the heads of a token do. Throws std::invalid_argument for x
  // that are no numbers of T, or so large that a sum may overflow: beyond a
  // quarter of the largest one, divided by |m| if that is more than 1. Cost:
  // about 20 us, and 50 us per pair.
  std::vector<std::array<Element, 2>> elements(
      std::int64_t position, std::int64_t j,
      std::span<const std::array<double, 2>> x) const;

 private:
  void run(std::span<const Step> steps, Values& values) const;
  Values angle_values(std::int64_t position, std::int64_t j) const;
  Turn stored(Values values, double cos, double sin) const;

  const Pipeline& pipeline_;
  Format t_;
  Parameters parameters_;
  std::vector<Values> frequencies_;  // of each pair
};

}  // namespace ropeproof::reference::staged

#endif  // ROPEPROOF_REFERENCE_STAGED_ENGINE_H_
