// Mutants that are wrong for few problems: a predicate over the problem, and a
// way of being wrong.
#include <algorithm>
#include <cmath>
#include <limits>

#include "conformance/selftest/mutants.h"
#include "conformance/selftest/predicates.h"
#include "conformance/wrong/mutation.h"

namespace ropeproof::conformance::selftest {
namespace {

using wrong::HeadIndex;
using wrong::Pipeline;
using wrong::position_on;
using wrong::reverses;
using wrong::set;
using wrong::skips;

constexpr std::int64_t kManyHeads = 8;

auto of_dtype(std::uint32_t dtype) {
  return [=](const Problem& p) { return p.dtype == dtype; };
}

bool has_many_heads(const Problem& p) { return p.q.heads > kManyHeads; }
bool has_batch(const Problem& p) { return p.batch > 1; }
bool is_partial(const Problem& p) { return p.rotary_dim < p.head_dim; }
bool is_in_place(const Problem& p) {
  return p.q.in != nullptr && p.q.in == p.q.out;
}
bool has_pair_amplitude(const Problem& p) {
  return p.pair_amplitude != nullptr;
}

template <class Is>
bool any_position(const Problem& p, const Is& is) {
  if (p.positions == nullptr && p.real_positions == nullptr) return false;
  for (std::int64_t a = 0; a < p.position_axes; ++a) {
    for (std::int64_t b = 0; b < p.batch; ++b) {
      for (std::int64_t s = 0; s < p.seq; ++s) {
        if (is(position_on(p, {b, s, 0}, a))) return true;
      }
    }
  }
  return false;
}

bool has_negative(const Problem& p) {
  return any_position(p, [](double x) { return x < 0; });
}
bool has_far_real(const Problem& p) {
  return p.real_positions != nullptr &&
         any_position(p, [](double x) { return std::abs(x) >= 1 << 16; });
}
bool has_factors(const Problem& p) {
  return p.scaling != nullptr && p.scaling->kind == ROPEPROOF_FREQUENCY_FACTORS;
}

bool is_last_row(const Problem& p, const HeadIndex& i) {
  return i.batch == p.batch - 1 && i.token == p.seq - 1;
}
bool is_any(const Problem&, const HeadIndex&) { return true; }
bool is_of_k(const Problem&, const HeadIndex& i) { return i.is_key; }

// Whether rows of q lie so far apart; k's lie no farther.
bool is_far(const Problem& p) {
  const auto is_beyond = [&](std::int64_t batch, std::int64_t token,
                             std::int64_t head) {
    return (p.batch - 1) * batch + (p.seq - 1) * token +
               (p.q.heads - 1) * head >
           std::numeric_limits<std::int32_t>::max();
  };
  return is_beyond(p.q.in_batch_stride, p.q.in_token_stride,
                   p.q.in_head_stride) ||
         is_beyond(p.q.out_batch_stride, p.q.out_token_stride,
                   p.q.out_head_stride);
}

std::vector<Mutant> mutants_of_memory() {
  return {
      {"[batch, heads, seq, head_dim] taken for [batch, seq, heads, head_dim]",
       "shape/axes-confused",
       wrong::known("strides ignored: read and written densely").change,
       [](const Problem& p) {
         return p.seq > 1 && p.q.heads > 1 &&
                p.q.in_token_stride < p.q.in_head_stride;
       }},
      {"[seq, batch, heads, head_dim] taken for [batch, seq, heads, head_dim]",
       "shape/axes-confused",
       wrong::known("strides ignored: read and written densely").change,
       [](const Problem& p) {
         return p.seq > 1 && p.q.in_batch_stride > 0 &&
                p.q.in_batch_stride < p.q.in_token_stride;
       }},
      {"outputs written with the head stride of inputs",
       "memory/strides-ignored",
       set(&Pipeline::misread,
           [](Problem& p) { p.q.out_head_stride = p.q.in_head_stride; }),
       [](const Problem& p) { return p.q.heads > 1; }},
      known("strides cut to 16 bits"),
      some("offsets cut to signed 32 bits", "offsets cut to signed 32 bits",
           is_far),
      some("offsets cut to unsigned 32 bits", "offsets cut to unsigned 32 bits",
           is_far),
      some("xPos amplitudes read densely", "strides of tables ignored",
           [](const Problem& p) {
             return has_pair_amplitude(p) && p.operation == ROPEPROOF_ROPE;
           }),
      some("strides of cos and sin cut to 16 bits",
           "strides of tables cut to 16 bits",
           [](const Problem& p) {
             return p.operation == ROPEPROOF_ROTATE &&
                    std::max(p.table_token_stride, p.table_batch_stride) >
                        0xffff;
           }),
      known("k taken to be in place because q is"),
      {"signalling NaNs made quiet in channels that are copied",
       "value/special-mishandled",
       set(&Pipeline::outside, [](double x, double, bool) { return x; })},
      some("signalling NaNs made quiet by a permutation",
           "NaNs of the weight made quiet"),
      some("a permutation leaves out the last of 8 heads or more, from 64 "
           "columns on",
           "last head of the weight not written", [](const Problem& p) {
             return p.permute_heads >= 8 && p.permute_columns >= 64;
           })};
}

std::vector<Mutant> mutants_of_sizes() {
  const auto many_heads = [](const char* name, auto with) {
    return Mutant{name, "shape/heads-miscounted", skips(is_last_head),
                  all(has_many_heads, with)};
  };
  return {
      {"query heads from the 33rd on skipped", "shape/heads-miscounted",
       skips([](const auto&, const auto& i) {
         return !i.is_key && i.head >= 32;
       }),
       [](const Problem& p) { return p.q.heads > 32; }},
      {"key heads from the 9th on skipped", "shape/heads-miscounted",
       skips(
           [](const auto&, const auto& i) { return i.is_key && i.head >= 8; }),
       [](const Problem& p) { return p.k.heads > 8; }},
      many_heads("the last of many heads skipped, with batch rows", has_batch),
      many_heads("the last of many heads skipped, in a partial head",
                 is_partial),
      many_heads("the last of many heads skipped, in place", is_in_place),
      many_heads("the last of many heads skipped, in bf16",
                 of_dtype(ROPEPROOF_BF16)),
      many_heads("the last of many heads skipped, in f64",
                 of_dtype(ROPEPROOF_F64)),
      {"tokens of 64 pairs or more skipped from the 128th on",
       "shape/32-bit-overflow",
       skips([](const auto&, const auto& i) { return i.token >= 127; }),
       [](const Problem& p) { return p.rotary_dim >= 128 && p.seq >= 128; }},
      {"batch rows from the 33rd on skipped", "shape/32-bit-overflow",
       skips([](const auto&, const auto& i) { return i.batch >= 32; }),
       [](const Problem& p) { return p.batch > 32; }},
      {"the last token of the last batch row skipped, of 8 times 16 or more",
       "shape/32-bit-overflow", skips(is_last_row),
       [](const Problem& p) { return p.batch >= 8 && p.seq >= 16; }},
      {"the second of three batch rows skipped", "shape/32-bit-overflow",
       skips([](const auto&, const auto& i) {
         return i.batch == 1 && i.token == 0 && i.head == 0;
       }),
       [](const Problem& p) { return p.batch == 3; }}};
}

std::vector<Mutant> mutants_of_features() {
  const auto loses_amplitude = [](auto is) {
    return set(&Pipeline::adjust_directed, [=](const auto& at, auto& r) {
      const double m = std::hypot(r.c, r.s);
      if (is(at.p, at) && m > 0) r.c /= m, r.s /= m;
    });
  };
  return {
      {"adjoint ignored with several axes", "rotation/backward-wrong",
       reverses(is_any), all(is_adjoint, has_axes)},
      {"adjoint without xPos", "rotation/backward-wrong",
       loses_amplitude(is_any), all(is_adjoint, has_pair_amplitude)},
      {"k without xPos", "scaling/amplitude-misapplied",
       loses_amplitude(is_of_k), all(has_keys, has_pair_amplitude)},
      {"adjoint ignored for k at negative positions", "rotation/backward-wrong",
       reverses(is_of_k), all(is_adjoint, has_keys, has_negative)},
      {"sign of a negative amplitude lost", "scaling/amplitude-misapplied",
       set(&Pipeline::amplitude, [](double m) { return std::abs(m); })},
      {"amplitude 0 taken for none", "scaling/amplitude-misapplied",
       set(&Pipeline::amplitude, [](double m) { return m == 0 ? 1 : m; })},
      some("third of three weighted axes lost", "weights of the last axis lost",
           [](const Problem& p) {
             return p.axis_weights != nullptr && p.position_axes > 2;
           }),
      {"frequency factors lost in a partial head", "scaling/factors-lost",
       set(&Pipeline::frequency,
           [](const auto& p, auto j) {
             return p.inv_freq[j] * p.scaling->short_factor[j];
           }),
       all(has_factors, is_partial,
           [](const Problem& p) { return p.inv_freq != nullptr; })},
      some("tables in f16 behind bf16", "table rounded to f16",
           of_dtype(ROPEPROOF_BF16)),
      some("tables in bf16 behind f64", "table rounded to bf16",
           of_dtype(ROPEPROOF_F64)),
      {"three roundings for one, in bf16", "output/rounded-wrongly",
       set(&Pipeline::round_each, true), of_dtype(ROPEPROOF_BF16)},
      {"three roundings for one, in f16", "output/rounded-wrongly",
       set(&Pipeline::round_each, true), of_dtype(ROPEPROOF_F16)},
      {"truncated to bf16", "output/rounded-wrongly",
       set(&Pipeline::truncates, true), of_dtype(ROPEPROOF_BF16)},
      some("large real positions in f32", "positions rounded to f32",
           has_far_real)};
}

}  // namespace

std::vector<Mutant> narrow_mutants() {
  std::vector<Mutant> list = mutants_of_memory();
  for (const char* name :
       {"k read with q's head stride", "k written with q's head stride",
        "a batch stride of 0 taken for a dense one",
        "heads of k beyond q's copied, not rotated",
        "two axes have half of the pairs each, whatever the sections"}) {
    list.push_back(known(name));
  }
  for (const auto& more : {mutants_of_sizes(), mutants_of_features()}) {
    list.insert(list.end(), more.begin(), more.end());
  }
  return list;
}

}  // namespace ropeproof::conformance::selftest
