#include "conformance/explain/factors.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

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
  const auto mutation = [&](const char* of, cases::Bug bug,
                            wrong::Change change) {
    const wrong::Slip slip{
        bug, 4, "look at what is done to these numbers beside the formula"};
    return slip(of + (" times " + factor_text(factor)), "", std::move(change));
  };
  constexpr cases::Bug kOff = "rotation/cosine-or-sine-off";
  switch (what) {
    case Factored::kCosines:
      return mutation("cosines", kOff,
                      wrong::for_all([=](wrong::CosSin& r) { r.c *= factor; }));
    case Factored::kSines:
      return mutation("sines", kOff,
                      wrong::for_all([=](wrong::CosSin& r) { r.s *= factor; }));
    case Factored::kResults:
      break;
  }
  return mutation("results", of_results,
                  wrong::set(&wrong::Pipeline::result,
                             [=](double y) { return factor * y; }));
}

}  // namespace ropeproof::conformance::explain
