// The amplitude m, which multiplies cosine and sine.
#include <cmath>

#include "conformance/wrong/mutation_lists.h"

namespace ropeproof::conformance::wrong {
namespace {

constexpr const char* kMisapplied = "scaling/amplitude-misapplied";

Mutation amplitude(const char* name, const char* source, const char* advice,
                   double (*change)(double)) {
  return {name, source, kMisapplied,
          4,    advice, set(&Pipeline::amplitude, change)};
}

// The heads that are(problem, index) are divided by m, as their tables have it,
// so many times.
Mutation divided(const char* name, const char* source, const char* bug,
                 const char* advice, int times,
                 bool (*are)(const AbiProblem&, const HeadIndex&)) {
  return {name,
          source,
          bug,
          4,
          advice,
          set(&Pipeline::adjust_in_problem,
              [=](const AbiProblem& p, const HeadIndex& index, double& c,
                  double& s) {
                const double m = p.pair_amplitude != nullptr
                                     ? std::hypot(c, s)
                                     : std::abs(p.amplitude);
                const double by = std::pow(m, times);
                if (m > 0 && are(p, index)) c /= by, s /= by;
              })};
}

// It is the length of (c, s), which tables that are given have, too.
template <class Change>
Mutation by_length(const char* name, const char* source, const char* advice,
                   Change change) {
  return {name,
          source,
          kMisapplied,
          4,
          advice,
          set(&Pipeline::adjust_rotation,
              [=](double& c, double& s, std::int64_t j, std::int64_t) {
                // Entries are rounded: those of amplitude 1 have none.
                const double m = std::hypot(c, s);
                if (m > 0 && std::abs(m - 1) > 0x1p-7) change(c, s, j, m);
              })};
}

}  // namespace

Mutations amplitude_mutations() {
  constexpr const char* kOnce = "m multiplies cosine and sine once, each";
  constexpr const char* kBackward = "rotation/backward-wrong";
  constexpr const char* kAdjoint =
      "the adjoint multiplies by m, too: it is no inverse";
  return {
      amplitude("amplitude missing", "GaijinEntertainment/daScript#3479",
                "multiply cosine and sine by m", [](double) { return 1.0; }),
      amplitude("amplitude squared", "sgl-project/sglang#33558", kOnce,
                [](double m) { return m * m; }),
      amplitude("square root of the amplitude", "of: amplitude squared",
                "one of q and k has m, the other too: a score has m squared",
                [](double m) { return std::sqrt(std::abs(m)); }),
      amplitude("divided by the amplitude", "ggml-org/llama.cpp#17945", kOnce,
                [](double m) { return m == 0 ? m : 1 / m; }),
      amplitude("amplitude without its sign", "none: a mutant of selftest",
                "m may be negative", [](double m) { return std::abs(m); }),
      amplitude("amplitude 0 taken for 1", "none: a mutant of selftest",
                "m may be 0: then so are the pairs",
                [](double m) { return m == 0 ? 1 : m; }),
      by_length("amplitude on the cosine only", "none: a mutant of selftest",
                kOnce,
                [](double&, double& s, std::int64_t, double m) { s /= m; }),
      by_length("amplitude grows from pair to pair", "ggml-org/llama.cpp#17565",
                "m is the same for each pair: do not multiply in place",
                [](double& c, double& s, std::int64_t j, double m) {
                  const double more = std::pow(m, static_cast<double>(j));
                  c *= more, s *= more;
                }),
      divided("k without the amplitude", "of: amplitude missing", kMisapplied,
              "k has m as q has it", 1,
              [](const AbiProblem&, const HeadIndex& i) { return i.is_key; }),
      divided("q without the amplitude", "of: amplitude missing", kMisapplied,
              "q has m as k has it", 1,
              [](const AbiProblem&, const HeadIndex& i) { return !i.is_key; }),
      divided("adjoint divides by the amplitude",
              "of: divided by the amplitude", kBackward, kAdjoint, 2,
              [](const AbiProblem& p, const HeadIndex&) {
                return p.direction < 0;
              }),
      divided("adjoint without the amplitude", "of: amplitude missing",
              kBackward, kAdjoint, 1,
              [](const AbiProblem& p, const HeadIndex&) {
                return p.direction < 0;
              })};
}

}  // namespace ropeproof::conformance::wrong
