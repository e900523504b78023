#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "fast/plugin/own_problem.h"
#include "fast/plugin/problem.h"
#include "fast/plugin/step.h"

namespace ropeproof::fast {
namespace {

// An alteration of a good problem that the suite does not ask (its own are in
// conformance/check/reject.cc), and the answer to it.
struct Refusal {
  std::string what;
  std::uint32_t operations;
  std::int32_t answer;
  std::function<void(ropeproof_problem&)> alter;
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
      {"short struct", f | t | o | r | p, invalid,
       [](P& x) { x.struct_size -= 1; }},
      {"window before the head", o | r | p, invalid,
       [](P& x) { x.rotary_offset = -1; }},
      {"seq < 0", t | o | r, invalid, [](P& x) { x.seq = -1; }},
      {"heads < 0", o | r, invalid, [](P& x) { x.k.heads = -1; }},
      {"no cosines", t | o, invalid, [](P& x) { x.cos = nullptr; }},
      {"no sines", t | o, invalid, [](P& x) { x.sin = nullptr; }},
      {"no inv_freq", t | r, invalid, [](P& x) { x.inv_freq = nullptr; }},
      {"no inv_freq_lo", t | r, invalid, [](P& x) { x.inv_freq_lo = nullptr; }},
      {"infinite amplitude", t | r, invalid,
       [](P& x) { x.amplitude = std::numeric_limits<double>::infinity(); }},
      {"axis out of range", t | r, invalid,
       [](P& x) { x.axis_of_pair = bad_axis; }},
      {"position beyond 2^53", t | r, invalid,
       [](P& x) { x.positions = too_far; }},
      {"position below -2^53", t | r, invalid,
       [](P& x) { x.positions = too_low; }},
      {"in place, other strides", o | r, invalid,
       [](P& x) {
         x.q.out = const_cast<void*>(x.q.in);
         x.q.out_head_stride += 1;
       }},
      {"no base", f, invalid, [](P& x) { x.base = 0; }},
      {"nowhere to write frequencies", f, invalid,
       [](P& x) { x.inv_freq_out = nullptr; }},
      {"no weight", p, invalid, [](P& x) { x.permute_in = nullptr; }},
      {"weights overlap", p, invalid,
       [](P& x) { x.permute_out = const_cast<void*>(x.permute_in); }},
      {"columns < 0", p, invalid, [](P& x) { x.permute_columns = -1; }},
      {"unknown dtype", o | r | p, unsupported, [](P& x) { x.dtype = 1 << 9; }},
      {"unknown pairing", o | r | p, unsupported,
       [](P& x) { x.pairing = 1 << 9; }},
      {"unknown operation", r, unsupported,
       [](P& x) { x.operation = 1 << 20; }},
      {"pairs that share channels", o | r, invalid,
       [](P& x) {
         x.pairing = ROPEPROOF_HALF_SPLIT;
         x.pair_distance = x.rotary_dim / 2 - 1;
       }},
      {"pairs that leave the head", o | r, invalid,
       [](P& x) {
         x.pairing = ROPEPROOF_HALF_SPLIT;
         x.pair_distance = x.head_dim - x.rotary_offset - x.rotary_dim / 2 + 1;
       }},
      {"blocks that split pairs", o | r, invalid,
       [](P& x) {
         x.pairing = ROPEPROOF_NESTED_HALF_SPLIT;
         x.pairing_blocks = 3;
       }},
      {"no blocks", o | r, invalid,
       [](P& x) { x.pairing = ROPEPROOF_NESTED_HALF_SPLIT; }},
      {"misaligned input", o | r, invalid,
       [](P& x) { x.q.in = static_cast<const char*>(x.q.in) + 1; }},
      {"misaligned output", o | r, invalid,
       [](P& x) { x.k.out = static_cast<char*>(x.k.out) + 2; }},
      {"misaligned cosines", t | o, invalid,
       [](P& x) { x.cos = static_cast<char*>(x.cos) + 3; }},
      {"misaligned positions", t | r, invalid,
       [](P& x) {
         x.positions = reinterpret_cast<const std::int64_t*>(
             reinterpret_cast<std::uintptr_t>(x.positions) + 4);
       }},
      {"output heads that overlap", o | r, invalid,
       [](P& x) { x.q.out_head_stride = x.head_dim - 1; }},
      {"all output in one row", o | r, invalid,
       [](P& x) { x.q.out_batch_stride = 0; }},
      {"table rows that overlap", t, invalid,
       [](P& x) { x.table_token_stride = x.rotary_dim / 2 - 1; }},
      {"cosines and sines in one place", t, invalid,
       [](P& x) { x.sin = x.cos; }},
      {"q and k to one place", o | r, invalid,
       [](P& x) {
         x.k.out = x.q.out;
         x.k.heads = 1;
       }},
      {"strides beyond the address space", o | r, invalid,
       [](P& x) { x.q.out_batch_stride = INT64_MAX; }},
      {"strides to minus infinity", o | r, invalid,
       [](P& x) { x.q.in_batch_stride = INT64_MIN; }},
      {"infinite frequency, low part", t | r, invalid,
       [](P& x) { x.inv_freq_lo = not_finite; }},
      {"positions of two kinds", t | r, invalid,
       [](P& x) { x.real_positions = x.inv_freq; }},
      {"real position NaN", t | r, invalid,
       [](P& x) {
         x.positions = nullptr;
         x.real_positions = not_finite;
       }},
      {"more axis weights than memory holds", t | r, invalid,
       [](P& x) {
         static const double weight = 1;
         x.axis_weights = &weight;
         x.position_axes = std::int64_t{1} << 61;  // times the pairs: 2^64 k
         x.position_axis_stride = 0;
       }},
      {"infinite axis weight", t | r, invalid,
       [](P& x) { x.axis_weights = not_finite; }},
      {"infinite pair amplitude", t | r, invalid,
       [](P& x) {
         x.pair_amplitude = not_finite;
         x.table_batch_stride = x.table_token_stride = 0;
       }},
      {"scaled frequencies", f, unsupported,
       [](P& x) {
         static const ropeproof_scaling scaling{};
         x.scaling = &scaling;
       }},
      {"base out of range", f, unsupported, [](P& x) { x.base = 0x1p500; }},
  };
}

TEST_CASE("a problem that contradicts itself is refused, nothing written",
          "[fast][abi]") {
  for (const Refusal& refusal : refusals()) {
    for (const std::uint32_t operation : kOperations) {
      if ((refusal.operations & operation) == 0) continue;
      OwnProblem own(operation);
      const auto before = own.memory();
      refusal.alter(own.problem);
      CAPTURE(refusal.what, operation);
      CHECK(ropeproof_run(&own.problem) == refusal.answer);
      CHECK(same_bits(own.memory(), before));
    }
  }
  CHECK(ropeproof_run(nullptr) == ROPEPROOF_INVALID);
  ropeproof_description description{};  // struct_size 0
  CHECK(ropeproof_describe(&description) == ROPEPROOF_INVALID);
  CHECK(ropeproof_describe(nullptr) == ROPEPROOF_INVALID);
}

__extension__ using Exact = __int128;

// Whether a token's heads, rotated in place, lie apart from each other in the
// half of the address space that there is.
bool can_be_rotated(const ropeproof_tensor& t, std::int64_t head_dim) {
  const Exact address = reinterpret_cast<std::uintptr_t>(t.out),
              stretch = Exact{t.heads - 1} * t.out_head_stride,
              first = address + 4 * (stretch < 0 ? stretch : 0),
              end = address + 4 * (head_dim + (stretch < 0 ? 0 : stretch));
  const bool is_alone = t.heads == 1;
  return address != 0 && address % 4 == 0 && first >= 0 && end <= INT64_MAX &&
         (is_alone || t.in_head_stride == t.out_head_stride) &&
         (is_alone || t.out_head_stride >= head_dim ||
          t.out_head_stride <= -head_dim);
}

TEST_CASE("one token's memory is judged as by exact arithmetic",
          "[fast][abi]") {
  constexpr std::int64_t kSmall = 1 << 20, kHuge = std::int64_t{1} << 61;
  ropeproof_problem problem{};
  problem.dtype = ROPEPROOF_F32;
  problem.direction = 1;
  problem.operation = ROPEPROOF_ROTATE;
  problem.table_dtype = ROPEPROOF_F32;
  problem.pairing = ROPEPROOF_INTERLEAVED;
  problem.batch = problem.seq = 1;
  problem.rotary_dim = 2;
  alignas(8) float row[2];
  problem.cos = problem.sin = row;
  int right = 0, wrong = 0, plain = 0;
  for (const std::int64_t heads :
       {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, kSmall - 1, kSmall,
        kSmall + 1, kHuge / 4, kHuge}) {
    for (const std::int64_t head_dim : {std::int64_t{2}, std::int64_t{64},
                                        kSmall - 1, kSmall, kHuge - 1, kHuge}) {
      for (const std::int64_t stride :
           {head_dim - 1, head_dim, head_dim + 1, head_dim + kSmall - 1,
            head_dim + kSmall, std::int64_t{0}, std::int64_t{1}, -head_dim,
            1 - head_dim, INT64_MAX, INT64_MIN + 1, INT64_MIN}) {
        for (const std::uintptr_t address :
             {std::uintptr_t{0}, std::uintptr_t{2}, std::uintptr_t{4},
              std::uintptr_t{1} << 40, UINTPTR_MAX / 4 - 7, UINTPTR_MAX / 4 - 3,
              UINTPTR_MAX / 4 + 1, UINTPTR_MAX / 2 - 511,
              UINTPTR_MAX / 2 + 1}) {
          for (const std::int64_t more : {0, 1}) {
            void* const data = reinterpret_cast<void*>(address);
            problem.q = {data, data,      heads,     INT64_MIN, INT64_MAX,
                         more, INT64_MAX, INT64_MIN, stride};
            problem.q.in_head_stride = more == 0 ? stride : stride / 2;
            Tensors tensors;
            const bool is_right = can_be_rotated(problem.q, head_dim);
            (is_right ? right : wrong) += 1;
            CAPTURE(heads, head_dim, stride, address, more);
            problem.head_dim = head_dim;
            const bool is_plain = is_plain_step(problem);
            REQUIRE((is_right || !is_plain));
            plain += is_plain ? 1 : 0;
            REQUIRE(check_tensors(problem,
                                  {head_dim, 2, 0, Pairing::kInterleaved},
                                  {1, 1}, tensors) ==
                    (is_right ? ROPEPROOF_OK : ROPEPROOF_INVALID));
          }
        }
      }
    }
  }
  CHECK((right > 100 && wrong > 100 && plain > 100));
}

}  // namespace
}  // namespace ropeproof::fast
