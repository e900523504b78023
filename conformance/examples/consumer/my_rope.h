// my_rope.h -- the kernel that with_gtest.cc and with_catch2.cc test.
#ifndef ROPEPROOF_CONFORMANCE_EXAMPLES_CONSUMER_MY_ROPE_H_
#define ROPEPROOF_CONFORMANCE_EXAMPLES_CONSUMER_MY_ROPE_H_

#include <cmath>
#include <cstdint>
#include <vector>

// Half split, in f32, base 10000: x is dense [tokens, heads, head_dim].
inline std::vector<float> my_rope(const std::vector<float>& x,
                                  const std::vector<std::int64_t>& positions,
                                  int heads, int head_dim) {
  std::vector<float> y(x.size());
  const int half = head_dim / 2;
  for (int i = 0; i < static_cast<int>(x.size()) / 2; ++i) {
    const int j = i % half, token = i / half / heads, u = 2 * i - j;
    const float theta =
        std::pow(10000.0f, -static_cast<float>(j) / static_cast<float>(half));
    const float phi = static_cast<float>(positions[token]) * theta;
    y[u] = x[u] * std::cos(phi) - x[u + half] * std::sin(phi);
    y[u + half] = x[u] * std::sin(phi) + x[u + half] * std::cos(phi);
  }
  return y;
}

#endif  // ROPEPROOF_CONFORMANCE_EXAMPLES_CONSUMER_MY_ROPE_H_
