#include "conformance/plugin/dense.h"

#include <cstring>
#include <type_traits>
#include <utility>

#include "conformance/plugin/abi_words.h"

namespace ropeproof::conformance::plugin {
namespace {

std::int64_t element_bytes(std::uint32_t dtype) {
  return static_cast<std::int64_t>(bytes_of(format_of(dtype)));
}

const std::byte* bytes_at(const void* data) {
  return static_cast<const std::byte*>(data);
}
std::byte* bytes_at(void* data) { return static_cast<std::byte*>(data); }

Element element_of(std::uint32_t dtype) {
  switch (format_of(dtype)) {
    case reference::Format::kF64:
      return Element::kF64;
    case reference::Format::kF32:
      return Element::kF32;
    case reference::Format::kF16:
      return Element::kF16;
    case reference::Format::kBF16:
      return Element::kBF16;
  }
  return Element::kF64;
}
Element element_of(const double*) { return Element::kF64; }
Element element_of(const std::int64_t*) { return Element::kI64; }
Element element_of(const std::int32_t*) { return Element::kI32; }

template <class Byte>
ByteTensor<Byte> row(std::string_view name, Element element, Byte* data,
                     std::int64_t bytes) {
  return {name, element, data, {1, 1, 1}, {0, 0, 0}, bytes};
}

template <class Byte>
ByteTensor<Byte> table(std::string_view name, const ropeproof_problem& p,
                       Byte* data) {
  const std::int64_t size = element_bytes(p.table_dtype);
  return {name,
          element_of(p.table_dtype),
          data,
          {1, p.batch, p.seq},
          {0, p.table_batch_stride * size, p.table_token_stride * size},
          p.rotary_dim / 2 * size};
}

std::int64_t weight_bytes(const ropeproof_problem& p) {
  return p.permute_heads * p.head_dim * p.permute_columns *
         element_bytes(p.dtype);
}

bool rotates(const ropeproof_problem& p) {
  return p.operation == ROPEPROOF_ROTATE || p.operation == ROPEPROOF_ROPE ||
         p.operation == ROPEPROOF_LOOKUP;
}

// What there is of q and k, as it is read or, with bytes that are not const,
// written.
template <class Byte>
std::vector<ByteTensor<Byte>> heads(const ropeproof_problem& p) {
  const std::int64_t size = element_bytes(p.dtype);
  std::vector<ByteTensor<Byte>> all;
  const auto add = [&](std::string_view name, std::int64_t count, Byte* data,
                       std::int64_t batch, std::int64_t token,
                       std::int64_t head) {
    if (!rotates(p) || count <= 0) return;
    all.push_back({name,
                   element_of(p.dtype),
                   data,
                   {p.batch, p.seq, count},
                   {batch * size, token * size, head * size},
                   p.head_dim * size});
  };
  for (const auto& [name, x] : {std::pair{"q", p.q}, std::pair{"k", p.k}}) {
    if constexpr (std::is_const_v<Byte>) {
      add(name, x.heads, bytes_at(x.in), x.in_batch_stride, x.in_token_stride,
          x.in_head_stride);
    } else {
      add(name, x.heads, bytes_at(x.out), x.out_batch_stride,
          x.out_token_stride, x.out_head_stride);
    }
  }
  return all;
}

// The rows of a cache, each of half the window or all of it.
ByteTensor<const std::byte> cache(std::string_view name,
                                  const ropeproof_problem& p,
                                  const void* data) {
  const std::int64_t size = element_bytes(p.table_dtype);
  return {name,
          element_of(p.table_dtype),
          bytes_at(data),
          {1, 1, p.cache_rows},
          {0, 0, p.table_token_stride * size},
          p.rotary_dim / (p.cache == ROPEPROOF_CACHE_SPLIT ? 2 : 1) * size};
}

// Visits the rows in order; `visit` gets the row's distance in bytes.
template <class Byte, class Visit>
void for_each_row(const ByteTensor<Byte>& tensor, const Visit& visit) {
  const auto& [count_0, count_1, count_2] = tensor.counts;
  const auto& [stride_0, stride_1, stride_2] = tensor.strides;
  for (std::int64_t i = 0; i < count_0; ++i) {
    for (std::int64_t j = 0; j < count_1; ++j) {
      for (std::int64_t k = 0; k < count_2; ++k) {
        visit(i * stride_0 + j * stride_1 + k * stride_2);
      }
    }
  }
}

}  // namespace

std::vector<ByteTensor<const std::byte>> inputs(const ropeproof_problem& p) {
  std::vector<ByteTensor<const std::byte>> all = heads<const std::byte>(p);
  const auto add_positions = [&](std::string_view name, const auto* data,
                                 std::int64_t axes) {
    if (data == nullptr) return;
    const std::int64_t size = sizeof *data;
    all.push_back(
        {name,
         element_of(data),
         bytes_at(data),
         {1, axes, p.batch},
         {0, p.position_axis_stride * size, p.position_batch_stride * size},
         p.seq * size});
  };
  if (p.operation == ROPEPROOF_ROTATE) {
    all.push_back(table("cos", p, bytes_at(static_cast<const void*>(p.cos))));
    all.push_back(table("sin", p, bytes_at(static_cast<const void*>(p.sin))));
  }
  if (p.operation == ROPEPROOF_LOOKUP) {
    all.push_back(cache("cos", p, p.cos));
    if (p.cache != ROPEPROOF_CACHE_SIDE_BY_SIDE) {
      all.push_back(cache("sin", p, p.sin));
    }
    add_positions("ids", p.ids, 1);
  }
  add_positions("positions", p.positions, p.position_axes);
  add_positions("real_positions", p.real_positions, p.position_axes);
  const std::int64_t pairs = p.rotary_dim / 2;
  const auto add_list = [&](std::string_view name, const auto* data,
                            std::int64_t count) {
    const std::int64_t size = sizeof *data;
    if (data == nullptr) return;
    all.push_back(row(name, element_of(data), bytes_at(data), count * size));
  };
  add_list("axis_of_pair", p.axis_of_pair, pairs);
  add_list("inv_freq", p.inv_freq, pairs);
  add_list("inv_freq_lo", p.inv_freq_lo, pairs);
  add_list("pair_bases", p.pair_bases, pairs);
  add_list("exponent_numerators", p.exponent_numerators, pairs);
  add_list("exponent_denominators", p.exponent_denominators, pairs);
  add_list("axis_weights", p.axis_weights, p.position_axes * pairs);
  if (p.pair_amplitude != nullptr) {
    const std::int64_t size = sizeof *p.pair_amplitude;
    all.push_back(
        {"pair_amplitude",
         element_of(p.pair_amplitude),
         bytes_at(p.pair_amplitude),
         {1, p.batch, p.seq},
         {0, p.table_batch_stride * size, p.table_token_stride * size},
         pairs * size});
  }
  if (p.operation == ROPEPROOF_PERMUTE) {
    all.push_back(row("permute_in", element_of(p.dtype), bytes_at(p.permute_in),
                      weight_bytes(p)));
  }
  return all;
}

std::vector<ByteTensor<std::byte>> outputs(const ropeproof_problem& p) {
  std::vector<ByteTensor<std::byte>> all = heads<std::byte>(p);
  if (p.operation == ROPEPROOF_TABLE) {
    all.push_back(table("cos", p, bytes_at(p.cos)));
    all.push_back(table("sin", p, bytes_at(p.sin)));
  } else if (p.operation == ROPEPROOF_FREQUENCIES) {
    all.push_back(row("inv_freq_out", element_of(p.table_dtype),
                      bytes_at(p.inv_freq_out),
                      p.rotary_dim / 2 * element_bytes(p.table_dtype)));
  } else if (p.operation == ROPEPROOF_PERMUTE) {
    all.push_back(row("permute_out", element_of(p.dtype),
                      bytes_at(p.permute_out), weight_bytes(p)));
  }
  return all;
}

void gather(const ByteTensor<const std::byte>& tensor, std::string& bytes) {
  const auto length = static_cast<std::size_t>(tensor.row_bytes);
  for_each_row(tensor, [&](std::int64_t at) {
    bytes.append(reinterpret_cast<const char*>(tensor.data + at), length);
  });
}

void gather(const ByteTensor<const std::byte>& tensor, std::byte* bytes) {
  const auto length = static_cast<std::size_t>(tensor.row_bytes);
  for_each_row(tensor, [&](std::int64_t at) {
    std::memcpy(bytes, tensor.data + at, length);
    bytes += length;
  });
}

void scatter(const ByteTensor<std::byte>& tensor, const char* bytes) {
  const auto length = static_cast<std::size_t>(tensor.row_bytes);
  for_each_row(tensor, [&](std::int64_t at) {
    std::memcpy(tensor.data + at, bytes, length);
    bytes += length;
  });
}

}  // namespace ropeproof::conformance::plugin
