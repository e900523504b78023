#include "conformance/bench/paired.h"

#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "conformance/bench/limits.h"

namespace ropeproof::conformance::bench {
namespace {

// Candidates that take as long as they say, by a clock of their own.
struct World {
  double now = 0;
  std::string order;  // of all runs

  Candidate taking(double ns, char letter) {
    return [this, ns, letter] {
      now += ns;
      order += letter;
    };
  }
  PairedTimes time(const std::vector<Candidate>& candidates,
                   const Turns& turns) {
    return time_in_turns(
        candidates, turns, [this] { order += ' '; }, [this] { return now; });
  }
};

TEST_CASE("a candidate that takes twice as long has the ratio one half",
          "[speed]") {
  World world;
  const PairedTimes times = world.time(
      {world.taking(100, 'a'), world.taking(200, 'b'), world.taking(50, 'c')},
      {1000, 64, 1e6, 3, 11});
  CHECK(times.rounds() == 11);
  CHECK(times.ns(1) == 200);
  CHECK(times.ratio({0}, 1) == 0.5);
  CHECK(times.ratio({0}, 2) == 2);
  CHECK(times.ratio({0, 1}, 2) == 2);  // of the faster limit
  CHECK(times.ratio({1}, 1) == 1);
}

TEST_CASE("candidates take turns, and every round begins with another one",
          "[speed]") {
  World world;
  world.time({world.taking(100, 'a'), world.taking(100, 'b')},
             {100, 1, 0, 3, 3});
  // Two visits each to see how long they take; then rounds, warmed up.
  CHECK(world.order == " a a b b aa bb bb aa aa bb");
}

TEST_CASE("a disturbance that lasts for a round leaves the ratio alone",
          "[speed]") {
  World world;
  int visits = 0;
  const auto disturbed = [&](double ns) -> Candidate {
    return [&world, &visits, ns] {
      world.now += ++visits > 12 ? 7 * ns : ns;  // from the middle on
    };
  };
  const PairedTimes times =
      world.time({disturbed(100), disturbed(400)}, {100, 1, 0, 8, 8});
  CHECK(times.ratio({0}, 1) == 0.25);
}

TEST_CASE("slow candidates get few rounds, and no warming", "[speed]") {
  World world;
  const PairedTimes times =
      world.time({world.taking(1e9, 'a')}, {60e3, 256, 200e6, 3, 101});
  CHECK(times.rounds() == 3);
  CHECK(world.order == " a a a a");
}

TEST_CASE("a visit is long enough to be timed, but no longer than it may be",
          "[speed]") {
  World world;
  world.time({world.taking(1, 'a')}, {60e3, 256, 0, 1, 1});
  const std::string last = world.order.substr(world.order.rfind(' '));
  CHECK(last.size() == 1 + 1 + 256);
}

TEST_CASE("the limits work on the bytes that turn and on no others",
          "[speed]") {
  std::vector<std::uint32_t> words(3 * 40), room(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = static_cast<std::uint32_t>(i);
  }
  const std::vector<std::uint32_t> before = words;
  const SpeedBytes bytes{words.data(), 3, 23 * 4, 40 * 4};
  const auto is_inside = [](std::size_t i) { return i % 40 < 23; };

  for (const auto limit : {touch, touch_ahead}) {
    limit(bytes, 0);
    CHECK(words == before);
    limit(bytes, ~0u);
    for (std::size_t i = 0; i < words.size(); ++i) {
      CHECK(words[i] == (is_inside(i) ? ~before[i] : before[i]));
    }
    limit(bytes, ~0u);
    CHECK(words == before);
  }
  copy(bytes, room.data());
  for (std::size_t i = 0; i < words.size(); ++i) {
    CHECK(room[i] == (is_inside(i) ? before[i] : 0));
  }
  fill(bytes, 7);
  for (std::size_t i = 0; i < words.size(); ++i) {
    CHECK(words[i] == (is_inside(i) ? 7 : before[i]));
  }
}

}  // namespace
}  // namespace ropeproof::conformance::bench
