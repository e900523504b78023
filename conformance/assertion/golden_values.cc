#include "conformance/assertion/golden_values.h"

#include <algorithm>
#include <span>

#include "conformance/cases/golden.h"
#include "conformance/judge/codec.h"
#include "conformance/plugin/large.h"
#include "reference/golden.h"
#include "reference/parallel_for.h"
#include "reference/sweep/fast_goldens.h"

namespace ropeproof::conformance::assertion {
namespace {

using reference::sweep::FastGoldens;

// So many tokens that some 2^13 elements are formed at once.
std::int64_t tokens_at_once(std::int64_t per_token) {
  constexpr std::int64_t kElements = 1 << 13;
  return std::max<std::int64_t>(
      kElements / std::max<std::int64_t>(per_token, 1), 1);
}

void rotate(const FastGoldens& goldens, const cases::Problem& p,
            std::int64_t heads, const cases::Bits& x, std::span<double> y) {
  const std::int64_t per_token = heads * p.spec.layout.head_dim;
  const std::int64_t step = tokens_at_once(per_token);
  const auto form = [&](std::int64_t part) {
    const std::int64_t first = part * step;
    const std::int64_t count = std::min(step, p.tokens() - first);
    const auto begin = static_cast<std::size_t>(first * per_token);
    const auto size = static_cast<std::size_t>(count * per_token);
    thread_local std::vector<double> given;
    thread_local cases::Bits formed;
    given.resize(size), formed.resize(size);
    judge::with_format(p.dtype, [&]<reference::Format kFormat>() {
      for (std::size_t i = 0; i < size; ++i) {
        given[i] = judge::fast_decode<kFormat>(x[begin + i]);
      }
    });
    goldens.rope_part(first, count, heads, given, formed);
    std::ranges::transform(formed, y.begin() + first * per_token,
                           cases::value_of);
  };
  reference::parallel_for((p.tokens() + step - 1) / step, form, 2);
}

}  // namespace

bool has_plain_goldens(const cases::Problem& problem) {
  return problem.dtype != reference::Format::kF64 && !problem.is_special;
}

std::vector<double> golden_values(const cases::Problem& p) {
  const FastGoldens goldens(reference::best_oracle(), p.spec, p.positions);
  auto values = plugin::large<double>(p.q.size() + p.k.size());
  const std::span<double> all(values);
  rotate(goldens, p, p.q_heads, p.q, all.first(p.q.size()));
  rotate(goldens, p, p.k_heads, p.k, all.last(p.k.size()));
  return values;
}

}  // namespace ropeproof::conformance::assertion
