#include "conformance/bench/paired.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "conformance/bench/limits.h"

namespace ropeproof::conformance::bench {
namespace {

using reference::Format;

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
                   const Schedule& schedule) {
    return time_alternating(
        candidates, schedule, [this] { order += ' '; }, [this] { return now; });
  }
};

TEST_CASE("a candidate that takes twice as long has the ratio one half",
          "[bench]") {
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

TEST_CASE("candidates alternate, and every round begins with another one",
          "[bench]") {
  World world;
  world.time({world.taking(100, 'a'), world.taking(100, 'b')},
             {100, 1, 0, 3, 3});
  // Two visits each to see how long they take; then rounds, warmed up.
  CHECK(world.order == " a a b b aaaaa bbbbb bbbbb aaaaa aaaaa bbbbb");
}

TEST_CASE("a disturbance that lasts for a round leaves the ratio alone",
          "[bench]") {
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

TEST_CASE("slow candidates get few rounds, and little or no warming",
          "[bench]") {
  World world;
  const PairedTimes times =
      world.time({world.taking(1e9, 'a')}, {60e3, 256, 200e6, 3, 101});
  CHECK(times.rounds() == 3);
  CHECK(world.order == " a a a a");
  World faster;
  faster.time({faster.taking(9e6, 'a')}, {60e3, 256, 0, 1, 1});
  CHECK(faster.order == " a a aaa");
}

TEST_CASE("a visit is long enough to be timed, but no longer than it may be",
          "[bench]") {
  World world;
  world.time({world.taking(1, 'a')}, {60e3, 256, 0, 1, 1});
  const std::string last = world.order.substr(world.order.rfind(' '));
  CHECK(last.size() == 1 + 4 + 256);
}

TEST_CASE("the limits work on the bytes that are rotated and on no others",
          "[bench]") {
  constexpr std::size_t kRow = 48, kLength = 32;  // words
  std::vector<std::uint32_t> words(3 * kRow);
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = 0x3c003f80 + static_cast<std::uint32_t>(i);
  }
  const std::vector<std::uint32_t> before = words;
  const Bytes bytes{words.data(), 3, kLength * 4, kRow * 4};
  // Whether `change` has made of each word inside what `want` says.
  const auto check = [&](const auto& change, const auto& want) {
    words = before;
    change();
    for (std::size_t i = 0; i < words.size(); ++i) {
      CHECK(words[i] == (i % kRow < kLength ? want(before[i]) : before[i]));
    }
  };
  const auto same = [](std::uint32_t x) { return x; };
  for (const Prefetch prefetch : {Prefetch::kNo, Prefetch::kYes}) {
    check([&] { touch(bytes, 0, prefetch); }, same);
    check([&] { touch(bytes, ~0u, prefetch); },
          [](std::uint32_t x) { return ~x; });
    for (const Format format : {Format::kF16, Format::kBF16}) {
      const auto scaled = [format](std::uint32_t x) {  // by 1 + 2^-6
        const auto half = [format](std::uint32_t bits) {
          return encode(format, decode(format, bits) * (1 + 0x1p-6));
        };
        return static_cast<std::uint32_t>(half(x >> 16) << 16 |
                                          half(x & 0xffff));
      };
      check([&] { scale16(bytes, format, 1, prefetch); }, same);
      check([&] { scale16(bytes, format, 1 + 0x1p-6f, prefetch); }, scaled);
    }
  }
  for (const auto write : {fill, fill_past}) {
    check([&] { write(bytes, 7); }, [](std::uint32_t) { return 7u; });
  }
}

}  // namespace
}  // namespace ropeproof::conformance::bench
