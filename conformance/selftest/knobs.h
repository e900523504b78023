// knobs.h -- what a test kernel computes, piece by piece.
#ifndef ROPEPROOF_CONFORMANCE_SELFTEST_KNOBS_H_
#define ROPEPROOF_CONFORMANCE_SELFTEST_KNOBS_H_

#include <ropeproof_kernel.h>

#include <cstdint>
#include <functional>

#include "reference/format.h"
#include "reference/rope.h"

namespace ropeproof::conformance::selftest {

// Where one head lies: what a bug may confuse.
struct HeadIndex {
  std::int64_t batch, token, head;
  bool is_key = false;
};

// Which subnormal numbers become 0.
enum class Flush { kNone, kInputs, kProducts, kOutputs };

struct Knobs {
  // theta_j of a problem, and the angle at a position.
  std::function<double(const ropeproof_problem&, std::int64_t j)> frequency;
  std::function<double(double position, double theta)> angle;
  // Of pair j: the position on its axis, or the weighted sum over all axes.
  std::function<double(const ropeproof_problem&, const HeadIndex&,
                       std::int64_t j)>
      position;
  // Where pair j is read from; where it is written follows from the layout.
  std::function<reference::Pair(const reference::Spec&, std::int64_t)> pair;
  // Changes the rotation, given the pair's index and the number of pairs.
  std::function<void(double& c, double& s, std::int64_t j, std::int64_t pairs)>
      adjust_rotation;
  // The same, knowing the problem.
  std::function<void(const ropeproof_problem&, const HeadIndex&, double& c,
                     double& s)>
      adjust_in_problem;
  std::function<double(double)> amplitude;
  // What becomes of a channel outside the window; without it, its bits are copied.
  std::function<double(double x, double m)> outside;
  reference::Format table = reference::Format::kF32;
  bool round_each = false;       // every product and sum to the dtype
  bool is_f32 = false;           // arithmetic in f32, whatever the dtype
  bool truncates = false;        // whatever becomes 16 bits
  bool round_half_away = false;  // of what becomes 16 bits
  Flush flush = Flush::kNone;
  bool is_fused = false;          // a multiply-add rounds once
  bool uses_low_part = false;     // the angle in twice binary64
  bool overwrites_input = false;  // y_v formed from y_u
  bool ignores_direction = false;
  bool ignores_strides = false;
  bool writes_with_input_strides = false;
  bool reads_outside_densely = false;    // channels outside the window
  bool zeroes_outside_in_place = false;  // the same
  bool rotates_a_pair_too_many = false;  // right behind the last channel
  // Where a head begins, of the element that the strides say.
  std::function<std::int64_t(std::int64_t)> offset;
  // What the kernel takes the problem for.
  std::function<void(ropeproof_problem&)> misread;
  bool permutes_numbers = false;  // not bits: NaNs become quiet
  bool only_first_batch_row = false;
  std::int64_t heads_skipped = 0;
  std::int64_t bytes_past_the_end = 0;
  bool changes_input = false;
};

double rounded(reference::Format format, double value);
double truncated(reference::Format format, double value);
// To nearest, ties away from zero.
double rounded_half_away(reference::Format format, double value);
// base^(-2j/dim) in binary64.
double power(double base, std::int64_t j, std::int64_t dim);

// Class A0: the angle in binary64 with the frequency's low part.
Knobs exact_knobs();
// Classes A1 (pow or exp2) and A2, as engines write them in f32.
Knobs f32_knobs();
Knobs exp2_knobs();
Knobs iterated_knobs();

}  // namespace ropeproof::conformance::selftest

#endif  // ROPEPROOF_CONFORMANCE_SELFTEST_KNOBS_H_
