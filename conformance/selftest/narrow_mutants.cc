// Mutants that are wrong for few problems: a predicate over the problem, and a way
// of being wrong.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "conformance/diagnosis/mutations.h"
#include "conformance/selftest/mutants.h"
#include "conformance/selftest/predicates.h"

namespace ropeproof::conformance::selftest {
namespace {

using diagnosis::HeadIndex;
using diagnosis::Knobs;
using diagnosis::reverses;
using diagnosis::set;
using diagnosis::skips;

using reference::Format;

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
        const std::int64_t at =
            a * p.position_axis_stride + b * p.position_batch_stride + s;
        if (is(p.positions != nullptr ? static_cast<double>(p.positions[at])
                                      : p.real_positions[at])) {
          return true;
        }
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

template <class Change>
auto misreads(Change change) {
  return set(&Knobs::misread, change);
}

template <class Change>
auto misreads_strides(Change change) {
  return misreads([=](Problem& p) {
    for (ropeproof_tensor* t : {&p.q, &p.k}) {
      for (std::int64_t* stride :
           {&t->in_batch_stride, &t->in_token_stride, &t->in_head_stride,
            &t->out_batch_stride, &t->out_token_stride, &t->out_head_stride}) {
        *stride = change(*stride);
      }
    }
  });
}

auto rounds_table(Format format) {
  return set(&Knobs::adjust_in_problem,
             [=](const auto&, const auto&, auto& c, auto& s) {
               c = round_to(format, c), s = round_to(format, s);
             });
}

// Of rows of q; k's lie no farther apart.
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

template <class Integer>
auto cuts_offsets() {
  return set(&Knobs::offset, [](std::int64_t offset) {
    return std::int64_t{static_cast<Integer>(offset)};
  });
}

// Where rows and numbers lie.
std::vector<Mutant> mutants_of_memory() {
  return {
      {"[batch, heads, seq, head_dim] taken for [batch, seq, heads, head_dim]",
       "shape/axes-confused", set(&Knobs::ignores_strides, true),
       [](const Problem& p) {
         return p.seq > 1 && p.q.heads > 1 &&
                p.q.in_token_stride < p.q.in_head_stride;
       }},
      {"[seq, batch, heads, head_dim] taken for [batch, seq, heads, head_dim]",
       "shape/axes-confused", set(&Knobs::ignores_strides, true),
       [](const Problem& p) {
         return p.seq > 1 && p.q.in_batch_stride > 0 &&
                p.q.in_batch_stride < p.q.in_token_stride;
       }},
      {"outputs written with the head stride of inputs",
       "memory/strides-ignored",
       misreads([](Problem& p) { p.q.out_head_stride = p.q.in_head_stride; }),
       [](const Problem& p) { return p.q.heads > 1; }},
      {"strides cut to 16 bits", "shape/32-bit-overflow",
       misreads_strides([](std::int64_t stride) {
         return std::int64_t{static_cast<std::uint16_t>(stride)};
       })},
      {"offsets cut to signed 32 bits", "shape/32-bit-overflow",
       cuts_offsets<std::int32_t>(), is_far},
      {"offsets cut to unsigned 32 bits", "shape/32-bit-overflow",
       cuts_offsets<std::uint32_t>(), is_far},
      {"xPos amplitudes read densely", "memory/strides-ignored",
       misreads([](Problem& p) {
         const std::int64_t pairs = p.rotary_dim / 2;
         p.table_token_stride = std::min(p.table_token_stride, pairs);
         p.table_batch_stride = std::min(p.table_batch_stride, p.seq * pairs);
       }),
       [](const Problem& p) {
         return has_pair_amplitude(p) && p.operation == ROPEPROOF_ROPE;
       }},
      {"strides of cos and sin cut to 16 bits", "shape/32-bit-overflow",
       misreads([](Problem& p) {
         p.table_token_stride =
             static_cast<std::uint16_t>(p.table_token_stride);
         p.table_batch_stride =
             static_cast<std::uint16_t>(p.table_batch_stride);
       }),
       [](const Problem& p) {
         return p.operation == ROPEPROOF_ROTATE &&
                std::max(p.table_token_stride, p.table_batch_stride) > 0xffff;
       }},
      {"k taken to be in place because q is", "memory/aliasing",
       misreads([](Problem& p) {
         p.k.in = p.k.out;
         p.k.in_batch_stride = p.k.out_batch_stride;
         p.k.in_token_stride = p.k.out_token_stride;
         p.k.in_head_stride = p.k.out_head_stride;
       }),
       [](const Problem& p) { return has_keys(p) && is_in_place(p); }},
      {"signalling NaNs made quiet in channels that are copied",
       "value/special-mishandled",
       set(&Knobs::outside, [](double x, double) { return x; })},
      {"signalling NaNs made quiet by a permutation",
       "value/special-mishandled", set(&Knobs::permutes_numbers, true)},
      {"a permutation leaves out the last of 8 heads or more, from 64 columns "
       "on",
       "weights/permuted-wrongly",
       misreads([](Problem& p) { --p.permute_heads; }), [](const Problem& p) {
         return p.permute_heads >= 8 && p.permute_columns >= 64;
       }}};
}

// How many heads, tokens and batch rows.
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

// Which features meet.
std::vector<Mutant> mutants_of_features() {
  const auto loses_amplitude = [](auto is) {
    return set(&Knobs::adjust_in_problem,
               [=](const auto& p, const auto& index, auto& c, auto& s) {
                 const double m = std::hypot(c, s);
                 if (is(p, index) && m > 0) c /= m, s /= m;
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
       set(&Knobs::amplitude, [](double m) { return std::abs(m); }),
       [](const Problem& p) { return p.amplitude < 0; }},
      {"amplitude 0 taken for none", "scaling/amplitude-misapplied",
       set(&Knobs::amplitude, [](double m) { return m == 0 ? 1 : m; }),
       [](const Problem& p) { return p.amplitude == 0; }},
      {"third of three weighted axes lost", "axes/mrope-sections",
       misreads([](Problem& p) { p.position_axes = 2; }),
       [](const Problem& p) {
         return p.axis_weights != nullptr && p.position_axes > 2;
       }},
      {"frequency factors lost in a partial head", "scaling/factors-lost",
       set(&Knobs::frequency,
           [](const auto& p, auto j) {
             return p.inv_freq[j] * p.scaling->short_factor[j];
           }),
       all(has_factors, is_partial,
           [](const Problem& p) { return p.inv_freq != nullptr; })},
      {"tables in f16 behind bf16", "frequency/rounded-to-half",
       rounds_table(Format::kF16), of_dtype(ROPEPROOF_BF16)},
      {"tables in bf16 behind f64", "frequency/rounded-to-half",
       rounds_table(Format::kBF16), of_dtype(ROPEPROOF_F64)},
      {"three roundings for one, in bf16", "output/rounded-wrongly",
       set(&Knobs::round_each, true), of_dtype(ROPEPROOF_BF16)},
      {"three roundings for one, in f16", "output/rounded-wrongly",
       set(&Knobs::round_each, true), of_dtype(ROPEPROOF_F16)},
      {"truncated to bf16", "output/rounded-wrongly",
       set(&Knobs::truncates, true), of_dtype(ROPEPROOF_BF16)},
      {"large real positions in f32", "angle/rounded-to-f32",
       set(&Knobs::angle,
           [](double p, double theta) {
             return round_to(Format::kF32, p) * theta;
           }),
       has_far_real}};
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
