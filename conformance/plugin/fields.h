// fields.h -- the fields of a problem, once: the protocol and the columns of a
// pack follow from what is said here. scalings.h has those of a scaling.
#pragma once

#include <ropeproof_kernel.h>

#include <cstdint>
#include <span>
#include <string>

#include "conformance/plugin/abi_words.h"
#include "conformance/text/word_tables.h"

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

}  // namespace ropeproof::conformance::plugin
