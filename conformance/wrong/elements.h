// elements.h -- what a problem of the C ABI says, and elements in its memory.
#pragma once

#include <ropeproof_kernel.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "conformance/judge/codec.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/text/word_tables.h"
#include "reference/format.h"
#include "reference/spec.h"

namespace ropeproof::conformance::wrong {

inline std::byte* bytes_at(void* data, std::int64_t element,
                           reference::Format format) {
  return static_cast<std::byte*>(data) +
         element * static_cast<std::int64_t>(plugin::bytes_of(format));
}

inline double load(const std::byte* at, reference::Format format) {
  return plugin::with_element(plugin::bytes_of(format), [&]<class T>(T bits) {
    std::memcpy(&bits, at, sizeof bits);
    return judge::fast_decode(format, bits);
  });
}

inline void store(std::byte* at, reference::Format format, double value) {
  plugin::with_element(plugin::bytes_of(format), [&]<class T>(T bits) {
    bits = static_cast<T>(judge::fast_encode(format, value));
    std::memcpy(at, &bits, sizeof bits);
  });
}

// The number in memory that nobody wrote one to, bytes all alike, where
// binary64 stands for a narrower type; any other number as it is.
inline double as_in(reference::Format dtype, double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const bool is_filled =
      bits == (bits & 0xff) * 0x0101010101010101 && bits != 0;
  return is_filled
             ? decode(dtype, bits >> (64 - reference::traits(dtype).total_bits))
             : x;
}

// The specification that a problem stands for; frequencies are arrays.
inline reference::Spec spec_of(const ropeproof_problem& p) {
  reference::Spec spec;
  for (const auto& [pairing, text] : text::kPairingWords) {
    if (plugin::abi_pairing(pairing) == p.pairing)
      spec.layout.pairing = pairing;
  }
  spec.layout.head_dim = p.head_dim;
  spec.layout.rotary_dim = p.rotary_dim;
  spec.layout.rotary_offset = p.rotary_offset;
  spec.layout.pair_distance = p.pair_distance;
  spec.layout.blocks = std::max<std::int64_t>(p.pairing_blocks, 1);
  if (p.direction < 0) spec.direction = reference::Direction::kAdjoint;
  return spec;
}

// The offset of the last head; -1 without any.
inline std::int64_t last_head(const ropeproof_problem& p, std::int64_t heads,
                              std::int64_t batch, std::int64_t token,
                              std::int64_t head) {
  return p.batch * p.seq * heads == 0
             ? -1
             : (p.batch - 1) * batch + (p.seq - 1) * token + (heads - 1) * head;
}

// The element that the last row of a table begins at, and the last position
// that `p` reaches.
inline std::int64_t last_row(const ropeproof_problem& p) {
  return p.operation == ROPEPROOF_LOOKUP
             ? (p.cache_rows - 1) * p.table_token_stride
             : (p.batch - 1) * p.table_batch_stride +
                   (p.seq - 1) * p.table_token_stride;
}
inline std::int64_t last_position(const ropeproof_problem& p) {
  return std::max<std::int64_t>(p.position_axes - 1, 0) *
             p.position_axis_stride +
         (p.batch - 1) * p.position_batch_stride + p.seq - 1;
}

}  // namespace ropeproof::conformance::wrong
