// frequencies.h -- the frequencies that were read, in words: which formula, how
// rounded.
#pragma once

#include <ropeproof_kernel.h>

#include <span>
#include <string>
#include <vector>

#include "conformance/identify/angles.h"

namespace ropeproof::conformance::identify {

// A recipe is how a kernel may come by the frequencies of a problem.
struct Recipe {
  std::string name;  // "in f32 by 1 / pow(base, 2j/r)"
  std::vector<double> theta;
  // The claim that it needs: 0 A0, 1 A1 by pow, 2 A1 by exp2, 3 A2, 4 A3.
  int rank = 0;
};

struct BaseReading {
  cases::Case problem;
  std::vector<PairFrequency> pairs;  // rotated forward
  bool is_reversed = false;
  bool has_offset_of_its_own = false;  // then `pairs` are rough
  std::vector<Recipe> fit;             // those that all pairs agree with

  BaseReading(const cases::Case& c, const Speeds& speeds);
  // The frequency of each pair: of a recipe that fits, else as measured.
  std::vector<double> theta() const;
};

// Direction; what departs, of each base; and which recipes fit all bases.
// `angle_is_of_exact`: as AngleReading says.
std::vector<Finding> frequency_findings(std::span<const BaseReading> readings,
                                        const ropeproof_claim& claim,
                                        bool angle_is_of_exact);

// Returns the words of reports for frequencies that are not the expected ones,
// empty where all are, to within a rounding to 16 bits: "frequency over the
// true one: 8 in every pair".
std::string departure_words(const cases::Problem& problem,
                            const std::vector<PairFrequency>& pairs);

// The largest distance from what is due in ulp of f32, and how well it is
// known.
struct UlpsOff {
  double most = 0, known_to = 0;
};
UlpsOff ulps_off(std::span<const PairFrequency> pairs);

// A number in six digits, or so many.
std::string number_words(double x, int digits = 6);

}  // namespace ropeproof::conformance::identify
