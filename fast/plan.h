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
  // Pair j rotates by theta[j] + theta_lo[j] radians per position on its axis:
  // axis_of_pair[j], or axis 0 if `axis_of_pair` is empty. Or, unless
  // `axis_weights` is empty, by the sum over all axes a of
  // axis_weights[a * pairs + j] times the position on axis a. `amplitude`
  // multiplies every cosine and sine. The spans are copied.
  //
  // Throws std::bad_alloc. Cost: about 40 ns per pair, and allocations.
  Plan(std::span<const double> theta, std::span<const double> theta_lo,
       double amplitude = 1, std::span<const std::int32_t> axis_of_pair = {},
       std::span<const double> axis_weights = {});

  std::size_t pairs() const { return circles_hi_.size(); }

  // m, for each pair.
  double amplitude() const { return amplitude_; }
  const double* amplitudes() const { return amplitudes_.data(); }

  // Full circles per position, theta / (2 pi), as unevaluated sums.
  const double* circles_hi() const { return circles_hi_.data(); }
  const double* circles_lo() const { return circles_lo_.data(); }

  double max_circles() const { return max_circles_; }  // of all pairs, |hi|

  // Empty: axis 0 throughout.
  std::span<const std::int32_t> axis_of_pair() const { return axis_of_pair_; }

  // [axes, pairs]; empty: 1 on the pair's own axis.
  std::span<const double> axis_weights() const { return axis_weights_; }

  // Whether all pairs rotate by the position on axis 0.
  bool has_one_axis() const {
    return axis_of_pair_.empty() && axis_weights_.empty();
  }

  // Whether angles of kRun consecutive positions may be formed by addition;
  // then the cosines and sines of positions 1/2, 3/2, ..., kHalfBlock - 1/2,
  // [kHalfBlock, pairs], and of 0, kBlock, ..., kRun - kBlock,
  // [kBlocks, pairs].
  static constexpr std::size_t kHalfBlock = 8, kBlock = 2 * kHalfBlock,
                               kBlocks = 8, kRun = kBlock * kBlocks;
  bool can_add_angles() const { return !offset_cos_.empty(); }
  const double* offset_cos() const { return offset_cos_.data(); }
  const double* offset_sin() const { return offset_sin_.data(); }
  const double* block_cos() const { return block_cos_.data(); }
  const double* block_sin() const { return block_sin_.data(); }

 private:
  std::vector<double> circles_hi_, circles_lo_, amplitudes_;
  std::vector<double> offset_cos_, offset_sin_, block_cos_, block_sin_;
  std::vector<std::int32_t> axis_of_pair_;
  std::vector<double> axis_weights_;
  double amplitude_, max_circles_ = 0;
};

}  // namespace ropeproof::fast

#endif  // ROPEPROOF_FAST_PLAN_H_
