#include <array>

#include "reference/bin_float_family.h"
#include "reference/decide.h"
#include "reference/encodings/encoding.h"
#include "reference/oracle.h"
#include "reference/parallel_for.h"
#ifdef ROPEPROOF_HAVE_MPFI
#include "reference/mpfi_family.h"
#endif

namespace ropeproof::reference::encodings {
namespace {

// Two rungs of a family: each is twelve encodings more for the compiler.
template <class Family>
struct Steep : Family {
  static constexpr std::array<unsigned, 2> kRungs{Family::kRungs[0],
                                                  Family::kRungs.back()};
};

// No value needs a case of its own for Ziv's loop to end. Sums of sines and
// cosines of algebraic angles are transcendental unless all angles are 0
// (Lindemann, Weierstrass), and then the arithmetic is exact; a slope of ALiBi
// is a power of two or irrational; everything else is rational, and exact where
// it is a binary number.
template <class Family>
std::vector<Golden> prove(const Encoding& encoding, Positions positions,
                          Rounding rounding) {
  using First = typename Family::template Real<Family::kRungs[0]>;
  std::int64_t count = 1;
  for (const std::int64_t size : shape(encoding, positions)) count *= size;
  std::vector<Golden> goldens(static_cast<std::size_t>(count));
  parallel_for(count, [&](std::int64_t i) {
    const auto evaluate = [&]<class Real>() {
      return element<Real>(encoding, positions, i);
    };
    at(goldens, i) = decide<Family>(evaluate.template operator()<First>(),
                                    evaluate, rounding);
  });
  return goldens;
}

}  // namespace

std::vector<Golden> golden_encoding(Oracle oracle, const Encoding& encoding,
                                    Positions positions, Rounding rounding) {
  validate(encoding, positions);
  find_prover(oracle);  // throws where it is not built in
#ifdef ROPEPROOF_HAVE_MPFI
  if (oracle == Oracle::kMpfi) {
    return prove<Steep<MpfiFamily>>(encoding, positions, rounding);
  }
#endif
  return prove<Steep<BinFloatFamily>>(encoding, positions, rounding);
}

}  // namespace ropeproof::reference::encodings
