#include "conformance/explain/factors.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "conformance/text/format.h"
#include "conformance/wrong/mutation_lists.h"

namespace ropeproof::conformance::explain {
namespace {

// Six digits; near 1 two of what it is off by.
std::string factor_text(double factor) {
  const double off = std::max(std::abs(factor - 1), 0x1p-52);
  const int more = factor > 1 ? 2 : 1;
  const int digits = more + static_cast<int>(std::ceil(-std::log10(off)));
  return text::format("%.*g", std::max(6, digits), factor);
}

}  // namespace

double middle_factor(std::vector<TurnedPair> pairs) {
  std::ranges::sort(pairs, {}, &TurnedPair::factor);
  double all = 0, before = 0;
  for (const TurnedPair& p : pairs) all += p.certainty;
  for (const TurnedPair& p : pairs) {
    before += p.certainty;
    if (2 * before >= all) return p.factor;
  }
  return 1;
}

bool have_factor(const std::vector<TurnedPair>& pairs, double factor) {
  constexpr double kFarthest = 4;  // bounds
  return 8 * std::ranges::count_if(
                 pairs,
                 [&](const TurnedPair& p) {
                   return std::abs(p.factor - factor) *
                              std::sqrt(p.certainty / p.rows) <=
                          kFarthest;
                 }) >=
         7 * std::ssize(pairs);
}

wrong::Mutation times(Factored what, double factor, cases::Bug of_results) {
  constexpr cases::Bug kOff = "rotation/cosine-or-sine-off";
  constexpr const char* kAdvice =
      "look at what is done to these numbers beside the formula";
  const std::string by = " times " + factor_text(factor);
  switch (what) {
    case Factored::kCosines:
      return {"cosines" + by,
              "",
              kOff,
              4,
              kAdvice,
              wrong::for_all([=](wrong::CosSin& r) { r.c *= factor; })};
    case Factored::kSines:
      return {"sines" + by,
              "",
              kOff,
              4,
              kAdvice,
              wrong::for_all([=](wrong::CosSin& r) { r.s *= factor; })};
    default:
      return {"results" + by,
              "",
              of_results,
              4,
              kAdvice,
              wrong::set(&wrong::Pipeline::result,
                         [=](double y) { return factor * y; })};
  }
}

}  // namespace ropeproof::conformance::explain
