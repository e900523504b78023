#include "conformance/assertion/abi_problem.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>
#include <variant>

#include "conformance/call/rows.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/fields.h"
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

Format format_named(const char* name, std::uint32_t dtype) {
  for (const auto& [known, word] : plugin::kDtypeWords) {
    if (known == dtype) return plugin::format_of(dtype);
  }
  fail(std::string(name) + " is " + std::to_string(dtype) +
       "; expected ROPEPROOF_F64, _F32, _F16 or _BF16");
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
  reference::Scaling scaling;
  for (const auto& [kind, word] : plugin::kScalingWords) {
    if (kind == given.kind) scaling = plugin::scaling_named(word);
  }
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
  }
  if (p.axis_weights != nullptr) {
    axes.weights = list(p.axis_weights, axes.count * pairs);
  }
  return axes;
}

std::vector<double> read_positions(const ropeproof_problem& p) {
  require(p.positions != nullptr || p.real_positions != nullptr,
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

void check_sizes(const ropeproof_problem& p) {
  const auto is_size = [](std::int64_t n, std::int64_t least) {
    return n >= least && n <= reference::kMaxHeadDim;
  };
  require(is_size(p.batch, 1) && is_size(p.seq, 1) && is_size(p.q.heads, 0) &&
              is_size(p.k.heads, 0),
          "batch, seq or heads is not within 1 .. 2^20");
  require(is_size(p.head_dim, 2) && is_size(p.rotary_dim, 2) &&
              p.rotary_dim <= p.head_dim && p.rotary_dim % 2 == 0,
          "rotary_dim is " + std::to_string(p.rotary_dim) + ", head_dim " +
              std::to_string(p.head_dim) + "; expected an even one up to it");
  require(is_size(p.position_axes, 1) || p.operation == ROPEPROOF_ROTATE,
          "position_axes is " + std::to_string(p.position_axes));
  require(p.operation == ROPEPROOF_TABLE || p.q.heads > 0, "q.heads is 0");
}

// x c + y s of exact products, rounded to odd.
double sum_to_odd(double a, double b) {
  const double sum = a + b, b_part = sum - a;
  const double rest = (a - (sum - b_part)) + (b - b_part);
  const bool is_odd = (std::bit_cast<std::uint64_t>(sum) & 1) != 0;
  if (rest == 0 || is_odd || !std::isfinite(sum)) return sum;
  return std::nextafter(sum, rest > 0 ? HUGE_VAL : -HUGE_VAL);
}

cases::Bits rotated(const cases::Problem& p, const cases::Bits& x,
                    std::int64_t heads, const cases::Golden& tables) {
  const std::int64_t d = p.spec.layout.head_dim;
  cases::Bits y;
  for (const std::uint64_t bits : x) {
    y.push_back(std::bit_cast<std::uint64_t>(decode(p.dtype, bits)));
  }
  for (std::int64_t row = 0; row < p.tokens() * heads; ++row) {
    for (std::int64_t j = 0; j < p.pairs(); ++j) {
      const reference::Pair from = reference::source_pair(p.spec, j);
      const reference::Pair to = reference::target_pair(p.spec, j);
      const auto entry = static_cast<std::size_t>(row / heads * p.pairs() + j);
      const double c = cases::value_of(tables.cos[entry]);
      const double s = cases::value_of(tables.sin[entry]) *
                       static_cast<int>(p.spec.direction);
      const auto value = [&](std::int64_t t) {
        return decode(p.dtype, x[static_cast<std::size_t>(row * d + t)]);
      };
      const double u = value(from.u), v = value(from.v);
      const auto put = [&](std::int64_t t, double golden) {
        y[static_cast<std::size_t>(row * d + t)] =
            std::bit_cast<std::uint64_t>(golden);
      };
      put(to.u, sum_to_odd(u * c, -(v * s)));
      put(to.v, sum_to_odd(u * s, v * c));
    }
  }
  return y;
}

}  // namespace

cases::Problem read_problem(const ropeproof_problem& p) {
  constexpr std::uint32_t kKnown =
      ROPEPROOF_ROPE | ROPEPROOF_ROTATE | ROPEPROOF_TABLE;
  require(std::has_single_bit(p.operation) && (p.operation & kKnown) != 0,
          "operation is " + std::to_string(p.operation) +
              "; expected ROPEPROOF_ROPE, _ROTATE or _TABLE");
  require(p.pair_amplitude == nullptr, "pair_amplitude cannot be judged here");
  check_sizes(p);
  const bool is_table = p.operation == ROPEPROOF_TABLE;
  cases::Problem problem;
  problem.dtype = is_table ? format_named("table_dtype", p.table_dtype)
                           : format_named("dtype", p.dtype);
  problem.batch = p.batch, problem.seq = p.seq;
  problem.spec.layout = read_layout(p);
  if (p.operation == ROPEPROOF_ROTATE) {
    problem.positions.assign(static_cast<std::size_t>(p.batch * p.seq), 0);
  } else {
    problem.spec.frequencies = read_frequencies(p);
    problem.spec.axes = read_axes(p);
    problem.positions = read_positions(p);
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
  problem.q =
      bits_of(required(p.q.in, "q.in"), problem.dtype, rows_of(p, p.q, false));
  if (p.k.heads > 0) {
    problem.k = bits_of(required(p.k.in, "k.in"), problem.dtype,
                        rows_of(p, p.k, false));
  }
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
  output.q = bits_of(required(p.q.out, "q.out"), format, rows_of(p, p.q, true));
  if (p.k.heads > 0) {
    output.k =
        bits_of(required(p.k.out, "k.out"), format, rows_of(p, p.k, true));
  }
  return output;
}

cases::Golden golden_of_given(const ropeproof_problem& given,
                              const cases::Problem& p) {
  const Format table = format_named("table_dtype", given.table_dtype);
  require(p.dtype != Format::kF64 && table != Format::kF64,
          "given tables of f64, or of f64 tensors, cannot be judged here");
  cases::Golden golden;
  golden.inv_freq_hi.assign(static_cast<std::size_t>(p.pairs()), 0);
  golden.inv_freq_lo = golden.inv_freq_hi;
  const auto read = [&](const void* data, const char* name) {
    cases::Bits bits = bits_of(required(data, name), table, table_rows(given));
    for (std::uint64_t& entry : bits) {
      entry = std::bit_cast<std::uint64_t>(decode(table, entry));
    }
    return bits;
  };
  golden.cos = read(given.cos, "cos");
  golden.sin = read(given.sin, "sin");
  golden.q = rotated(p, p.q, p.q_heads, golden);
  golden.k = rotated(p, p.k, p.k_heads, golden);
  return golden;
}

}  // namespace ropeproof::conformance::assertion
