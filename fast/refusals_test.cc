#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "fast/abi.h"
#include "fast/own_problem.h"

namespace ropeproof::fast {
namespace {

// An alteration of a good problem, and what is said to it.
struct Refusal {
  std::string what;
  std::vector<std::uint32_t> operations;
  std::function<void(ropeproof_problem&)> alter;
  std::int32_t answer;
};

std::vector<Refusal> refusals() {
  const std::uint32_t f = ROPEPROOF_FREQUENCIES, t = ROPEPROOF_TABLE,
                      o = ROPEPROOF_ROTATE, r = ROPEPROOF_ROPE,
                      p = ROPEPROOF_PERMUTE;
  const std::int32_t invalid = ROPEPROOF_INVALID,
                     unsupported = ROPEPROOF_UNSUPPORTED;
  static const std::int32_t bad_axis[kPairs] = {0, 0, 1, 0};
  static const std::int64_t too_far[6] = {0, 0, 0, 0, 0, (1LL << 53) + 1};
  static const std::int64_t too_low[6] = {0, 0, -(1LL << 53) - 1, 0, 0, 0};
  static const double not_finite[kPairs * 6] = {
      1, std::numeric_limits<double>::infinity(),
      std::numeric_limits<double>::quiet_NaN()};
  using P = ropeproof_problem;
  return {
      {"short struct",
       {f, t, o, r, p},
       [](P& x) { x.struct_size -= 1; },
       invalid},
      {"odd rotary_dim",
       {f, t, o, r, p},
       [](P& x) { x.rotary_dim = 7; },
       invalid},
      {"no rotary_dim",
       {f, t, o, r, p},
       [](P& x) { x.rotary_dim = 0; },
       invalid},
      {"rotary_dim > head_dim",
       {o, r, p},
       [](P& x) {
         x.rotary_dim = 14;
         x.rotary_offset = 0;
       },
       invalid},
      {"window past the head",
       {o, r, p},
       [](P& x) { x.rotary_offset = 5; },
       invalid},
      {"window before the head",
       {o, r, p},
       [](P& x) { x.rotary_offset = -1; },
       invalid},
      {"batch < 0", {t, o, r}, [](P& x) { x.batch = -1; }, invalid},
      {"seq < 0", {t, o, r}, [](P& x) { x.seq = -1; }, invalid},
      {"heads < 0", {o, r}, [](P& x) { x.k.heads = -1; }, invalid},
      {"direction 0", {o, r}, [](P& x) { x.direction = 0; }, invalid},
      {"no input", {o, r}, [](P& x) { x.q.in = nullptr; }, invalid},
      {"no output", {o, r}, [](P& x) { x.k.out = nullptr; }, invalid},
      {"no cosines", {t, o}, [](P& x) { x.cos = nullptr; }, invalid},
      {"no sines", {t, o}, [](P& x) { x.sin = nullptr; }, invalid},
      {"no positions", {t, r}, [](P& x) { x.positions = nullptr; }, invalid},
      {"no inv_freq", {t, r}, [](P& x) { x.inv_freq = nullptr; }, invalid},
      {"no inv_freq_lo",
       {t, r},
       [](P& x) { x.inv_freq_lo = nullptr; },
       invalid},
      {"infinite amplitude",
       {t, r},
       [](P& x) { x.amplitude = std::numeric_limits<double>::infinity(); },
       invalid},
      {"axis out of range",
       {t, r},
       [](P& x) { x.axis_of_pair = bad_axis; },
       invalid},
      {"position beyond 2^53",
       {t, r},
       [](P& x) { x.positions = too_far; },
       invalid},
      {"position below -2^53",
       {t, r},
       [](P& x) { x.positions = too_low; },
       invalid},
      {"in place, other strides",
       {o, r},
       [](P& x) {
         x.q.out = const_cast<void*>(x.q.in);
         x.q.out_head_stride += 1;
       },
       invalid},
      {"in and out overlap",
       {o, r},
       [](P& x) {
         x.q.out = static_cast<float*>(const_cast<void*>(x.q.in)) + 4;
       },
       invalid},
      {"no base", {f}, [](P& x) { x.base = 0; }, invalid},
      {"nowhere to write frequencies",
       {f},
       [](P& x) { x.inv_freq_out = nullptr; },
       invalid},
      {"no weight", {p}, [](P& x) { x.permute_in = nullptr; }, invalid},
      {"weights overlap",
       {p},
       [](P& x) { x.permute_out = const_cast<void*>(x.permute_in); },
       invalid},
      {"columns < 0", {p}, [](P& x) { x.permute_columns = -1; }, invalid},
      {"unknown dtype", {o, r, p}, [](P& x) { x.dtype = 1 << 9; }, unsupported},
      {"unknown pairing",
       {o, r, p},
       [](P& x) { x.pairing = 1 << 9; },
       unsupported},
      {"unknown operation",
       {r},
       [](P& x) { x.operation = 1 << 20; },
       unsupported},
      {"pairs that share channels",
       {o, r},
       [](P& x) {
         x.pairing = ROPEPROOF_HALF_SPLIT;
         x.pair_distance = x.rotary_dim / 2 - 1;
       },
       invalid},
      {"pairs that leave the head",
       {o, r},
       [](P& x) {
         x.pairing = ROPEPROOF_HALF_SPLIT;
         x.pair_distance = x.head_dim - x.rotary_offset - x.rotary_dim / 2 + 1;
       },
       invalid},
      {"blocks that split pairs",
       {o, r},
       [](P& x) {
         x.pairing = ROPEPROOF_NESTED_HALF_SPLIT;
         x.pairing_blocks = 3;
       },
       invalid},
      {"no blocks",
       {o, r},
       [](P& x) { x.pairing = ROPEPROOF_NESTED_HALF_SPLIT; },
       invalid},
      {"misaligned input",
       {o, r},
       [](P& x) { x.q.in = static_cast<const char*>(x.q.in) + 1; },
       invalid},
      {"misaligned output",
       {o, r},
       [](P& x) { x.k.out = static_cast<char*>(x.k.out) + 2; },
       invalid},
      {"misaligned cosines",
       {t, o},
       [](P& x) { x.cos = static_cast<char*>(x.cos) + 3; },
       invalid},
      {"misaligned positions",
       {t, r},
       [](P& x) {
         x.positions = reinterpret_cast<const std::int64_t*>(
             reinterpret_cast<std::uintptr_t>(x.positions) + 4);
       },
       invalid},
      {"output rows that overlap",
       {o, r},
       [](P& x) { x.q.out_token_stride = 1; },
       invalid},
      {"output heads that overlap",
       {o, r},
       [](P& x) { x.q.out_head_stride = x.head_dim - 1; },
       invalid},
      {"all output in one row",
       {o, r},
       [](P& x) { x.q.out_batch_stride = 0; },
       invalid},
      {"table rows that overlap",
       {t},
       [](P& x) { x.table_token_stride = x.rotary_dim / 2 - 1; },
       invalid},
      {"cosines and sines in one place",
       {t},
       [](P& x) { x.sin = x.cos; },
       invalid},
      {"q and k to one place",
       {o, r},
       [](P& x) {
         x.k.out = x.q.out;
         x.k.heads = 1;
       },
       invalid},
      {"strides beyond the address space",
       {o, r},
       [](P& x) { x.q.out_batch_stride = INT64_MAX; },
       invalid},
      {"strides to minus infinity",
       {o, r},
       [](P& x) { x.q.in_batch_stride = INT64_MIN; },
       invalid},
      {"infinite base",
       {f, t, r},
       [](P& x) { x.base = std::numeric_limits<double>::infinity(); },
       invalid},
      {"base NaN",
       {f, t, r},
       [](P& x) { x.base = std::numeric_limits<double>::quiet_NaN(); },
       invalid},
      {"infinite frequency",
       {t, r},
       [](P& x) { x.inv_freq = not_finite; },
       invalid},
      {"infinite frequency, low part",
       {t, r},
       [](P& x) { x.inv_freq_lo = not_finite; },
       invalid},
      {"positions of two kinds",
       {t, r},
       [](P& x) { x.real_positions = x.inv_freq; },
       invalid},
      {"real position NaN",
       {t, r},
       [](P& x) {
         x.positions = nullptr;
         x.real_positions = not_finite;
       },
       invalid},
      {"more axis weights than memory holds",
       {t, r},
       [](P& x) {
         static const double weight = 1;
         x.axis_weights = &weight;
         x.position_axes = std::int64_t{1} << 61;  // times the pairs: 2^64 k
         x.position_axis_stride = 0;
       },
       invalid},
      {"infinite axis weight",
       {t, r},
       [](P& x) { x.axis_weights = not_finite; },
       invalid},
      {"infinite pair amplitude",
       {t, r},
       [](P& x) {
         x.pair_amplitude = not_finite;
         x.table_batch_stride = x.table_token_stride = 0;
       },
       invalid},
      {"scaled frequencies",
       {f},
       [](P& x) {
         static const ropeproof_scaling scaling{};
         x.scaling = &scaling;
       },
       unsupported},
      {"base out of range", {f}, [](P& x) { x.base = 0x1p500; }, unsupported},
  };
}

TEST_CASE("a problem that contradicts itself is refused, nothing written",
          "[fast][abi]") {
  for (const Refusal& refusal : refusals()) {
    for (const std::uint32_t operation : refusal.operations) {
      OwnProblem world(operation);
      const auto before = world.memory();
      refusal.alter(world.problem);
      CAPTURE(refusal.what, operation);
      CHECK(run(&world.problem) == refusal.answer);
      CHECK(same_bits(world.memory(), before));
    }
  }
  CHECK(run(nullptr) == ROPEPROOF_INVALID);
}

}  // namespace
}  // namespace ropeproof::fast
