// RoPE in plain C++: what the compiler makes of it.
#include <cmath>
#include <vector>

#include "conformance/bench/limits.h"
#include "conformance/bench/plain_types.h"
#include "conformance/bench/widest.h"

namespace ropeproof::conformance::bench {
namespace {

// Rotates the heads of one token in place.
template <class E>
struct RotateToken {
  E* x;
  std::int64_t heads, stride, pairs;
  bool is_interleaved;
  const float *cos, *sin;

  __attribute__((always_inline)) void operator()() const {
    for (std::int64_t h = 0; h < heads; ++h) {
      E* const head = x + h * stride;
      if (is_interleaved) {
        rotate(head, head + 1, 2, cos, sin);
      } else {
        rotate(head, head + pairs, 1, cos, sin);
      }
    }
  }
  // `a` and `b` never meet: their distance is odd or at least `pairs`.
  __attribute__((always_inline)) void rotate(E* __restrict a, E* __restrict b,
                                             std::int64_t step,
                                             const float* __restrict c,
                                             const float* __restrict s) const {
    for (std::int64_t j = 0; j < pairs; ++j) {
      const float u = E::widen(a[j * step]), v = E::widen(b[j * step]);
      a[j * step] = E::narrow(u * c[j] - v * s[j]);
      b[j * step] = E::narrow(v * c[j] + u * s[j]);
    }
  }
};

void form_row(const ropeproof_problem& p, std::int64_t token, float* cos,
              float* sin) {
  const auto position = static_cast<float>(p.positions[token]);
  for (std::int64_t j = 0; j < p.rotary_dim / 2; ++j) {
    const float angle = position * static_cast<float>(p.inv_freq[j]);
    cos[j] = std::cos(angle);
    sin[j] = std::sin(angle);
  }
}

template <class E>
void rotate_tokens(const ropeproof_problem& p) {
  const std::int64_t pairs = p.rotary_dim / 2;
  std::vector<float> formed(static_cast<std::size_t>(2 * pairs));
  for (std::int64_t token = 0; token < p.seq; ++token) {
    const float* cos = formed.data();
    const float* sin = formed.data() + pairs;
    if (p.operation == ROPEPROOF_ROPE) {
      form_row(p, token, formed.data(), formed.data() + pairs);
    } else {
      cos = static_cast<const float*>(p.cos) + token * p.table_token_stride;
      sin = static_cast<const float*>(p.sin) + token * p.table_token_stride;
    }
    for (const ropeproof_tensor* t : {&p.q, &p.k}) {
      with_widest_vectors(
          RotateToken<E>{static_cast<E*>(t->out) + token * t->out_token_stride,
                         t->heads, t->out_head_stride, pairs,
                         p.pairing == ROPEPROOF_INTERLEAVED, cos, sin});
    }
  }
}

}  // namespace

plugin::Description plain_description() {
  plugin::Description d;
  d.name = "plain";
  d.version = "1";
  d.operations = ROPEPROOF_TABLE | ROPEPROOF_ROTATE | ROPEPROOF_ROPE;
  d.dtypes = ROPEPROOF_F32 | ROPEPROOF_F16 | ROPEPROOF_BF16;
  d.pairings = ROPEPROOF_INTERLEAVED | ROPEPROOF_HALF_SPLIT;
  d.features = ROPEPROOF_IN_PLACE | ROPEPROOF_PARTIAL | ROPEPROOF_KEYS |
               ROPEPROOF_INV_FREQ;
  d.claims[0].angle_class = ROPEPROOF_A1;
  d.claims[0].table_dtype = ROPEPROOF_F32;
  return d;
}

std::int32_t plain_run(const ropeproof_problem& problem) {
  if (problem.operation == ROPEPROOF_TABLE) {
    for (std::int64_t token = 0; token < problem.seq; ++token) {
      const std::int64_t at = token * problem.table_token_stride;
      form_row(problem, token, static_cast<float*>(problem.cos) + at,
               static_cast<float*>(problem.sin) + at);
    }
    return ROPEPROOF_OK;
  }
  switch (problem.dtype) {
    case ROPEPROOF_F32:
      rotate_tokens<PlainF32>(problem);
      break;
    case ROPEPROOF_F16:
      rotate_tokens<PlainF16>(problem);
      break;
    case ROPEPROOF_BF16:
      rotate_tokens<PlainBf16>(problem);
      break;
    default:
      return ROPEPROOF_UNSUPPORTED;
  }
  return ROPEPROOF_OK;
}

}  // namespace ropeproof::conformance::bench
