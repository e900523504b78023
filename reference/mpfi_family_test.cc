// The cosine and sine of an interval, beside MPFI's own of its ends.
#ifdef ROPEPROOF_HAVE_MPFI
#include "reference/mpfi_family.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <random>

namespace ropeproof::reference {
namespace {

using Interval = MpfiFamily::Real<38>;

bool is_inside(const Interval& x, const Interval& y) {
  return mpfi_is_inside(x.backend().data(), y.backend().data()) > 0;
}

}  // namespace

TEST_CASE("the cosine and sine of an interval enclose those of its ends",
          "[reference][certificate][mpfi]") {
  std::mt19937_64 random(13);
  std::uniform_real_distribution<double> exponent(-140, 60), size(-128, 2);
  bool are_cosines = true, are_sines = true;
  for (int i = 0; i < 20000; ++i) {
    const Interval begin =
        Interval(std::exp2(exponent(random))) / Interval(i % 2 == 0 ? 3 : -3);
    const Interval end =
        begin + begin * Interval(i % 3 == 0 ? 0 : std::exp2(size(random)));
    Interval both = begin;
    mpfi_put(both.backend().data(), end.backend().data());
    const auto angle = MpfiFamily::angle(both);
    for (const Interval& phi : {begin, end}) {
      are_cosines = are_cosines && is_inside(cos(phi), cos(angle));
      are_sines = are_sines && is_inside(sin(phi), sin(angle));
    }
  }
  CHECK(are_cosines);
  CHECK(are_sines);
  const auto origin = MpfiFamily::angle(Interval(0));
  CHECK(is_inside(cos(origin), Interval(1)));
  CHECK(is_inside(sin(origin), Interval(0)));
}

}  // namespace ropeproof::reference
#endif
