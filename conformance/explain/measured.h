// measured.h -- what a wrong output was rotated with, beside what was due: the
// frequency and the amplitude of each pair, the position of each token.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/cases/case.h"
#include "conformance/explain/rotations.h"
#include "conformance/judge/output.h"

namespace ropeproof::conformance::explain {

// Something of a pair over what it should be, known to within `error`.
struct PairRatio {
  std::int64_t pair = 0;
  double ratio = 1, error = 0;
};

struct PositionUsed {
  double given = 0, used = 0;
};

// The positions used, of which some are not the given ones, in words: "the
// given one + 1", or "4095 in place of 8191, ...".
std::string positions_text(const std::vector<PositionUsed>& all);

// Empty is what the output does not show: nothing is guessed. A ratio or a
// position that is right, as far as can be seen, is there and exact.
struct Measured {
  std::vector<PairRatio> frequency, amplitude;
  std::vector<PositionUsed> positions;  // in ascending order of `given`
  // The base that gives the measured frequencies, where it is not the one of
  // the problem; else 0.
  double base = 0;
  const char* factors = "";  // as they are with the factors of (R16), in words
  // The largest relative error of the angles, where neither frequencies nor
  // positions explain them; 0 where it is too large, or not seen.
  double angle_error = 0;
  bool is_sine_lost =
      false;  // pairs are shortened by their cosine, not rotated

  // Some frequency, amplitude, position is not the true one.
  bool is_frequency_off() const;
  bool is_amplitude_off() const;
  bool is_position_off() const;
  bool is_reversed() const;  // every frequency is minus the true one

  // A sentence for each that is off: "frequency over the true one: 1 in pairs
  // 0-23, rising from 1.2 to 3.8 in pairs 24-39, 4 in pairs 40-63".
  std::vector<std::string> text(std::int64_t pairs) const;
};

// Measures frequencies that were read by other means.
Measured measured_frequencies(const cases::Problem& problem,
                              const std::vector<PairRatio>& ratios);

// Measures an output with wrong elements; not for `is_special` cases.
// `keeps_length`: every pair, times its amplitude. Cost: a microsecond for each
// pair of a token, more where circles must be searched.
Measured measure(const cases::Problem& problem, const cases::Golden& golden,
                 std::uint32_t operation, const judge::Output& output,
                 reference::Format table, bool keeps_length,
                 Tensors tensors = {});

}  // namespace ropeproof::conformance::explain
