// pipeline.h -- what a kernel computes, piece by piece: the parameters of a wrong one.
#ifndef ROPEPROOF_CONFORMANCE_WRONG_PIPELINE_H_
#define ROPEPROOF_CONFORMANCE_WRONG_PIPELINE_H_

#include <ropeproof_kernel.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "reference/format.h"
#include "reference/rope.h"

namespace ropeproof::conformance::wrong {

// Where one head lies: what a bug may confuse.
struct HeadIndex {
  std::int64_t batch, token, head;
  bool is_key = false;
};

// What one channel of a pair is formed by.
struct CosSin {
  double c, s;
};

// Which subnormal numbers become 0.
enum class Flush { kNone, kInputs, kProducts, kOutputs };

struct Yarn;  // (R10) by its parts, of yarn_mutations.cc

struct Pipeline {
  // theta_j of a problem, and the angle at a position.
  std::function<double(const ropeproof_problem&, std::int64_t j)> frequency;
  std::function<double(double position, double theta)> angle;
  // What changes the parts of YaRN, and the scaling itself, where `frequency` does not
  // take what is due: two bugs may meet in it.
  std::function<void(Yarn&)> yarn_parts;
  std::function<double(const Yarn&, double theta)> yarn_scale;
  // Of pair j: the position on its axis, or the weighted sum over all axes.
  std::function<double(const ropeproof_problem&, const HeadIndex&,
                       std::int64_t j)>
      position;
  // Whose position, id and row of a table a head takes; without it, its own.
  std::function<HeadIndex(const ropeproof_problem&, HeadIndex)> taken_for;
  // The row of a cache; without it, the id.
  std::function<std::int64_t(const ropeproof_problem&, const HeadIndex&)> row;
  // The entry of a table that channel t of the window takes; without it, that of its
  // pair.
  std::function<std::int64_t(const reference::Spec&, std::int64_t t)> entry;
  // Where pair j is read from; where it is written follows from the layout, unless
  // `target` says it.
  std::function<reference::Pair(const reference::Spec&, std::int64_t)> pair;
  std::function<reference::Pair(const reference::Spec&, std::int64_t)> target;
  // Changes the rotation, given the pair's index and the number of pairs; of tables
  // that are given, too.
  std::function<void(double& c, double& s, std::int64_t j, std::int64_t pairs)>
      adjust_rotation;
  // The same, knowing the problem.
  std::function<void(const ropeproof_problem&, const HeadIndex&, double& c,
                     double& s)>
      adjust_in_problem;
  // Changes it where y_u = u.c x_u - u.s x_v and y_v = v.s x_u + v.c x_v.
  std::function<void(CosSin& u, CosSin& v)> adjust_channels;
  std::function<double(double)> amplitude;
  // What becomes of a channel outside the window; without it, its bits are copied.
  std::function<double(double x, double m)> outside;
  reference::Format table = reference::Format::kF32;
  // What results are rounded to where tensors are wider than they: binary64 tensors
  // then hold the results of a kernel for this type, before their last rounding.
  std::optional<reference::Format> dtype;
  std::optional<reference::Format> inputs;  // what elements are rounded to
  bool round_each = false;       // every product and sum to the dtype
  bool is_f32 = false;           // arithmetic in f32, whatever the dtype
  bool truncates = false;        // whatever becomes 16 bits
  bool round_half_away = false;  // of what becomes 16 bits
  Flush flush = Flush::kNone;
  bool is_fused = false;          // a multiply-add rounds once
  bool uses_low_part = false;     // products of `angle` in twice binary64
  bool overwrites_input = false;  // y_v formed from y_u
  bool ignores_direction = false;
  bool ignores_strides = false;
  bool leaves_outside = false;               // channels outside the window
  bool reads_outside_densely = false;        // the same
  bool spares_outside_out_of_place = false;  // from `outside`
  bool rotates_next_blocks = false;          // as many windows as follow
  bool rotates_a_pair_too_many = false;      // right behind the last channel
  // Shows nowhere but where rows lie beyond 2^16 or 2^32 elements.
  bool needs_distance = false;
  // Where a head begins, of the element that the strides say.
  std::function<std::int64_t(std::int64_t)> offset;
  // What the kernel takes the problem for.
  std::function<void(ropeproof_problem&)> misread;
  // The source of each channel of a weight; without it, the specification's.
  std::function<std::vector<std::size_t>(const reference::Layout&)> permutation;
  bool permutes_numbers = false;  // not bits: NaNs become quiet
  // The heads that are not written.
  std::function<bool(const ropeproof_problem&, const HeadIndex&)> leaves;
  std::int64_t bytes_past_the_end = 0;
  // Reads of positions and ids that go further meet a guard page, not the zone
  // behind them.
  bool is_guarded = false;
  bool changes_input = false;
};

// The position of a head's token on an axis; 0 where there is no such token or axis.
double position_on(const ropeproof_problem& p, const HeadIndex& index,
                   std::int64_t axis);

double truncated(reference::Format format, double value);
// To nearest, ties away from zero.
double rounded_half_away(reference::Format format, double value);
// An angle in f32, reduced by Cody and Waite with two constants for a full circle,
// as fast trigonometry does.
double reduced_in_f32(double angle);
// base^(-2j/dim) in binary64.
double power(double base, std::int64_t j, std::int64_t dim);

// Class A0: the angle in twice binary64.
Pipeline exact_pipeline();
// Classes A1 (pow or exp2) and A2, as engines write them in f32.
Pipeline f32_pipeline();
Pipeline exp2_pipeline();
Pipeline iterated_pipeline();

}  // namespace ropeproof::conformance::wrong

#endif  // ROPEPROOF_CONFORMANCE_WRONG_PIPELINE_H_
