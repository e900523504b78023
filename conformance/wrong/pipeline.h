// pipeline.h -- what a kernel computes, step by step, as data: a right kernel
// or, once a mutation (mutation.h) has changed a step, a wrong one.
#pragma once

#include <ropeproof_kernel.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "conformance/wrong/kept.h"
#include "reference/format.h"
#include "reference/rope.h"

namespace ropeproof::conformance::wrong {

// A head by its place among the others, which a bug may confuse.
struct HeadIndex {
  std::int64_t batch, token, head;
  bool is_key = false;
};

// Pair j of one head: where a step of the pipeline stands.
struct PairIndex : HeadIndex {
  const ropeproof_problem& p;
  std::int64_t j = 0;
};

using CosSin = reference::CosSin<double>;

// Which subnormal numbers become 0.
enum class Flush { kNone, kInputs, kProducts, kOutputs };

// How a c + b s is rounded, in f32 or f64: each product and the sum; a
// multiply-add that rounds once, of the first product or of the second; once,
// from wider arithmetic.
enum class Products { kRounded, kFirstFused, kSecondFused, kOnce };

// How an angle is formed of a position and a frequency: in binary64; of numbers
// of a format, in it; in binary64, then rounded to a format.
using AngleForm = std::function<double(double position, double theta)>;

struct Yarn;  // (R10) by its parts, in yarn_mutations.cc

struct Pipeline {
  // --- the frequency of a pair ---
  std::function<double(const ropeproof_problem&, std::int64_t j)> frequency;
  // Bugs in YaRN change its parts here, all together; `frequency` then forms
  // it.
  std::function<void(Yarn&)> yarn;

  // --- the position, and the angle at it ---
  // The position of the pair on its axis, or the weighted sum over all axes.
  std::function<double(const PairIndex&)> position;
  // Makes a head the one whose position, id and row of a table it takes.
  std::function<void(const ropeproof_problem&, HeadIndex&)> taken_for;
  // The row of a cache, if not the id; beyond the cache, the nearest one.
  std::function<std::int64_t(const ropeproof_problem&, const HeadIndex&,
                             std::int64_t id)>
      row;
  AngleForm angle;
  bool uses_low_part = false;  // sums and products of it in twice binary64

  // --- the channels of a pair ---
  // The channels that pair j is read from; those that it is written to follow
  // from the layout, unless `target` says them.
  std::function<reference::Pair(const reference::Spec&, std::int64_t)> pair;
  std::function<reference::Pair(const reference::Spec&, std::int64_t)> target;
  // The entry of a table that channel t of the window takes, if not its pair's.
  std::function<std::int64_t(const reference::Spec&, std::int64_t t)> entry;
  // The source of each channel of a weight, if not the specification's.
  std::function<std::vector<std::size_t>(const reference::Layout&)> permutation;
  bool permutes_numbers = false;  // not bits: NaNs become quiet

  // --- the rotation ---
  std::function<double(double)> amplitude;
  // Changes a rotation, of a table that is given, too.
  std::function<void(const PairIndex&, CosSin&)> adjust_rotation;
  // Changes it once its direction is known.
  std::function<void(const PairIndex&, CosSin&)> adjust_directed;
  // Changes it where y_u = u.c x_u - u.s x_v and y_v = v.s x_u + v.c x_v.
  std::function<void(CosSin& u, CosSin& v)> adjust_channels;
  bool ignores_direction = false;
  bool overwrites_input = false;  // y_v formed from y_u

  // --- the channels outside the window ---
  // The number that becomes of one; nothing where its bits are copied.
  std::function<std::optional<double>(double x, double m, bool is_in_place)>
      outside;
  bool leaves_outside = false;
  bool reads_outside_densely = false;
  bool rotates_next_blocks = false;      // as many windows as follow
  bool rotates_a_pair_too_many = false;  // right behind the last channel

  // --- roundings ---
  reference::Format table = reference::Format::kF32;
  // The type of results where tensors are wider than they: binary64
  // tensors then hold the results of a kernel for this type, before their last
  // rounding.
  std::optional<reference::Format> dtype;
  std::function<double(double)> input;    // what elements are rounded to
  std::function<double(double)> product;  // and products, before they are added
  std::function<double(double)> result;   // and sums, before they are stored
  bool round_each = false;                // every product and sum to the dtype
  bool is_f32 = false;           // arithmetic in f32, whatever the dtype
  bool truncates = false;        // whatever becomes 16 bits
  bool round_half_away = false;  // of what becomes 16 bits
  Flush flush = Flush::kNone;
  Products products = Products::kRounded;  // and their sum

  // --- memory ---
  // Makes the problem the one that the kernel takes it for.
  std::function<void(ropeproof_problem&)> misread;
  // The element that a head begins at, of the one that the strides say.
  std::function<std::int64_t(std::int64_t)> offset;
  // The heads that are not written.
  std::function<bool(const ropeproof_problem&, const HeadIndex&)> leaves;
  bool repeats = false;  // each head: in place, over what it has written
  // A change shows nowhere but where rows lie beyond 2^16 or 2^32 elements.
  bool needs_distance = false;
  // Reads of positions and ids that go further meet a guard page, not the zone
  // behind them.
  bool is_guarded = false;
  bool changes_input = false;
  std::int64_t bytes_past_the_end = 0;

  // --- from call to call ---
  Kept kept;
};

// The position of a head's token on an axis; 0 where there is no such token or
// axis.
double position_on(const ropeproof_problem& p, const HeadIndex& index,
                   std::int64_t axis);

// What binary64 has lost of a position, where that is the weighted sum of
// several; 0 where it is no such sum.
double position_remainder(const PairIndex& at, double position);

// The value cut to the format; and rounded to nearest, ties away from zero.
double truncated(reference::Format format, double value);
double rounded_half_away(reference::Format format, double value);
// The value in so many significant bits, of any exponent; ties to even.
double rounded_to_bits(double value, int bits);
// The power base^(-2j/dim) in binary64.
double power(double base, std::int64_t j, std::int64_t dim);
// The frequency theta_j as it is due, with its scaling.
double due_frequency(const ropeproof_problem& p, std::int64_t j);

AngleForm wide_product();
AngleForm product_in(reference::Format format);
AngleForm rounded_product(reference::Format format);
// An angle in f32, reduced by Cody and Waite with two constants for a full
// circle, as fast trigonometry does.
double reduced_in_f32(double angle);

// How engines form base^(-2j/r) in f32.
struct F32Power {
  const char* words;
  std::uint32_t angle_class, power;  // of the claim that it needs
  float (*theta)(float base, float r, float j);
};
enum class PowerForm { kReciprocal, kPow, kExp2, kExp, kIterated };
// The f32 power of each PowerForm, in that order.
std::span<const F32Power> f32_powers();

// A kernel of class A0, with the angle in twice binary64.
Pipeline exact_pipeline();
// A kernel of class A1 or A2, as engines write them in f32.
Pipeline f32_pipeline(PowerForm form = PowerForm::kReciprocal);

}  // namespace ropeproof::conformance::wrong
