#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "fast/plugin/own_problem.h"

namespace ropeproof::fast {
namespace {

TEST_CASE("each operation does what the kernel of its name does",
          "[fast][abi]") {
  const Layout layout{kHeadDim, kRotaryDim, kOffset, Pairing::kInterleaved};
  OwnProblem table_problem(ROPEPROOF_TABLE), rotate_problem(ROPEPROOF_ROTATE),
      rope_problem(ROPEPROOF_ROPE), permute_problem(ROPEPROOF_PERMUTE),
      frequencies_problem(ROPEPROOF_FREQUENCIES);
  for (OwnProblem* own : {&table_problem, &rotate_problem, &rope_problem,
                          &permute_problem, &frequencies_problem}) {
    REQUIRE(ropeproof_run(&own->problem) == ROPEPROOF_OK);
  }

  CHECK(same_bits(table_problem.cos_sin, rotate_problem.cos_sin));

  OwnProblem want(ROPEPROOF_ROPE);
  const Tensor both[] = {between(want.q, want.q_out),
                         between(want.k, want.k_out)};
  rope(Plan(want.theta, want.theta_lo, 1.5), layout, Direction::kAdjoint,
       kShape, {want.positions.data(), 6, 3}, both);
  for (const OwnProblem* own : {&rotate_problem, &rope_problem}) {
    CHECK(same_bits(own->q_out.memory, want.q_out.memory));
    CHECK(same_bits(own->k_out.memory, want.k_out.memory));
  }

  permute(layout, 2, 5 * sizeof(float), want.weight.data(),
          want.weight_out.data());
  CHECK(same_bits(permute_problem.weight_out, want.weight_out));

  for (std::size_t j = 0; j < kPairs; ++j) {
    CHECK(frequencies_problem.inv_freq_out[j] ==
          static_cast<float>(want.theta[j]));
  }
}

TEST_CASE("a look-up rotates by the rows that are named", "[fast][abi]") {
  OwnProblem want(ROPEPROOF_ROTATE);
  REQUIRE(ropeproof_run(&want.problem) == ROPEPROOF_OK);
  const std::size_t tokens = 6;
  // The rows in reverse, side by side, behind a row of NaNs.
  std::vector<float> rows(2 * kPairs * (tokens + 1), kPoison);
  std::vector<std::int64_t> ids;
  for (std::size_t t = 0; t < tokens; ++t) {
    const std::size_t row = tokens - t;
    ids.push_back(static_cast<std::int64_t>(row));
    std::copy_n(&want.cos_sin.cos[t * kPairs], kPairs, &rows[row * 2 * kPairs]);
    std::copy_n(&want.cos_sin.sin[t * kPairs], kPairs,
                &rows[(row * 2 + 1) * kPairs]);
  }
  const auto asked = [&](OwnProblem& own) {
    ropeproof_problem& p = own.problem;
    p.operation = ROPEPROOF_LOOKUP;
    p.cache = ROPEPROOF_CACHE_SIDE_BY_SIDE;
    p.cache_rows = static_cast<std::int64_t>(tokens + 1);
    p.cos = rows.data();
    p.sin = nullptr;
    p.table_token_stride = 2 * kPairs;
    p.ids = ids.data();
    return ropeproof_run(&p);
  };
  OwnProblem own(ROPEPROOF_ROTATE);
  REQUIRE(asked(own) == ROPEPROOF_OK);
  CHECK(same_bits(own.q_out.memory, want.q_out.memory));
  CHECK(same_bits(own.k_out.memory, want.k_out.memory));
  for (const std::int64_t wrong : {-1, 7}) {
    ids[3] = wrong;
    OwnProblem refused(ROPEPROOF_ROTATE);
    const auto before = refused.memory();
    CHECK(asked(refused) == ROPEPROOF_INVALID);
    CHECK(same_bits(refused.memory(), before));
  }
}

TEST_CASE("frequencies come as binary64 too", "[fast][abi]") {
  OwnProblem own(ROPEPROOF_FREQUENCIES);
  std::vector<double> got(kPairs);
  own.problem.table_dtype = ROPEPROOF_F64;
  own.problem.inv_freq_out = got.data();
  CHECK(ropeproof_run(&own.problem) == ROPEPROOF_OK);
  CHECK(got == own.theta);
}

TEST_CASE("axis_of_pair picks the position of each pair", "[fast][abi]") {
  OwnProblem own(ROPEPROOF_TABLE), zero(ROPEPROOF_TABLE);
  const std::int32_t axes[kPairs] = {1, 0, 1, 0};
  own.positions.insert(own.positions.end(), 6, 0);  // axis 1 stands still
  own.problem.positions = own.positions.data();
  own.problem.position_axes = 2;
  own.problem.axis_of_pair = axes;
  REQUIRE(ropeproof_run(&own.problem) == ROPEPROOF_OK);
  REQUIRE(ropeproof_run(&zero.problem) == ROPEPROOF_OK);
  for (std::size_t i = 0; i < own.cos_sin.cos.size(); ++i) {
    const bool stands_still = axes[i % kPairs] == 1;
    CHECK(own.cos_sin.cos[i] == (stands_still ? 1.5f : zero.cos_sin.cos[i]));
  }
}

TEST_CASE("an empty problem is solved by doing nothing", "[fast][abi]") {
  for (const std::uint32_t operation :
       {ROPEPROOF_TABLE, ROPEPROOF_ROTATE, ROPEPROOF_ROPE}) {
    OwnProblem own(operation);
    const auto before = own.memory();
    own.problem.seq = 0;
    own.problem.positions = nullptr;
    own.problem.cos = own.problem.sin = nullptr;
    own.problem.q = own.problem.k = {};
    CAPTURE(operation);
    CHECK(ropeproof_run(&own.problem) == ROPEPROOF_OK);
    CHECK(same_bits(own.memory(), before));
  }
}

TEST_CASE("the description claims every operation and type of the suite",
          "[fast][abi]") {
  ropeproof_description description{};
  CHECK(ropeproof_describe(nullptr) == ROPEPROOF_INVALID);
  CHECK(ropeproof_describe(&description) ==
        ROPEPROOF_INVALID);  // struct_size 0
  description.struct_size = sizeof description;
  CHECK(ropeproof_describe(&description) == ROPEPROOF_OK);
  CHECK(std::string(description.name) == "fast");
  CHECK(description.abi_version == ROPEPROOF_ABI_VERSION);
  for (const std::uint32_t operation : kOperations) {
    CHECK((description.operations & operation) != 0);
  }
  CHECK(description.dtypes ==
        (ROPEPROOF_F64 | ROPEPROOF_F32 | ROPEPROOF_F16 | ROPEPROOF_BF16));
  CHECK(description.claims[0].angle_class == ROPEPROOF_A0);
}

TEST_CASE(
    "real positions, axis weights and pair amplitudes come out as their "
    "plain counterparts",
    "[fast][abi]") {
  OwnProblem plain(ROPEPROOF_TABLE);
  REQUIRE(ropeproof_run(&plain.problem) == ROPEPROOF_OK);

  OwnProblem real(ROPEPROOF_TABLE);
  const std::vector<double> positions(real.positions.begin(),
                                      real.positions.end());
  real.problem.positions = nullptr;
  real.problem.real_positions = positions.data();

  OwnProblem weighted(ROPEPROOF_TABLE);  // 3/4 + 1/4 of the same position
  std::vector<std::int64_t> twice = weighted.positions;
  twice.insert(twice.end(), weighted.positions.begin(),
               weighted.positions.end());
  std::vector<double> weights(2 * kPairs, 0.75);
  std::fill(weights.begin() + kPairs, weights.end(), 0.25);
  weighted.problem.positions = twice.data();
  weighted.problem.position_axes = 2;
  weighted.problem.axis_weights = weights.data();

  OwnProblem amplified(ROPEPROOF_TABLE);
  const std::vector<double> amplitude(6 * kPairs, 1.5);
  amplified.problem.amplitude = 7;
  amplified.problem.pair_amplitude = amplitude.data();

  for (OwnProblem* own : {&real, &weighted, &amplified}) {
    CHECK(ropeproof_run(&own->problem) == ROPEPROOF_OK);
    CHECK(same_bits(own->cos_sin, plain.cos_sin));
  }
}

}  // namespace
}  // namespace ropeproof::fast
