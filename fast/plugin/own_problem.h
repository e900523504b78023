// own_problem.h -- a problem of the C ABI with its own buffers, for the tests.
#pragma once

#include <ropeproof_kernel.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fast/rope_fast.h"
#include "fast/testing.h"

namespace ropeproof::fast {

inline constexpr std::int64_t kHeadDim = 12, kRotaryDim = 8, kOffset = 2;
inline constexpr std::size_t kPairs = kRotaryDim / 2;
inline constexpr Shape kShape{2, 3};

// A problem for every operation at once, with buffers of its own.
struct OwnProblem {
  std::vector<double> theta, theta_lo;
  std::vector<std::int64_t> positions = {1, 2, 3, -4, 50, 600};
  OwnTable cos_sin;
  std::vector<float> inv_freq_out;
  Buffer q, q_out, k, k_out;
  std::vector<float> weight, weight_out;
  ropeproof_problem problem{};

  explicit OwnProblem(std::uint32_t operation)
      : theta(kPairs),
        theta_lo(kPairs),
        cos_sin(6, kPairs),
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
            {cos_sin.cos.data(), cos_sin.sin.data(), 3 * kPairs, kPairs});
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
    problem.cos = cos_sin.cos.data();
    problem.sin = cos_sin.sin.data();
    problem.table_batch_stride = 3 * kPairs;
    problem.table_token_stride = kPairs;
    problem.inv_freq_out = inv_freq_out.data();
    problem.permute_in = weight.data();
    problem.permute_out = weight_out.data();
    problem.permute_heads = 2;
    problem.permute_columns = 5;
  }
  // Leaves its first token alone, in place: what is_plain_step() knows.
  void make_step() {
    problem.batch = problem.seq = 1;
    problem.q = abi_tensor(q, q);
    problem.k = abi_tensor(k, k);
  }
  OwnProblem(const OwnProblem&) = delete;  // `problem` points into it

  static ropeproof_tensor abi_tensor(Buffer& in, Buffer& out) {
    return {in.memory.data(),  out.memory.data(), in.heads,
            in.strides.batch,  in.strides.token,  in.strides.head,
            out.strides.batch, out.strides.token, out.strides.head};
  }

  // Everything that a call could write.
  std::vector<float> memory() const {
    std::vector<float> all;
    for (const auto* part :
         {&cos_sin.cos, &cos_sin.sin, &inv_freq_out, &q.memory, &q_out.memory,
          &k.memory, &k_out.memory, &weight, &weight_out}) {
      all.insert(all.end(), part->begin(), part->end());
    }
    return all;
  }
};

inline constexpr std::uint32_t kOperations[] = {
    ROPEPROOF_FREQUENCIES, ROPEPROOF_TABLE, ROPEPROOF_ROTATE, ROPEPROOF_ROPE,
    ROPEPROOF_PERMUTE};

}  // namespace ropeproof::fast
