// frequency_words.h -- measured frequencies in words: which formula, how
// rounded.
#ifndef ROPEPROOF_CONFORMANCE_IDENTIFY_FREQUENCY_WORDS_H_
#define ROPEPROOF_CONFORMANCE_IDENTIFY_FREQUENCY_WORDS_H_

#include <ropeproof_kernel.h>

#include <string>
#include <vector>

#include "conformance/cases/case.h"
#include "conformance/identify/finding.h"

namespace ropeproof::conformance::identify {

// How a kernel may come by the frequencies of a problem, and what they are
// then.
struct Recipe {
  std::string name;  // "in f32, 1 / pow(base, 2j/r)"
  std::vector<double> theta;
  // The claim that it needs: 0 A0, 1 A1 by pow, 2 A1 by exp2, 3 A2, 4 A3.
  int rank = 0;
};
// The rank of what a kernel claims.
int rank_of(const ropeproof_claim& claim);
std::vector<Recipe> recipes_of(const cases::Case& c);

// Those that all measured pairs agree with.
std::vector<Recipe> fitting(const std::vector<Recipe>& recipes,
                            const std::vector<PairFrequency>& pairs);

// Whether each is the due one to within what 16 bits round.
bool is_about_due(const std::vector<PairFrequency>& pairs);

// The largest distance from what is due in ulp of f32, and how well it is
// known.
struct UlpsOff {
  double most = 0, known_to = 0;
};
UlpsOff ulps_off(const std::vector<PairFrequency>& pairs);

// What is not about due, in the words of reports: "frequency over the true one:
// 8 in every pair".
std::string departure_words(const cases::Problem& c,
                            const std::vector<PairFrequency>& pairs);

// Six digits, or so many.
std::string number_words(double x, int digits = 6);

}  // namespace ropeproof::conformance::identify

#endif  // ROPEPROOF_CONFORMANCE_IDENTIFY_FREQUENCY_WORDS_H_
