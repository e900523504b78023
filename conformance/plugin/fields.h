// fields.h -- the fields of a problem and of each scaling, once: vectors, the C
// ABI, the protocol and the columns of a pack follow from what is said here.
#ifndef ROPEPROOF_CONFORMANCE_PLUGIN_FIELDS_H_
#define ROPEPROOF_CONFORMANCE_PLUGIN_FIELDS_H_

#include <ropeproof_kernel.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "conformance/plugin/abi_words.h"
#include "conformance/text/word_tables.h"
#include "reference/spec.h"

namespace ropeproof::conformance::plugin {

// Visits the fields of a problem that are no buffers, in the order of a pack's
// columns: calls visit(name, value) with a word ("": none, "?": one that has no
// word), an integer, a list of integers, a double, or the scaling, which may be
// null.
template <class Visit>
void for_each_field(const ropeproof_problem& p, const Visit& visit) {
  const auto visit_word = [&](const char* name, std::uint32_t value,
                              const auto& words) {
    visit(name, value == 0 ? std::string() : text::word(words, value));
  };
  visit_word("operation", p.operation, kOperationWords);
  visit_word("dtype", p.dtype, kDtypeWords);
  visit_word("table_dtype", p.table_dtype, kDtypeWords);
  visit_word("pairing", p.pairing, kAbiPairingWords);
  visit("direction", std::int64_t{p.direction});
  visit("batch", p.batch);
  visit("seq", p.seq);
  visit("head_dim", p.head_dim);
  visit("rotary_dim", p.rotary_dim);
  visit("rotary_offset", p.rotary_offset);
  visit("q_heads", p.q.heads);
  visit("k_heads", p.k.heads);
  visit("position_axes", p.position_axes);
  visit_word("axis_map", p.axis_map, kAxisMapWords);
  visit("axis_sections", std::span<const std::int32_t>(p.axis_sections));
  visit_word("cache", p.cache, kCacheWords);
  visit("cache_rows", p.cache_rows);
  visit("pair_distance", p.pair_distance);
  visit("pairing_blocks", p.pairing_blocks);
  visit("base", p.base);
  visit("amplitude", p.amplitude);
  visit("permute_heads", p.permute_heads);
  visit("permute_columns", p.permute_columns);
  visit("scaling", p.scaling);
}

// Calls visit(pointer) for each buffer of the problem; a scaling and its lists
// are none.
template <class Visit>
void for_each_buffer(ropeproof_problem& p, const Visit& visit) {
  const auto all = [&](auto&... pointers) { (visit(pointers), ...); };
  all(p.q.in, p.q.out, p.k.in, p.k.out, p.positions, p.real_positions, p.ids,
      p.axis_of_pair, p.axis_weights, p.inv_freq, p.inv_freq_lo, p.pair_bases,
      p.exponent_numerators, p.exponent_denominators, p.pair_amplitude, p.cos,
      p.sin, p.inv_freq_out, p.permute_in, p.permute_out);
}

// Returns the problem without its data, as ropeproof_supports sees it: all
// pointers are null but that to its scaling, whose numbers go to `scaling`.
inline ropeproof_problem without_data(ropeproof_problem p,
                                      ropeproof_scaling& scaling) {
  for_each_buffer(p, [](auto& pointer) { pointer = nullptr; });
  if (p.scaling == nullptr) return p;
  scaling = *p.scaling;
  scaling.short_factor = scaling.long_factor = nullptr;
  p.scaling = &scaling;
  return p;
}

// The fields of ropeproof_scaling, by the names that the protocol uses.
template <class Member>
struct AbiField {
  const char* name;
  Member ropeproof_scaling::*member;
};

struct AbiFields {
  using S = ropeproof_scaling;
  AbiField<double> factor{"factor", &S::factor};
  AbiField<double> original_length{"original_length", &S::original_length};
  AbiField<double> seq_len{"seq_len", &S::seq_len};
  AbiField<double> beta_fast{"beta_fast", &S::beta_fast};
  AbiField<double> beta_slow{"beta_slow", &S::beta_slow};
  AbiField<double> low_freq_factor{"low_freq_factor", &S::low_freq_factor};
  AbiField<double> high_freq_factor{"high_freq_factor", &S::high_freq_factor};
  AbiField<std::int32_t> truncate{"truncate", &S::truncate};
  AbiField<const double*> short_factor{"short_factor", &S::short_factor};
  AbiField<const double*> long_factor{"long_factor", &S::long_factor};
  AbiField<double> attention_factor{"attention_factor", &S::attention_factor};
  AbiField<double> mscale{"mscale", &S::mscale};
  AbiField<double> mscale_all_dim{"mscale_all_dim", &S::mscale_all_dim};
};
inline constexpr AbiFields kAbi;

// Calls visit(name, value), in the order of the packs' columns.
template <class Visit>
void for_each_field(const ropeproof_scaling& s, const Visit& visit) {
  const auto fields = [&](const auto&... field) {
    (visit(field.name, s.*field.member), ...);
  };
  fields(kAbi.factor, kAbi.original_length, kAbi.seq_len, kAbi.beta_fast,
         kAbi.beta_slow, kAbi.low_freq_factor, kAbi.high_freq_factor,
         kAbi.truncate, kAbi.attention_factor, kAbi.mscale, kAbi.mscale_all_dim,
         kAbi.short_factor, kAbi.long_factor);
}

// Calls visit(name, member, field of kAbi) for each field of one scaling, const
// or not, by the names and in the order of the vectors.
template <class S, class Visit>
void for_each_field(S& s, const Visit& visit) {
  using Scaling = std::remove_const_t<S>;
  if constexpr (std::is_same_v<Scaling, reference::Linear>) {
    visit("factor", s.factor, kAbi.factor);
  } else if constexpr (std::is_same_v<Scaling, reference::Ntk>) {
    visit("alpha", s.alpha, kAbi.factor);
  } else if constexpr (std::is_same_v<Scaling, reference::DynamicNtk>) {
    visit("factor", s.factor, kAbi.factor);
    visit("max_position", s.max_position, kAbi.original_length);
    visit("seq_len", s.seq_len, kAbi.seq_len);
  } else if constexpr (std::is_same_v<Scaling, reference::Yarn>) {
    visit("factor", s.factor, kAbi.factor);
    visit("original_length", s.original_length, kAbi.original_length);
    visit("beta_fast", s.beta_fast, kAbi.beta_fast);
    visit("beta_slow", s.beta_slow, kAbi.beta_slow);
    visit("truncate", s.truncate, kAbi.truncate);
    visit("attention_factor", s.attention_factor, kAbi.attention_factor);
    visit("mscale", s.mscale, kAbi.mscale);
    visit("mscale_all_dim", s.mscale_all_dim, kAbi.mscale_all_dim);
  } else if constexpr (std::is_same_v<Scaling, reference::LongRope>) {
    visit("short_factor", s.short_factor, kAbi.short_factor);
    visit("long_factor", s.long_factor, kAbi.long_factor);
    visit("original_length", s.original_length, kAbi.original_length);
    visit("seq_len", s.seq_len, kAbi.seq_len);
    visit("factor", s.factor, kAbi.factor);
    visit("attention_factor", s.attention_factor, kAbi.attention_factor);
  } else if constexpr (std::is_same_v<Scaling, reference::Llama3>) {
    visit("factor", s.factor, kAbi.factor);
    visit("low_freq_factor", s.low_freq_factor, kAbi.low_freq_factor);
    visit("high_freq_factor", s.high_freq_factor, kAbi.high_freq_factor);
    visit("original_length", s.original_length, kAbi.original_length);
  } else if constexpr (std::is_same_v<Scaling, reference::FrequencyFactors>) {
    visit("factors", s.factors, kAbi.short_factor);
  } else {
    static_assert(std::is_same_v<Scaling, reference::Default>);
  }
}

// Returns the scaling of this word, no field of it given; Default for an
// unknown word.
inline reference::Scaling scaling_named(std::string_view word) {
  using reference::Scaling;
  return [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
    Scaling found;
    const auto take = [&](Scaling scaling) {
      if (scaling.index() != 0 && scaling_word(scaling) == word) {
        found = std::move(scaling);
      }
    };
    (take(std::variant_alternative_t<kIndex, Scaling>{}), ...);
    return found;
  }
  (std::make_index_sequence<std::variant_size_v<Scaling>>());
}

// Whether a length of the sequence decides the frequencies of this scaling.
inline bool follows_length(const reference::Scaling& scaling) {
  return std::visit(
      [](const auto& s) {
        return requires { s.seq_len; };
      },
      scaling);
}

}  // namespace ropeproof::conformance::plugin

#endif  // ROPEPROOF_CONFORMANCE_PLUGIN_FIELDS_H_
