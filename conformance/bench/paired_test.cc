#include "conformance/bench/paired.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

namespace ropeproof::conformance::bench {
namespace {

// Candidates that take as long as they say, by a clock of their own.
struct World {
  double now = 0;
  std::string order;  // of all runs; a blank before each visit

  // `aside` of it is no work.
  Candidate taking(double ns, char letter, int disturbed_from = 1000,
                   double aside = 0) {
    return [=, this] {
      order += letter;
      now += aside + (order.size() > static_cast<std::size_t>(disturbed_from)
                          ? 7 * ns
                          : ns);
      return aside;
    };
  }
  PairedTimes time(const std::vector<Candidate>& candidates,
                   const Schedule& schedule) {
    return time_alternating(
        candidates, schedule, [this] { order += ' '; }, [this] { return now; });
  }
};

TEST_CASE("ratios are those of a round, whatever disturbs the others",
          "[bench]") {
  World world;
  const PairedTimes times = world.time(
      {world.taking(100, 'a'), world.taking(200, 'b'), world.taking(50, 'c')},
      {1000, 64, 1e6, 3, 11});
  CHECK(times.of[0].size() == 11);
  CHECK(times.ns(1) == 200);
  CHECK(times.ratio({0}, 1) == 0.5);
  CHECK(times.ratio({0, 1}, 2) == 2);  // of the faster limit
  World busy;
  CHECK(busy.time({busy.taking(100, 'a', 68), busy.taking(400, 'b', 68)},
                  {100, 1, 0, 8, 8})
            .ratio({0}, 1) == 0.25);
}

TEST_CASE("what is no work of a candidate is no time of it", "[bench]") {
  World world;
  const PairedTimes times =
      world.time({world.taking(100, 'a'), world.taking(200, 'b', 1000, 5000)},
                 {1000, 64, 1e6, 3, 11});
  CHECK(times.ns(1) == 200);
}

TEST_CASE("candidates alternate, and visits are as long as they should be",
          "[bench]") {
  World world;
  world.time({world.taking(100, 'a'), world.taking(100, 'b')},
             {100, 1, 0, 3, 3});
  // Two visits each to see how long they take; then rounds, warmed up.
  CHECK(world.order == " a a b b aaaaa bbbbb bbbbb aaaaa aaaaa bbbbb");
  // Slow candidates get few rounds, and little or no warming.
  World slow, slower, fast;
  slow.time({slow.taking(9e6, 'a')}, {60e3, 256, 0, 1, 1});
  CHECK(slow.order == " a a aaa");
  slower.time({slower.taking(1e9, 'a')}, {60e3, 256, 200e6, 3, 101});
  CHECK(slower.order == " a a a a");
  fast.time({fast.taking(1, 'a')}, {60e3, 256, 0, 1, 1});
  CHECK(fast.order.size() - fast.order.rfind(' ') == 1 + 4 + 256);
}

}  // namespace
}  // namespace ropeproof::conformance::bench
