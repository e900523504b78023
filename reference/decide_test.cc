// Ziv's loop, with enclosures written by hand: it climbs while the ends round
// apart, and after the last rung it throws rather than guess.
#include "reference/decide.h"

#include <array>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <type_traits>
#include <utility>

#include "reference/test_double.h"

namespace ropeproof::reference {
namespace {

// Three rungs of 10, 20 and 30 bits. A Real just holds its ends.
template <unsigned kDigits>
struct Ends {
  double low, high;
};

struct HandFamily {
  static constexpr std::array<unsigned, 3> kRungs{1, 2, 3};
  template <unsigned kDigits>
  using Real = Ends<kDigits>;
  template <unsigned kDigits>
  static constexpr int kBits = 10 * int{kDigits};

  template <unsigned kDigits>
  static std::pair<Pieces, Pieces> ends(const Ends<kDigits>& x) {
    return {PlainDouble::ends(x.low).first, PlainDouble::ends(x.high).first};
  }
};

// What each rung encloses; counts how far the loop climbs.
struct Ladder {
  Ends<1> first;
  Ends<2> second;
  Ends<3> third;
  int* climbs;

  template <class Real>
  Real operator()() const {
    ++*climbs;
    if constexpr (std::is_same_v<Real, Ends<2>>) {
      return second;
    } else {
      return third;
    }
  }
};

Golden decide_by(const Ladder& ladder, Rounding rounding = Rounding::kToOdd) {
  return decide<HandFamily>(ladder.first, ladder, rounding);
}

TEST_CASE("the first rung decides if its ends round alike",
          "[reference][certificate]") {
  int climbs = 0;
  const Golden golden = decide_by({{1.5, 1.5}, {7, 8}, {7, 8}, &climbs});
  CHECK(golden.bits == std::bit_cast<std::uint64_t>(1.5));
  CHECK(golden.precision_bits == 10);
  CHECK(climbs == 0);
}

TEST_CASE("a wide enclosure climbs, and the golden names the rung",
          "[reference][certificate]") {
  int climbs = 0;
  Golden golden = decide_by({{1, 2}, {1.25, 1.25}, {7, 8}, &climbs});
  CHECK(golden.bits == std::bit_cast<std::uint64_t>(1.25));
  CHECK(golden.precision_bits == 20);
  CHECK(climbs == 1);

  golden = decide_by({{-1, 2}, {1, 1.5}, {-1.25, -1.25}, &climbs});
  CHECK(golden.bits == std::bit_cast<std::uint64_t>(-1.25));
  CHECK(golden.precision_bits == 30);
  CHECK(climbs == 3);
}

TEST_CASE("an enclosure that never tightens is an error, not a guess",
          "[reference][certificate]") {
  int climbs = 0;
  const Ends<1> wide{1, 1.0000000000000003};
  CHECK_THROWS_AS(decide_by({wide, {1, 2}, {1, 2}, &climbs}), Undecided);
  CHECK(climbs == 2);
  // An enclosure of zero is no zero either.
  CHECK_THROWS_AS(
      decide_by(
          {{-0x1p-1074, 0x1p-1074}, {-0x1p-1074, 0}, {0, 0x1p-1074}, &climbs}),
      Undecided);
}

TEST_CASE("one neighbour apart is apart", "[reference][certificate]") {
  int climbs = 0;
  const double next = std::nextafter(1.0, 2.0);
  CHECK_THROWS_AS(decide_by({{1, next}, {1, next}, {1, next}, &climbs},
                            Rounding::kNearestEven),
                  Undecided);
}

}  // namespace
}  // namespace ropeproof::reference
