#include "fast/abi.h"

#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "fast/rope_fast.h"
#include "fast/testing.h"

namespace ropeproof::fast {
namespace {

constexpr std::int64_t kHeadDim = 12, kRotaryDim = 8, kOffset = 2;
constexpr std::size_t kPairs = kRotaryDim / 2;
const Shape kShape{2, 3};

// A problem for every operation at once, with buffers of its own.
struct World {
  std::vector<double> theta, theta_lo;
  std::vector<std::int64_t> positions = {1, 2, 3, -4, 50, 600};
  OwnTable turns;
  std::vector<float> inv_freq_out;
  Buffer q, q_out, k, k_out;
  std::vector<float> weight, weight_out;
  ropeproof_problem problem{};

  explicit World(std::uint32_t operation)
      : theta(kPairs),
        theta_lo(kPairs),
        turns(6, kPairs),
        inv_freq_out(kPairs, kPoison),
        q(kShape, 3, kHeadDim, 1),
        q_out(q),
        k(kShape, 1, kHeadDim, 2),
        k_out(k),
        weight(samples(2 * kHeadDim * 5, 3)),
        weight_out(weight.size(), kPoison) {
    frequencies(10000, theta, theta_lo);
    q.memory = samples(q.memory.size(), 1);
    k.memory = samples(k.memory.size(), 2);
    if (operation != ROPEPROOF_TABLE) {
      table(Plan(theta, theta_lo, 1.5), kShape, {positions.data(), 0, 3},
            {turns.cos.data(), turns.sin.data(), 3 * kPairs, kPairs});
    }
    problem.struct_size = sizeof problem;
    problem.operation = operation;
    problem.dtype = problem.table_dtype = ROPEPROOF_F32;
    problem.pairing = ROPEPROOF_INTERLEAVED;
    problem.direction = -1;
    problem.batch = kShape.batch;
    problem.seq = kShape.seq;
    problem.head_dim = kHeadDim;
    problem.rotary_dim = kRotaryDim;
    problem.rotary_offset = kOffset;
    problem.q = abi_tensor(q, q_out);
    problem.k = abi_tensor(k, k_out);
    problem.positions = positions.data();
    problem.position_axes = 1;
    problem.position_axis_stride = 6;
    problem.position_batch_stride = 3;
    problem.base = 10000;
    problem.inv_freq = theta.data();
    problem.inv_freq_lo = theta_lo.data();
    problem.amplitude = 1.5;
    problem.cos = turns.cos.data();
    problem.sin = turns.sin.data();
    problem.table_batch_stride = 3 * kPairs;
    problem.table_token_stride = kPairs;
    problem.inv_freq_out = inv_freq_out.data();
    problem.permute_in = weight.data();
    problem.permute_out = weight_out.data();
    problem.permute_heads = 2;
    problem.permute_columns = 5;
  }
  World(const World&) = delete;  // `problem` points into it

  static ropeproof_tensor abi_tensor(Buffer& in, Buffer& out) {
    return {in.memory.data(),  out.memory.data(), in.heads,
            in.strides.batch,  in.strides.token,  in.strides.head,
            out.strides.batch, out.strides.token, out.strides.head};
  }

  // Everything that a call could write.
  std::vector<float> memory() const {
    std::vector<float> all;
    for (const auto* part :
         {&turns.cos, &turns.sin, &inv_freq_out, &q.memory, &q_out.memory,
          &k.memory, &k_out.memory, &weight, &weight_out}) {
      all.insert(all.end(), part->begin(), part->end());
    }
    return all;
  }
};

constexpr std::uint32_t kOperations[] = {ROPEPROOF_FREQUENCIES, ROPEPROOF_TABLE,
                                         ROPEPROOF_ROTATE, ROPEPROOF_ROPE,
                                         ROPEPROOF_PERMUTE};

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
  static const double not_finite[kPairs] = {
      1, 1, 1, std::numeric_limits<double>::infinity()};
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
      {"infinite frequency",
       {t, r},
       [](P& x) { x.inv_freq = not_finite; },
       invalid},
      {"output rows closer than they are long",
       {o, r},
       [](P& x) { x.q.out_token_stride = 1; },
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
      {"f16", {o, r}, [](P& x) { x.dtype = ROPEPROOF_F16; }, unsupported},
      {"unknown dtype", {o, r, p}, [](P& x) { x.dtype = 1 << 9; }, unsupported},
      {"bf16 table",
       {f, t, o},
       [](P& x) { x.table_dtype = ROPEPROOF_BF16; },
       unsupported},
      {"unknown pairing",
       {o, r, p},
       [](P& x) { x.pairing = 1 << 5; },
       unsupported},
      {"unknown operation",
       {r},
       [](P& x) { x.operation = 1 << 20; },
       unsupported},
      {"pairs further apart",
       {o, r},
       [](P& x) {
         x.pairing = ROPEPROOF_HALF_SPLIT;
         x.pair_distance = x.head_dim / 2 + 1;
       },
       unsupported},
      {"real positions",
       {t, r},
       [](P& x) { x.real_positions = x.inv_freq; },
       unsupported},
      {"axis weights",
       {t, r},
       [](P& x) { x.axis_weights = x.inv_freq; },
       unsupported},
      {"pair amplitude",
       {t, r},
       [](P& x) { x.pair_amplitude = x.inv_freq; },
       unsupported},
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
      World world(operation);
      const auto before = world.memory();
      refusal.alter(world.problem);
      CAPTURE(refusal.what, operation);
      CHECK(run(&world.problem) == refusal.answer);
      CHECK(same_bits(world.memory(), before));
    }
  }
  CHECK(run(nullptr) == ROPEPROOF_INVALID);
}

TEST_CASE("the same problem unaltered is solved", "[fast][abi]") {
  for (const std::uint32_t operation : kOperations) {
    World world(operation);
    const auto before = world.memory();
    CAPTURE(operation);
    CHECK(run(&world.problem) == ROPEPROOF_OK);
    CHECK_FALSE(same_bits(world.memory(), before));
  }
}

TEST_CASE("each operation does what the kernel of its name does",
          "[fast][abi]") {
  const Layout layout{kHeadDim, kRotaryDim, kOffset, Pairing::kInterleaved};
  World table_world(ROPEPROOF_TABLE), rotate_world(ROPEPROOF_ROTATE),
      rope_world(ROPEPROOF_ROPE), permute_world(ROPEPROOF_PERMUTE),
      frequencies_world(ROPEPROOF_FREQUENCIES);
  for (World* world : {&table_world, &rotate_world, &rope_world, &permute_world,
                       &frequencies_world}) {
    REQUIRE(run(&world->problem) == ROPEPROOF_OK);
  }

  CHECK(same_bits(table_world.turns.cos, rotate_world.turns.cos));
  CHECK(same_bits(table_world.turns.sin, rotate_world.turns.sin));

  World want(ROPEPROOF_ROPE);
  const Tensor both[] = {between(want.q, want.q_out),
                         between(want.k, want.k_out)};
  rope(Plan(want.theta, want.theta_lo, 1.5), layout, Direction::kAdjoint,
       kShape, {want.positions.data(), 6, 3}, both);
  for (const World* world : {&rotate_world, &rope_world}) {
    CHECK(same_bits(world->q_out.memory, want.q_out.memory));
    CHECK(same_bits(world->k_out.memory, want.k_out.memory));
  }

  permute(layout, 2, 5 * sizeof(float), want.weight.data(),
          want.weight_out.data());
  CHECK(same_bits(permute_world.weight_out, want.weight_out));

  for (std::size_t j = 0; j < kPairs; ++j) {
    CHECK(frequencies_world.inv_freq_out[j] ==
          static_cast<float>(want.theta[j]));
  }
}

TEST_CASE("frequencies come as binary64 too", "[fast][abi]") {
  World world(ROPEPROOF_FREQUENCIES);
  std::vector<double> got(kPairs);
  world.problem.table_dtype = ROPEPROOF_F64;
  world.problem.inv_freq_out = got.data();
  CHECK(run(&world.problem) == ROPEPROOF_OK);
  CHECK(got == world.theta);
}

TEST_CASE("axis_of_pair picks the position of each pair", "[fast][abi]") {
  World world(ROPEPROOF_TABLE), zero(ROPEPROOF_TABLE);
  const std::int32_t axes[kPairs] = {1, 0, 1, 0};
  world.positions.insert(world.positions.end(), 6, 0);  // axis 1 stands still
  world.problem.positions = world.positions.data();
  world.problem.position_axes = 2;
  world.problem.axis_of_pair = axes;
  REQUIRE(run(&world.problem) == ROPEPROOF_OK);
  REQUIRE(run(&zero.problem) == ROPEPROOF_OK);
  for (std::size_t i = 0; i < world.turns.cos.size(); ++i) {
    const bool stands_still = axes[i % kPairs] == 1;
    CHECK(world.turns.cos[i] == (stands_still ? 1.5f : zero.turns.cos[i]));
  }
}

TEST_CASE("an empty problem is solved by doing nothing", "[fast][abi]") {
  for (const std::uint32_t operation :
       {ROPEPROOF_TABLE, ROPEPROOF_ROTATE, ROPEPROOF_ROPE}) {
    World world(operation);
    const auto before = world.memory();
    world.problem.seq = 0;
    world.problem.positions = nullptr;
    world.problem.cos = world.problem.sin = nullptr;
    world.problem.q = world.problem.k = {};
    CAPTURE(operation);
    CHECK(run(&world.problem) == ROPEPROOF_OK);
    CHECK(same_bits(world.memory(), before));
  }
}

TEST_CASE("the description claims every operation of the suite, in f32",
          "[fast][abi]") {
  ropeproof_description description{};
  CHECK(describe(nullptr) == ROPEPROOF_INVALID);
  CHECK(describe(&description) == ROPEPROOF_INVALID);  // struct_size 0
  description.struct_size = sizeof description;
  CHECK(describe(&description) == ROPEPROOF_OK);
  CHECK(std::string(description.name) == "fast");
  CHECK(description.abi_version == ROPEPROOF_ABI_VERSION);
  for (const std::uint32_t operation : kOperations) {
    CHECK((description.operations & operation) != 0);
  }
  CHECK(description.dtypes == ROPEPROOF_F32);
  CHECK(description.angle_class == ROPEPROOF_A0);
}

}  // namespace
}  // namespace ropeproof::fast
