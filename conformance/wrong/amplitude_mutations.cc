// The amplitude m, which multiplies cosine and sine.
#include <cmath>

#include "conformance/wrong/mutation_lists.h"

namespace ropeproof::conformance::wrong {
namespace {

auto multiplies(double (*change)(double)) {
  return set(&Pipeline::amplitude, change);
}

// Divides the heads that are(problem, index) by m, as their tables have it, so
// many times.
template <class Are>
auto divides(int times, Are are) {
  return set(&Pipeline::adjust_directed, [=](const PairIndex& at, CosSin& r) {
    const double m = at.p.pair_amplitude != nullptr ? std::hypot(r.c, r.s)
                                                    : std::abs(at.p.amplitude);
    const double by = std::pow(m, times);
    if (m > 0 && are(at.p, at)) r.c /= by, r.s /= by;
  });
}

// Changes rotations by the length of (c, s), which tables that are given have,
// too: change(rotation, j, length).
template <class Change>
auto takes_length(Change change) {
  return set(&Pipeline::adjust_rotation, [=](const PairIndex& at, CosSin& r) {
    // Entries are rounded: those of amplitude 1 have none.
    const double m = std::hypot(r.c, r.s);
    if (m > 0 && std::abs(m - 1) > 0x1p-7) change(r, at.j, m);
  });
}

}  // namespace

Mutations amplitude_mutations() {
  const auto misapplied = [](const char* advice) {
    return Slip{"scaling/amplitude-misapplied", 4, advice};
  };
  const Slip twice = misapplied("m multiplies cosine and sine once, each");
  const Slip adjoint{"rotation/backward-wrong", 4,
                     "the adjoint multiplies by m, too: it is no inverse"};
  const auto is_adjoint = [](const AbiProblem& p, const HeadIndex&) {
    return p.direction < 0;
  };
  const auto rounded = [&](const char* name, const char* source,
                           double (*change)(double)) {
    return misapplied("keep m in f32")(name, source, multiplies(change));
  };
  return {
      rounded("amplitude rounded to bf16", "of: frequencies rounded to bf16",
              [](double m) { return round_to(reference::Format::kBF16, m); }),
      rounded("amplitude rounded to f16", "of: frequencies rounded to bf16",
              [](double m) { return round_to(reference::Format::kF16, m); }),
      misapplied("multiply cosine and sine by m")(
          "amplitude missing", "GaijinEntertainment/daScript#3479",
          multiplies([](double) { return 1.0; })),
      twice("amplitude squared", "sgl-project/sglang#33558",
            multiplies([](double m) { return m * m; })),
      misapplied("one of q and k has m, the other too: a score has m squared")(
          "square root of the amplitude", "of: amplitude squared",
          multiplies([](double m) { return std::sqrt(std::abs(m)); })),
      twice("divided by the amplitude", "ggml-org/llama.cpp#17945",
            multiplies([](double m) { return m == 0 ? m : 1 / m; })),
      // Its mutant is called "amplitude missing" without it, of sines alone.
      twice("amplitude on the cosine only", "",
            takes_length([](CosSin& r, auto, double m) { r.s /= m; })),
      misapplied("m is the same for each pair: do not multiply in place")(
          "amplitude grows from pair to pair", "ggml-org/llama.cpp#17565",
          takes_length([](CosSin& r, auto j, double m) {
            const double more = std::pow(m, static_cast<double>(j));
            r.c *= more, r.s *= more;
          })),
      misapplied("k has m as q has it")(
          "k without the amplitude", "of: amplitude missing",
          divides(1, [](auto&, const HeadIndex& i) { return i.is_key; })),
      misapplied("q has m as k has it")(
          "q without the amplitude", "of: amplitude missing",
          divides(1, [](auto&, const HeadIndex& i) { return !i.is_key; })),
      adjoint("adjoint divides by the amplitude",
              "of: divided by the amplitude", divides(2, is_adjoint)),
      adjoint("adjoint without the amplitude", "of: amplitude missing",
              divides(1, is_adjoint))};
}

}  // namespace ropeproof::conformance::wrong
