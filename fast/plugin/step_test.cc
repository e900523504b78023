#include "fast/plugin/step.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fast/plugin/own_problem.h"

namespace ropeproof::fast {
namespace {

constexpr std::int64_t kFar = (std::int64_t{1} << 53) + 1, kBelow = -kFar;
constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint32_t kBoth = ROPEPROOF_ROTATE | ROPEPROOF_ROPE;

// What makes a decode step no plain one, and the answer to it.
struct Deviation {
  std::string what;
  std::uint32_t operations;
  std::int32_t answer;
  void (*alter)(ropeproof_problem&);
};

template <class Pointer>
Pointer moved(Pointer pointer, std::intptr_t bytes) {
  return reinterpret_cast<Pointer>(reinterpret_cast<std::uintptr_t>(pointer) +
                                   static_cast<std::uintptr_t>(bytes));
}

std::vector<Deviation> deviations() {
  const std::uint32_t rotate = ROPEPROOF_ROTATE, rope = ROPEPROOF_ROPE;
  const std::int32_t ok = ROPEPROOF_OK, invalid = ROPEPROOF_INVALID,
                     unsupported = ROPEPROOF_UNSUPPORTED;
  static const std::int32_t axes[kPairs] = {0, 0, 0, 0};
  static const double ones[kPairs] = {1, 1, 1, 1};
  using P = ropeproof_problem;
  return {
      {"no batch row", kBoth, ok, [](P& x) { x.batch = 0; }},
      {"no token", kBoth, ok, [](P& x) { x.seq = 0; }},
      {"fewer than none", kBoth, invalid, [](P& x) { x.seq = -1; }},
      {"direction 0", kBoth, invalid, [](P& x) { x.direction = 0; }},
      {"direction 3", kBoth, invalid, [](P& x) { x.direction = 3; }},
      {"no pairing", kBoth, unsupported, [](P& x) { x.pairing = 0; }},
      {"two pairings", kBoth, unsupported, [](P& x) { x.pairing = 3; }},
      {"nested", kBoth, invalid,
       [](P& x) { x.pairing = ROPEPROOF_NESTED_HALF_SPLIT; }},
      {"pairs that share channels", kBoth, invalid,
       [](P& x) {
         x.pairing = ROPEPROOF_HALF_SPLIT;
         x.pair_distance = 1;
       }},
      {"f64", kBoth, ok, [](P& x) { x.dtype = ROPEPROOF_F64; }},
      {"unknown dtype", kBoth, unsupported, [](P& x) { x.dtype = 1 << 9; }},
      {"odd window", kBoth, invalid, [](P& x) { x.rotary_dim -= 1; }},
      {"no window", kBoth, invalid, [](P& x) { x.rotary_dim = 0; }},
      {"window before the head", kBoth, invalid,
       [](P& x) { x.rotary_offset = -2; }},
      {"window behind it", kBoth, invalid, [](P& x) { x.rotary_offset = 6; }},
      {"window wider than it", kBoth, invalid,
       [](P& x) { x.rotary_dim = x.head_dim + 2; }},
      {"no q", kBoth, invalid, [](P& x) { x.q.in = x.q.out = nullptr; }},
      {"no k", kBoth, invalid, [](P& x) { x.k.in = x.k.out = nullptr; }},
      {"heads < 0", kBoth, invalid, [](P& x) { x.q.heads = -1; }},
      {"key heads < 0", kBoth, invalid, [](P& x) { x.k.heads = -1; }},
      {"misaligned", kBoth, invalid,
       [](P& x) { x.k.in = x.k.out = moved(x.k.out, 2); }},
      {"in and out overlap", kBoth, invalid,
       [](P& x) { x.q.in = moved(x.q.in, 8); }},
      {"in place, other strides", kBoth, invalid,
       [](P& x) { x.q.in_head_stride += 1; }},
      {"heads that overlap", kBoth, invalid,
       [](P& x) { x.q.in_head_stride = x.q.out_head_stride = x.head_dim - 1; }},
      {"q and k in one place", kBoth, invalid,
       [](P& x) { x.k.in = x.k.out = x.q.out; }},
      {"no cosines", rotate, invalid, [](P& x) { x.cos = nullptr; }},
      {"misaligned sines", rotate, invalid,
       [](P& x) { x.sin = moved(x.sin, 2); }},
      {"unknown type of table", rotate, unsupported,
       [](P& x) { x.table_dtype = 1 << 9; }},
      {"no inv_freq", rope, invalid, [](P& x) { x.inv_freq = nullptr; }},
      {"misaligned inv_freq_lo", rope, invalid,
       [](P& x) { x.inv_freq_lo = moved(x.inv_freq_lo, 4); }},
      {"base < 0", rope, invalid, [](P& x) { x.base = -1; }},
      {"base NaN", rope, invalid, [](P& x) { x.base = kNaN; }},
      {"infinite base", rope, invalid, [](P& x) { x.base = kInfinite; }},
      {"infinite amplitude", rope, invalid,
       [](P& x) { x.amplitude = -kInfinite; }},
      {"amplitude NaN", rope, invalid, [](P& x) { x.amplitude = kNaN; }},
      {"no positions", rope, invalid, [](P& x) { x.positions = nullptr; }},
      {"misaligned positions", rope, invalid,
       [](P& x) { x.positions = moved(x.positions, 4); }},
      {"position beyond 2^53", rope, invalid,
       [](P& x) { x.positions = &kFar; }},
      {"position below -2^53", rope, invalid,
       [](P& x) { x.positions = &kBelow; }},
      {"positions of two kinds", rope, invalid,
       [](P& x) { x.real_positions = x.inv_freq; }},
      {"a table", rope, ok, [](P& x) { x.operation = ROPEPROOF_TABLE; }},
      {"axes of pairs", rope, ok, [](P& x) { x.axis_of_pair = axes; }},
      {"axis weights", rope, ok, [](P& x) { x.axis_weights = ones; }},
      {"pair amplitudes", rope, ok, [](P& x) { x.pair_amplitude = ones; }},
  };
}

TEST_CASE("what a decode step may not be is not taken for one", "[fast][abi]") {
  for (const std::uint32_t operation : {ROPEPROOF_ROTATE, ROPEPROOF_ROPE}) {
    OwnProblem good(operation);
    good.make_step();
    REQUIRE(ropeproof_run(&good.problem) == ROPEPROOF_OK);  // keeps its plan
    REQUIRE(is_plain_step(good.problem));
    for (const Deviation& deviation : deviations()) {
      if ((deviation.operations & operation) == 0) continue;
      OwnProblem own(operation);
      own.make_step();
      const auto before = own.memory();
      deviation.alter(own.problem);
      CAPTURE(deviation.what, operation);
      CHECK(ropeproof_run(&own.problem) == deviation.answer);
      if (deviation.answer != ROPEPROOF_OK) {
        CHECK(same_bits(own.memory(), before));
      } else {
        CHECK_FALSE(is_plain_step(own.problem));
      }
    }
  }
}

TEST_CASE("a decode step in place has the bits of one out of place",
          "[fast][abi]") {
  for (const std::uint32_t operation : {ROPEPROOF_ROTATE, ROPEPROOF_ROPE}) {
    for (const std::uint32_t pairing :
         {ROPEPROOF_INTERLEAVED, ROPEPROOF_HALF_SPLIT}) {
      for (const std::int64_t keys : {0, 1}) {
        OwnProblem own(operation), other(operation);
        own.make_step();
        for (ropeproof_problem* p : {&own.problem, &other.problem}) {
          p->batch = p->seq = 1;
          p->pairing = pairing;
          p->k.heads = keys;
          REQUIRE(ropeproof_run(p) == ROPEPROOF_OK);
        }
        CAPTURE(operation, pairing, keys);
        for (std::int64_t head = 0; head < 3; ++head) {
          CHECK(same_bits({own.q.head(0, 0, head), kHeadDim},
                          {other.q_out.head(0, 0, head), kHeadDim}));
        }
        CHECK(same_bits(
            {own.k.head(0, 0, 0), kHeadDim},
            {(keys == 0 ? other.k : other.k_out).head(0, 0, 0), kHeadDim}));
      }
    }
  }
}

// What a call reads, changed while rows of the next positions are kept.
TEST_CASE("a step after others is that of its own problem", "[fast][abi]") {
  const std::pair<std::string, void (*)(OwnProblem&)> changes[] = {
      {"nothing", [](auto&) {}},
      {"a frequency", [](auto& x) { x.theta[2] *= 1.5; }},
      {"its low part", [](auto& x) { x.theta_lo[0] = 0x1p-20; }},
      {"the amplitude", [](auto& x) { x.problem.amplitude = 2; }},
      {"a narrower window", [](auto& x) { x.problem.rotary_dim -= 2; }},
      {"the position", [](auto& x) { x.positions[0] = 1000000; }},
      {"the direction", [](auto& x) { x.problem.direction = 1; }},
      {"the pairing",
       [](auto& x) { x.problem.pairing = ROPEPROOF_HALF_SPLIT; }},
      {"real positions",
       [](auto& x) {
         static const double half = 4.5;
         x.problem.positions = nullptr;
         x.problem.real_positions = &half;
       }},
      {"pair amplitudes",
       [](auto& x) {
         static const double twos[kPairs] = {2, 2, 2, 2};
         x.problem.pair_amplitude = twos;
       }},
  };
  for (const auto& [what, change] : changes) {
    OwnProblem own(ROPEPROOF_ROPE), other(ROPEPROOF_ROPE);
    own.make_step();
    for (own.positions[0] = 1; own.positions[0] < 5; ++own.positions[0]) {
      REQUIRE(ropeproof_run(&own.problem) == ROPEPROOF_OK);
    }
    own.q.memory = other.q.memory;
    other.positions[0] = own.positions[0];
    other.problem.batch = other.problem.seq = 1;  // out of place: no such rows
    change(own);
    change(other);
    CAPTURE(what);
    CHECK(ropeproof_run(&own.problem) == ROPEPROOF_OK);
    std::int32_t answer = ROPEPROOF_INVALID;  // of a thread that kept nothing
    std::thread([&] { answer = ropeproof_run(&other.problem); }).join();
    CHECK(answer == ROPEPROOF_OK);
    for (std::int64_t head = 0; head < 3; ++head) {
      CHECK(same_bits({own.q.head(0, 0, head), kHeadDim},
                      {other.q_out.head(0, 0, head), kHeadDim}));
    }
  }
}

}  // namespace
}  // namespace ropeproof::fast
