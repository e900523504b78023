// plan.h -- the frequencies of a RoPE, ready for the kernels.
#ifndef ROPEPROOF_FAST_PLAN_H_
#define ROPEPROOF_FAST_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ropeproof::fast {

// theta_j = base^(-2j/rotary_dim) as hi[j] + lo[j], for j < rotary_dim/2 =
// hi.size() = lo.size(), within kFrequencyBound (bounds.h). Hence hi[j] and
// float(hi[j]) are within 0.5 + 2^-29 ulp of theta_j, for rotary_dim <= 2^12.
//
// Range    2^-400 <= base <= 2^400, rotary_dim <= 2^12.
// Throws   nothing, allocates nothing.
// Cost     about 10 ns per pair, and 1 us.
void frequencies(double base, std::span<double> hi,
                 std::span<double> lo) noexcept;

// What table() and rope() need of the frequencies, in the form they need it.
// Immutable; make it once per model, not once per call.
class Plan {
 public:
  // Pair j turns by theta[j] + theta_lo[j] radians per position on its axis:
  // axis_of_pair[j], or axis 0 if `axis_of_pair` is empty. Or, unless
  // `axis_weights` is empty, by the sum over all axes a of
  // axis_weights[a * pairs + j] times the position on axis a. `amplitude`
  // multiplies every cosine and sine. The spans are copied.
  //
  // Throws std::bad_alloc. Cost: about 40 ns per pair, and allocations.
  Plan(std::span<const double> theta, std::span<const double> theta_lo,
       double amplitude = 1, std::span<const std::int32_t> axis_of_pair = {},
       std::span<const double> axis_weights = {});

  std::size_t pairs() const { return turns_hi_.size(); }

  // m, for each pair.
  double amplitude() const { return amplitude_; }
  const double* amplitudes() const { return amplitudes_.data(); }

  // Full turns per position, theta / (2 pi), as unevaluated sums.
  const double* turns_hi() const { return turns_hi_.data(); }
  const double* turns_lo() const { return turns_lo_.data(); }

  double most_turns() const { return most_turns_; }  // of all pairs, |hi|

  // Empty: axis 0 throughout.
  std::span<const std::int32_t> axis_of_pair() const { return axis_of_pair_; }

  // [axes, pairs]; empty: 1 on the pair's own axis.
  std::span<const double> axis_weights() const { return axis_weights_; }

  // All pairs turn by the position on axis 0.
  bool has_one_axis() const {
    return axis_of_pair_.empty() && axis_weights_.empty();
  }

  // Whether angles of kRun consecutive positions may be formed by addition; then
  // the cosines and sines of positions 1/2, 3/2, ..., kSteps - 1/2, [kSteps,
  // pairs], and of 0, kBlock, ..., kRun - kBlock, [kLeaps, pairs].
  static constexpr std::size_t kSteps = 8, kBlock = 2 * kSteps, kLeaps = 8,
                               kRun = kBlock * kLeaps;
  bool can_step() const { return !step_cos_.empty(); }
  const double* step_cos() const { return step_cos_.data(); }
  const double* step_sin() const { return step_sin_.data(); }
  const double* leap_cos() const { return leap_cos_.data(); }
  const double* leap_sin() const { return leap_sin_.data(); }

 private:
  std::vector<double> turns_hi_, turns_lo_, amplitudes_;
  std::vector<double> step_cos_, step_sin_, leap_cos_, leap_sin_;
  std::vector<std::int32_t> axis_of_pair_;
  std::vector<double> axis_weights_;
  double amplitude_, most_turns_ = 0;
};

}  // namespace ropeproof::fast

#endif  // ROPEPROOF_FAST_PLAN_H_
