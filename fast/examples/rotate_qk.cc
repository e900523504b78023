// rotate_qk.cc -- rotates the queries and keys of one grouped-query layer,
// first a prompt, then one token more, as an engine does it.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

#include "fast/rope_fast.h"

namespace rope = ropeproof::fast;

int main() {
  constexpr std::int64_t kTokens = 12, kQueryHeads = 8, kKeyHeads = 2;
  constexpr std::int64_t kHeadDim = 128;

  // Once per model.
  std::vector<double> theta(kHeadDim / 2), theta_lo(kHeadDim / 2);
  rope::frequencies(500000, theta, theta_lo);
  const rope::Plan plan(theta, theta_lo);
  const rope::Layout layout{kHeadDim, kHeadDim, 0, rope::Pairing::kHalfSplit};

  // [tokens, heads, head_dim], as a projection leaves them.
  std::vector<float> q(kTokens * kQueryHeads * kHeadDim, 1.0f);
  std::vector<float> k(kTokens * kKeyHeads * kHeadDim, 1.0f);
  const auto in_place = [&](std::vector<float>& x, std::int64_t heads,
                            std::int64_t token) {
    const rope::Strides strides{0, heads * kHeadDim, kHeadDim};
    float* first = x.data() + token * strides.token;
    return rope::Tensor{first, first, heads, strides, strides};
  };

  // All tokens but the last, then the last: angles are formed once for q and k.
  std::vector<std::int64_t> positions(kTokens);
  std::iota(positions.begin(), positions.end(), 131000);
  for (const auto& [first, count] :
       {std::pair<std::int64_t, std::int64_t>{0, kTokens - 1},
        {kTokens - 1, 1}}) {
    const rope::Tensor both[] = {in_place(q, kQueryHeads, first),
                                 in_place(k, kKeyHeads, first)};
    rope::rope(plan, layout, rope::Direction::kForward, {1, count},
               {positions.data() + first, 0, 0}, both);
  }

  // A rotation by position p: scores depend on distances alone.
  const auto score = [&](std::int64_t query, std::int64_t key) {
    const float* a = q.data() + query * kQueryHeads * kHeadDim;
    const float* b = k.data() + key * kKeyHeads * kHeadDim;
    return std::inner_product(a, a + kHeadDim, b, 0.0);
  };
  const double near = score(3, 1), far = score(11, 9);
  std::printf("q3.k1 = %.4f, q11.k9 = %.4f\n", near, far);
  return std::abs(near - far) < 1e-3 ? 0 : 1;
}
