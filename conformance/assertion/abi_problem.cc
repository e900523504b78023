#include "conformance/assertion/abi_problem.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>
#include <variant>

#include "conformance/call/rows.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/scalings.h"
#include "conformance/text/word_tables.h"
#include "reference/rope.h"

namespace ropeproof::conformance::assertion {
namespace {

using reference::Format;

[[noreturn]] void fail(const std::string& what) {
  throw std::invalid_argument(what);
}

void require(bool holds, const std::string& what) {
  if (!holds) fail(what);
}

template <class T>
const T* required(const T* data, const std::string& name) {
  if (data == nullptr) fail(name + " is NULL");
  return data;
}

// A field of an enumeration that the operation may not need: then 0.
template <std::size_t kSize>
void require_known(const char* name, std::uint32_t value,
                   const text::Words<std::uint32_t, kSize>& words) {
  require(value == 0 ||
              std::ranges::any_of(
                  words, [&](const auto& pair) { return pair.first == value; }),
          std::string(name) + " is " + std::to_string(value) +
              ", which is none; known are " + text::list_words(words));
}

std::vector<double> list(const double* data, std::int64_t count) {
  return {data, data + count};
}

// `rows` of `length` elements as bits.
cases::Bits bits_of(const void* data, Format format, const call::Rows& rows) {
  // Nothing is written through it.
  auto* const bytes = static_cast<std::byte*>(const_cast<void*>(data));
  return call::read({rows, plugin::bytes_of(format), bytes});
}

call::Rows rows_of(const ropeproof_problem& p, const ropeproof_tensor& t,
                   bool is_output) {
  return {{p.batch, p.seq, t.heads},
          p.head_dim,
          is_output ? call::Strides{t.out_batch_stride, t.out_token_stride,
                                    t.out_head_stride}
                    : call::Strides{t.in_batch_stride, t.in_token_stride,
                                    t.in_head_stride}};
}

call::Rows table_rows(const ropeproof_problem& p) {
  return {{p.batch, p.seq, 1},
          p.rotary_dim / 2,
          {p.table_batch_stride, p.table_token_stride, 0}};
}

reference::Layout read_layout(const ropeproof_problem& p) {
  reference::Layout layout;
  layout.head_dim = p.head_dim;
  layout.rotary_dim = p.rotary_dim;
  if (p.operation == ROPEPROOF_TABLE) return layout;
  layout.rotary_offset = p.rotary_offset;
  layout.pair_distance = p.pair_distance;
  layout.blocks = std::max<std::int64_t>(p.pairing_blocks, 1);
  for (const auto& [pairing, word] : text::kPairingWords) {
    if (plugin::abi_pairing(pairing) != p.pairing) continue;
    layout.pairing = pairing;
    return layout;
  }
  fail("pairing is " + std::to_string(p.pairing) +
       "; expected ROPEPROOF_HALF_SPLIT, _INTERLEAVED ...");
}

reference::Scaling read_scaling(const ropeproof_scaling& given,
                                std::int64_t pairs) {
  reference::Scaling scaling = plugin::scaling_of(given.kind);
  require(scaling.index() != 0,
          "scaling.kind is " + std::to_string(given.kind) + ", of no scaling");
  const auto take = [&](const char* name, auto& value, const auto& field) {
    const auto& source = given.*field.member;
    if constexpr (requires { value.has_value(); }) {
      if (source != 0) value = source;
    } else if constexpr (requires { value.data(); }) {
      value = list(required(source, std::string("scaling.") + name), pairs);
    } else {
      value = static_cast<std::remove_reference_t<decltype(value)>>(source);
    }
  };
  std::visit([&](auto& s) { plugin::for_each_field(s, take); }, scaling);
  return scaling;
}

reference::Frequencies read_frequencies(const ropeproof_problem& p) {
  const std::int64_t pairs = p.rotary_dim / 2;
  reference::Frequencies f;
  if (p.scaling != nullptr) f.scaling = read_scaling(*p.scaling, pairs);
  if (p.base != 0) {
    f.base = p.base;
  } else if (p.exponent_numerators != nullptr) {
    f.bases = list(required(p.pair_bases, "pair_bases"), pairs);
    required(p.exponent_denominators, "exponent_denominators");
    for (std::int64_t j = 0; j < pairs; ++j) {
      f.exponents.push_back(
          {p.exponent_numerators[j], p.exponent_denominators[j]});
    }
  } else {
    f.inv_freq =
        list(required(p.inv_freq, "base is 0, pair_bases and inv_freq"), pairs);
  }
  if (!decides_amplitude(f.scaling)) f.amplitude = p.amplitude;
  return f;
}

reference::Axes read_axes(const ropeproof_problem& p) {
  const std::int64_t pairs = p.rotary_dim / 2;
  reference::Axes axes;
  axes.count = p.position_axes;
  if (p.axis_of_pair != nullptr) {
    axes.axis_of_pair.assign(p.axis_of_pair, p.axis_of_pair + pairs);
  } else {
    require(p.axis_map == 0 || p.axis_weights != nullptr,
            "axis_map is " + std::to_string(p.axis_map) +
                " and axis_of_pair is NULL; expected the axis of each pair");
  }
  if (p.axis_weights != nullptr) {
    axes.weights = list(p.axis_weights, axes.count * pairs);
  }
  return axes;
}

std::vector<double> read_positions(const ropeproof_problem& p) {
  require(p.positions != nullptr || p.real_positions != nullptr ||
              p.batch * p.seq == 0,
          "positions is NULL");
  std::vector<double> positions;
  for (std::int64_t axis = 0; axis < p.position_axes; ++axis) {
    for (std::int64_t b = 0; b < p.batch; ++b) {
      for (std::int64_t s = 0; s < p.seq; ++s) {
        const std::int64_t at =
            axis * p.position_axis_stride + b * p.position_batch_stride + s;
        positions.push_back(p.real_positions != nullptr
                                ? p.real_positions[at]
                                : static_cast<double>(p.positions[at]));
      }
    }
  }
  return positions;
}

std::vector<std::int64_t> read_ids(const ropeproof_problem& p) {
  std::vector<std::int64_t> rows;
  for (std::int64_t b = 0; b < p.batch; ++b) {
    for (std::int64_t s = 0; s < p.seq; ++s) {
      rows.push_back(required(p.ids, "ids")[b * p.position_batch_stride + s]);
      require(rows.back() >= 0 && rows.back() < p.cache_rows,
              "ids has the row " + std::to_string(rows.back()) +
                  "; cache_rows is " + std::to_string(p.cache_rows));
    }
  }
  return rows;
}

void check_sizes(const ropeproof_problem& p) {
  const auto is_size = [](std::int64_t n, std::int64_t least) {
    return n >= least && n <= reference::kMaxHeadDim;
  };
  for (const auto& [name, size] :
       {std::pair("batch", p.batch), std::pair("seq", p.seq),
        std::pair("q.heads", p.q.heads), std::pair("k.heads", p.k.heads)}) {
    require(is_size(size, 0), std::string(name) + " is " +
                                  std::to_string(size) +
                                  "; expected 0 to 2^20");
  }
  require(is_size(p.head_dim, 2) && is_size(p.rotary_dim, 2) &&
              p.rotary_dim <= p.head_dim && p.rotary_dim % 2 == 0,
          "rotary_dim is " + std::to_string(p.rotary_dim) + ", head_dim " +
              std::to_string(p.head_dim) + "; expected an even one up to it");
  require(is_size(p.position_axes, 1) || p.operation == ROPEPROOF_ROTATE ||
              p.operation == ROPEPROOF_LOOKUP,
          "position_axes is " + std::to_string(p.position_axes));
  require_known("table_dtype", p.table_dtype, plugin::kDtypeWords);
  require_known("axis_map", p.axis_map, plugin::kAxisMapWords);
  require_known("cache", p.cache, plugin::kCacheWords);
}

// The elements of q or k; none of an empty problem. A tensor that nobody filled
// in is no empty one.
cases::Bits read_input(const ropeproof_problem& p, const ropeproof_tensor& t,
                       const char* name, Format format) {
  if (p.batch * p.seq == 0) return {};
  return bits_of(required(t.in, name), format, rows_of(p, t, false));
}

}  // namespace

Format format_named(const char* name, std::uint32_t dtype) {
  for (const auto& [known, word] : plugin::kDtypeWords) {
    if (known == dtype) return plugin::format_of(dtype);
  }
  fail(std::string(name) + " is " + std::to_string(dtype) +
       "; expected ROPEPROOF_F64, _F32, _F16 or _BF16");
}

cases::Problem read_problem(const ropeproof_problem& p) {
  constexpr std::uint32_t kKnown =
      ROPEPROOF_ROPE | ROPEPROOF_ROTATE | ROPEPROOF_LOOKUP | ROPEPROOF_TABLE;
  require(std::has_single_bit(p.operation) && (p.operation & kKnown) != 0,
          "operation is " + std::to_string(p.operation) +
              "; expected ROPEPROOF_ROPE, _ROTATE, _LOOKUP or _TABLE");
  require(p.pair_amplitude == nullptr, "pair_amplitude cannot be judged here");
  check_sizes(p);
  const bool is_table = p.operation == ROPEPROOF_TABLE;
  cases::Problem problem;
  problem.dtype = is_table ? format_named("table_dtype", p.table_dtype)
                           : format_named("dtype", p.dtype);
  problem.batch = p.batch, problem.seq = p.seq;
  problem.spec.layout = read_layout(p);
  if (p.operation == ROPEPROOF_ROTATE) {
    // With a given table tokens have numbers: where an element is, in words.
    for (std::int64_t token = 0; token < p.batch * p.seq; ++token) {
      problem.positions.push_back(static_cast<double>(token % p.seq));
    }
  } else if (p.operation == ROPEPROOF_LOOKUP) {
    for (const std::int64_t row : read_ids(p)) {
      problem.positions.push_back(static_cast<double>(row));
    }
  } else {
    problem.spec.frequencies = read_frequencies(p);
    problem.spec.axes = read_axes(p);
    problem.positions = read_positions(p);
  }
  if (p.direction != 1 && p.direction != -1) {
    fail("direction is " + std::to_string(p.direction) + "; expected 1 or -1");
  }
  if (p.direction < 0) {
    problem.spec.direction = reference::Direction::kAdjoint;
  }
  validate(problem.spec);
  for (const double position : problem.positions) {
    reference::validate_position(problem.spec, position);
  }
  if (is_table) return problem;
  problem.q_heads = p.q.heads, problem.k_heads = p.k.heads;
  if (p.q.heads > 0 || p.k.heads == 0) {
    problem.q = read_input(p, p.q, "q.in", problem.dtype);
  }
  if (p.k.heads > 0) problem.k = read_input(p, p.k, "k.in", problem.dtype);
  return problem;
}

judge::Output read_output(const ropeproof_problem& p) {
  judge::Output output;
  if (p.operation == ROPEPROOF_TABLE) {
    const Format format = format_named("table_dtype", p.table_dtype);
    output.cos = bits_of(required(p.cos, "cos"), format, table_rows(p));
    output.sin = bits_of(required(p.sin, "sin"), format, table_rows(p));
    return output;
  }
  const Format format = format_named("dtype", p.dtype);
  if (p.q.heads > 0) {
    output.q =
        bits_of(required(p.q.out, "q.out"), format, rows_of(p, p.q, true));
  }
  if (p.k.heads > 0) {
    output.k =
        bits_of(required(p.k.out, "k.out"), format, rows_of(p, p.k, true));
  }
  return output;
}

namespace {

// A table with an entry for each channel of a window as one with two for each
// pair.
GivenTable by_pairs(const std::vector<double>& cos,
                    const std::vector<double>& sin, const ropeproof_problem& p,
                    const reference::Spec& spec) {
  GivenTable table;
  table.pairs = p.rotary_dim / 2;
  for (std::int64_t row = 0; row < std::ssize(cos) / p.rotary_dim; ++row) {
    for (std::int64_t j = 0; j < table.pairs; ++j) {
      const reference::Pair to = reference::target_pair(spec, j);
      const std::int64_t first = row * p.rotary_dim - p.rotary_offset;
      table.cos_u.push_back(reference::at(cos, first + to.u));
      table.sin_u.push_back(reference::at(sin, first + to.u));
      table.cos_v.push_back(reference::at(cos, first + to.v));
      table.sin_v.push_back(reference::at(sin, first + to.v));
    }
  }
  return table;
}

}  // namespace

GivenTable read_given_table(const ropeproof_problem& p,
                            const reference::Spec& spec, Rows which) {
  const bool is_lookup = p.operation == ROPEPROOF_LOOKUP;
  const bool is_packed = is_lookup && p.cache == ROPEPROOF_CACHE_SIDE_BY_SIDE;
  const bool is_doubled = p.cache == ROPEPROOF_CACHE_DOUBLED;
  require(is_doubled || is_packed || p.cache == 0 ||
              (is_lookup && p.cache == ROPEPROOF_CACHE_SPLIT),
          "cache is " + std::to_string(p.cache) +
              "; expected 0 or ROPEPROOF_CACHE_DOUBLED, or of a lookup any");
  const Format format = format_named("table_dtype", p.table_dtype);
  call::Rows lie = table_rows(p);
  if (is_doubled) lie.length = p.rotary_dim;
  std::vector<std::int64_t> rows;
  if (is_lookup && which == Rows::kOfTokens) rows = read_ids(p);
  if (is_lookup) {
    lie.shape = {1, which == Rows::kAll ? p.cache_rows : 1, 1};
    lie.strides = {0, p.table_token_stride, 0};
  }
  const auto read = [&](const void* data, const char* name,
                        std::int64_t skipped) {
    const auto* const start =
        static_cast<const std::byte*>(required(data, name));
    std::vector<double> values;
    const auto add = [&](std::int64_t first) {
      const auto bytes =
          first * static_cast<std::int64_t>(plugin::bytes_of(format));
      for (const std::uint64_t bits : bits_of(start + bytes, format, lie)) {
        values.push_back(decode(format, bits));
      }
    };
    if (rows.empty()) add(skipped);
    for (const std::int64_t row : rows) {
      add(row * p.table_token_stride + skipped);
    }
    return values;
  };
  GivenTable table;
  table.pairs = p.rotary_dim / 2;
  table.cos_u = read(p.cos, "cos", 0);
  table.sin_u =
      is_packed ? read(p.cos, "cos", table.pairs) : read(p.sin, "sin", 0);
  for (const std::vector<double>* entries : {&table.cos_u, &table.sin_u}) {
    require(std::ranges::all_of(*entries,
                                [](double x) { return std::isfinite(x); }),
            "cos and sin are not all finite numbers");
  }
  if (is_doubled) return by_pairs(table.cos_u, table.sin_u, p, spec);
  table.cos_v = table.cos_u, table.sin_v = table.sin_u;
  return table;
}

}  // namespace ropeproof::conformance::assertion
