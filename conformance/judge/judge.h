// judge.h -- one output beside its goldens.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "conformance/cases/golden.h"
#include "conformance/cases/problem.h"
#include "conformance/judge/output.h"
#include "conformance/judge/tolerance.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::judge {

// A tensor that a call writes.
enum class Tensor { kQ, kK, kCos, kSin, kInvFreq, kPermuted };

inline constexpr text::Words<Tensor, 6> kTensorWords{
    {{Tensor::kQ, "q"},
     {Tensor::kK, "k"},
     {Tensor::kCos, "cos"},
     {Tensor::kSin, "sin"},
     {Tensor::kInvFreq, "inv_freq"},
     {Tensor::kPermuted, "permuted"}}};
constexpr const auto& table_of(Tensor) { return kTensorWords; }

// One element of an output, judged.
struct Element {
  Tensor tensor = Tensor::kQ;
  std::int64_t batch = 0, token = 0, head = 0, channel = 0;
  std::int64_t pair = -1;  // -1: outside the window, or not a rotation
  double position = 0;     // on the pair's axis; the first where it has several
  bool is_origin = false;  // the angle is zero
  std::uint64_t got_bits = 0, want_bits = 0;  // in `format`
  reference::Format format = reference::Format::kF32;
  double got = 0, want = 0;  // `want` is the golden, not rounded
  double error = 0, bound = 0;
  double ratio() const;  // error / bound; 0/0 is 0
};

// Elements by the size of their position, that of the pair's axis: entry k
// counts 2^(k - 1) <= |p| < 2^k, entry 0 positions below 1.
using ByPosition = std::array<std::int64_t, 64>;

// What all elements of one output add up to. Nothing is averaged: an element is
// wrong if it misses its own bound.
struct Measurement {
  std::int64_t elements = 0;
  std::int64_t wrong = 0;    // beyond the claim's bound
  std::int64_t vacuous = 0;  // bound accepts any rotation: of these
                             // the length of the pair is judged
  // Elements with an angle that the kernel formed, and the vacuous ones.
  ByPosition at_positions{}, vacuous_at{};
  double highest_position = 0;   // |p| of these
  std::int64_t not_nearest = 0;  // not the golden, correctly rounded
  // Outside the window: the number of x, but another NaN or zero, or a NaN in a
  // row that has an infinity or a NaN there.
  std::int64_t other_bits = 0;
  std::int64_t beyond_structure = 0;  // beyond kStructuralBound, A1's angle
  double max_norm_ulp = 0;            // error in ulp of the pair's length
  // Phase error over 4 |phi| 2^-24 + 2^-22, the largest of any pair; below 0
  // where no angle could be seen. Of f32 and f64 outputs alone: a rounding to
  // 16 bits hides it.
  double phase_rho = -1;
  // The largest phase error, of vacuous elements too, at most pi / 2, and its
  // position; of equal ones it is the position nearest to 0.
  double phase_error = 0;  // rad
  double phase_position = 0;
  // Largest error over the bound of class A0, A1, A2, all else as claimed.
  std::array<double, 3> class_ratio{};
  std::optional<Element> first_wrong;
  std::optional<Element> worst;  // of those that are wrong, or not vacuous

  bool pass() const { return wrong == 0; }
};

struct Spread;  // of spread.h

// Judges an output of the problem's operation; ROPEPROOF_PERMUTE for a
// permutation, which needs no claim. A function of its arguments alone: not of
// other cases, nor of threads. To `spread`, if given, all elements of rotations
// and tables are added. Cost: below 20 ns per element, with a spread 30.
Measurement judge(const cases::Problem& problem, const cases::Golden& golden,
                  std::uint32_t operation, const Claim& claim,
                  const Output& output, Spread* spread = nullptr);

// One element beside its bound.
struct Mark {
  double bound = 0;
  bool is_wrong = false;
  bool is_vacuous = false;  // the bound accepts any rotation
};

// An output with a mark for each element, in the order of its tensors: q, then
// k; cos, then sin.
struct Judged {
  Measurement all;
  std::vector<Mark> marks;
};

// Gives the measurement of judge() and all marks. Cost: 30 ns per element.
Judged judge_each(const cases::Problem& problem, const cases::Golden& golden,
                  std::uint32_t operation, const Claim& claim,
                  const Output& output);

// Returns the bounds of q's elements, then of k's, around the numbers `want`,
// which take the place of golden.q and golden.k: these are not read. For finite
// numbers. Cost: some 5 ns an element.
std::vector<double> bounds_of(const cases::Problem& problem,
                              const cases::Golden& golden,
                              std::uint32_t operation, const Claim& claim,
                              std::span<const double> want);

}  // namespace ropeproof::conformance::judge
