#include "conformance/selftest/test_kernel.h"

#include <cmath>
#include <cstring>

#include "conformance/plugin/words.h"
#include "conformance/text/words.h"
#include "reference/permutation.h"

namespace ropeproof::conformance::selftest {
namespace {

using reference::Format;

double load(const std::byte* at, Format format) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, plugin::bytes_of(format));
  return decode(format, bits);
}

void store(std::byte* at, Format format, double value) {
  const std::uint64_t bits = encode(format, value);
  std::memcpy(at, &bits, plugin::bytes_of(format));
}

reference::Spec spec_of(const ropeproof_problem& p) {
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

std::byte* bytes_at(void* data, std::int64_t element, Format format) {
  return static_cast<std::byte*>(data) +
         element * static_cast<std::int64_t>(plugin::bytes_of(format));
}

// The window alone, as a head of its own.
reference::Spec window_of(reference::Spec spec) {
  spec.layout.head_dim = spec.layout.rotary_dim;
  spec.layout.rotary_offset = spec.layout.pair_distance = 0;
  return spec;
}

// Where the cosines of a token begin.
std::int64_t table_index(const ropeproof_problem& p, const HeadIndex& index) {
  if (p.operation == ROPEPROOF_LOOKUP) {
    return p.ids[index.batch * p.position_batch_stride + index.token] *
           p.table_token_stride;
  }
  return index.batch * p.table_batch_stride +
         index.token * p.table_token_stride;
}

// The offset of the last head; -1 without any.
std::int64_t last_head(const ropeproof_problem& p, std::int64_t heads,
                       std::int64_t batch, std::int64_t token,
                       std::int64_t head) {
  return p.batch * p.seq * heads == 0
             ? -1
             : (p.batch - 1) * batch + (p.seq - 1) * token + (heads - 1) * head;
}

}  // namespace

plugin::Description full_description(std::uint32_t angle_class) {
  plugin::Description d;
  d.name = "test";
  d.version = "1";
  d.operations = ROPEPROOF_FREQUENCIES | ROPEPROOF_TABLE | ROPEPROOF_ROTATE |
                 ROPEPROOF_ROPE | ROPEPROOF_LOOKUP | ROPEPROOF_PERMUTE;
  d.dtypes = ROPEPROOF_F32 | ROPEPROOF_BF16 | ROPEPROOF_F16;
  d.pairings = ROPEPROOF_INTERLEAVED | ROPEPROOF_HALF_SPLIT |
               ROPEPROOF_INTERLEAVED_TO_HALF | ROPEPROOF_NESTED_HALF_SPLIT;
  d.features = ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_IN_PLACE | ROPEPROOF_STRIDED |
               ROPEPROOF_PARTIAL | ROPEPROOF_WINDOW_OFFSET | ROPEPROOF_KEYS |
               ROPEPROOF_ADJOINT | ROPEPROOF_AMPLITUDE |
               ROPEPROOF_NEGATIVE_POSITIONS | ROPEPROOF_INV_FREQ |
               ROPEPROOF_AXIS_WEIGHTS | ROPEPROOF_REAL_POSITIONS |
               ROPEPROOF_PAIR_DISTANCE | ROPEPROOF_PAIR_AMPLITUDE;
  d.axis_maps = ROPEPROOF_AXES_ANY;
  d.caches = ROPEPROOF_CACHE_SPLIT | ROPEPROOF_CACHE_SIDE_BY_SIDE |
             ROPEPROOF_CACHE_DOUBLED;
  d.max_position = std::int64_t{1} << 31;  // binary64 angles are A0 up to here
  d.claims[0].angle_class = angle_class;
  d.claims[0].table_dtype = ROPEPROOF_F32;
  return d;
}

std::byte* TestKernel::allocate(std::size_t bytes) {
  // A knob that writes past the end of k, where q, k and v share a buffer,
  // reaches further than the call's zones.
  constexpr std::size_t kSpareBytes = 4096;
  memory_.push_back(std::make_unique<std::byte[]>(bytes + kSpareBytes));
  return memory_.back().get();
}

plugin::Answer TestKernel::run(const ropeproof_problem& problem) {
  if (canned.outcome != plugin::Outcome::kOk) return canned;
  ropeproof_problem p = problem;
  if (knobs_.misread) knobs_.misread(p);
  switch (p.operation) {
    case ROPEPROOF_FREQUENCIES:
      write_frequencies(p);
      break;
    case ROPEPROOF_TABLE:
      write_table(p);
      break;
    case ROPEPROOF_PERMUTE:
      permute(p);
      break;
    default:
      if (!rotate_tensor(problem, p, false) ||
          (p.k.heads > 0 && !rotate_tensor(problem, p, true))) {
        return {plugin::Outcome::kCrash, "beyond the tensor"};
      }
  }
  return {};
}

void TestKernel::cos_sin_of(const ropeproof_problem& p, const HeadIndex& index,
                            std::int64_t j, double& c, double& s) {
  const std::int64_t at = index.batch * p.table_batch_stride +
                          index.token * p.table_token_stride + j;
  const double given =
      p.pair_amplitude != nullptr ? p.pair_amplitude[at] : p.amplitude;
  const double position = knobs_.position(p, index, j);
  double phi = knobs_.angle(position, knobs_.frequency(p, j));
  double low = 0;  // of the angle, beyond binary64
  if (knobs_.uses_low_part) {
    phi = position * p.inv_freq[j];
    low = std::fma(position, p.inv_freq[j], -phi) + position * p.inv_freq_lo[j];
  }
  const Format formed =
      knobs_.table == Format::kF64 ? Format::kF64 : Format::kF32;
  const double m = rounded(formed, knobs_.amplitude(given));
  // Two terms: |low| <= 2^-22 for |phi| <= 2^31, and 2^-66 / 6 is out of sight.
  const double half = low * low / 2;
  const double cosine =
      std::cos(phi) - (low * std::sin(phi) + half * std::cos(phi));
  const double sine =
      std::sin(phi) + (low * std::cos(phi) - half * std::sin(phi));
  const auto entry = [&](double x) {
    const double f = rounded(formed, m * rounded(formed, x));
    return knobs_.truncates ? truncated(knobs_.table, f)
                            : rounded(knobs_.table, f);
  };
  c = entry(cosine);
  s = entry(sine);
  knobs_.adjust_rotation(c, s, j, p.rotary_dim / 2);
}

void TestKernel::rotate_head(const ropeproof_problem& p, const HeadIndex& index,
                             const std::byte* x, std::byte* y) {
  const Format dtype = plugin::format_of(p.dtype);
  const reference::Spec spec = spec_of(p);
  const auto channel = [&](auto* row, std::int64_t t) {
    return row + t * static_cast<std::int64_t>(plugin::bytes_of(dtype));
  };
  const auto flushed = [&](Flush what, Format format, double value) {
    const double least = std::ldexp(1, reference::traits(format).min_exponent);
    return knobs_.flush == what && std::abs(value) < least ? 0 : value;
  };
  std::vector<double> in;
  for (std::int64_t t = 0; t < p.head_dim; ++t) {
    in.push_back(flushed(Flush::kInputs, dtype, load(channel(x, t), dtype)));
  }
  const auto put = [&](std::int64_t t, double sum) {
    const double value = flushed(Flush::kOutputs, dtype, sum);
    store(channel(y, t), dtype,
          knobs_.truncates         ? truncated(dtype, value)
          : knobs_.round_half_away ? rounded_half_away(dtype, value)
                                   : value);
  };
  std::memmove(y, x, in.size() * plugin::bytes_of(dtype));
  for (std::int64_t t = 0; knobs_.outside && t < p.head_dim; ++t) {
    put(t, knobs_.outside(in[static_cast<std::size_t>(t)], p.amplitude));
  }
  // Products and sums of f32 numbers: binary64 holds the products exactly.
  const bool is_f64 = dtype == Format::kF64 && !knobs_.is_f32;
  const Format step = is_f64 || knobs_.round_each ? dtype : Format::kF32;
  for (std::int64_t j = 0; j < p.rotary_dim / 2; ++j) {
    const reference::Pair pair = knobs_.pair(spec, j);
    const reference::Pair to =
        spec.layout.pairing == reference::Pairing::kInterleavedToHalf
            ? reference::target_pair(spec, j)
            : pair;
    double c = 0, s = 0;
    if (p.operation == ROPEPROOF_ROTATE || p.operation == ROPEPROOF_LOOKUP) {
      const bool is_doubled = p.cache == ROPEPROOF_CACHE_DOUBLED;
      const bool is_one = p.cache == ROPEPROOF_CACHE_SIDE_BY_SIDE;
      const std::int64_t at =
          table_index(p, index) +
          (is_doubled ? reference::target_pair(window_of(spec), j).u : j);
      const Format table = plugin::format_of(p.table_dtype);
      c = load(bytes_at(p.cos, at, table), table);
      s = is_one ? load(bytes_at(p.cos, at + p.rotary_dim / 2, table), table)
                 : load(bytes_at(p.sin, at, table), table);
    } else {
      cos_sin_of(p, index, j, c, s);
    }
    if (p.direction < 0 && !knobs_.ignores_direction) s = -s;
    knobs_.adjust_in_problem(p, index, c, s);
    const double x_u = in[static_cast<std::size_t>(pair.u)];
    const double x_v = in[static_cast<std::size_t>(pair.v)];
    const auto times = [&](double a, double b) {
      return flushed(Flush::kProducts, step, rounded(step, a * b));
    };
    const auto sum = [&](double a, double b, double product) {
      return rounded(step, knobs_.is_fused ? std::fma(a, b, product)
                                           : times(a, b) + product);
    };
    const double y_u = sum(x_u, c, -times(x_v, s));
    put(to.u, y_u);
    put(to.v, sum(knobs_.overwrites_input ? y_u : x_u, s, times(x_v, c)));
  }
}

bool TestKernel::rotate_tensor(const ropeproof_problem& given,
                               const ropeproof_problem& p, bool is_key) {
  const ropeproof_tensor& t = is_key ? p.k : p.q;
  const ropeproof_tensor& of = is_key ? given.k : given.q;
  const std::int64_t last_in = last_head(given, of.heads, of.in_batch_stride,
                                         of.in_token_stride, of.in_head_stride),
                     last_out =
                         last_head(given, of.heads, of.out_batch_stride,
                                   of.out_token_stride, of.out_head_stride);
  const Format dtype = plugin::format_of(p.dtype);
  auto* in = const_cast<void*>(t.in);
  const std::int64_t batch = knobs_.only_first_batch_row ? 1 : p.batch;
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t s = 0; s < p.seq; ++s) {
      for (std::int64_t h = 0; h < t.heads - knobs_.heads_skipped; ++h) {
        const std::int64_t dense = ((b * p.seq + s) * t.heads + h) * p.head_dim;
        std::int64_t from = b * t.in_batch_stride + s * t.in_token_stride +
                            h * t.in_head_stride;
        std::int64_t to = b * t.out_batch_stride + s * t.out_token_stride +
                          h * t.out_head_stride;
        if (knobs_.writes_with_input_strides) to = from;
        if (knobs_.ignores_strides) from = to = dense;
        if (knobs_.offset) from = knobs_.offset(from), to = knobs_.offset(to);
        if (from < 0 || from > last_in || to < 0 || to > last_out) return false;
        std::byte* y = bytes_at(t.out, to, dtype);
        rotate_head(p, {b, s, h, is_key}, bytes_at(in, from, dtype), y);
        for (std::int64_t k = p.rotary_offset + p.rotary_dim; k < p.head_dim;
             ++k) {
          std::byte* channel = bytes_at(y, k, dtype);
          if (knobs_.reads_outside_densely) {
            std::memcpy(channel, bytes_at(in, dense + k, dtype),
                        plugin::bytes_of(dtype));
          }
          if (knobs_.zeroes_outside_in_place && t.in == t.out) {
            store(channel, dtype, 0);
          }
        }
      }
    }
  }
  const std::int64_t end = p.batch * t.out_batch_stride;
  std::memset(bytes_at(t.out, end, dtype), 0,
              static_cast<std::size_t>(knobs_.bytes_past_the_end));
  if (knobs_.rotates_a_pair_too_many) {
    const double x =
        load(bytes_at(in, p.batch * t.in_batch_stride, dtype), dtype);
    store(bytes_at(t.out, end, dtype), dtype, x * 0.75);
  }
  if (knobs_.changes_input && t.in != t.out) std::memset(in, 0, 1);
  return true;
}

void TestKernel::write_table(const ropeproof_problem& p) {
  const Format table = plugin::format_of(p.table_dtype);
  for (std::int64_t b = 0; b < p.batch; ++b) {
    for (std::int64_t s = 0; s < p.seq; ++s) {
      for (std::int64_t j = 0; j < p.rotary_dim / 2; ++j) {
        double c = 0, sine = 0;
        cos_sin_of(p, {b, s, 0}, j, c, sine);
        const std::int64_t at =
            b * p.table_batch_stride + s * p.table_token_stride + j;
        store(bytes_at(p.cos, at, table), table, c);
        store(bytes_at(p.sin, at, table), table, sine);
      }
    }
  }
}

void TestKernel::write_frequencies(const ropeproof_problem& p) {
  const Format table = plugin::format_of(p.table_dtype);
  for (std::int64_t j = 0; j < p.rotary_dim / 2; ++j) {
    store(bytes_at(p.inv_freq_out, j, table), table, knobs_.frequency(p, j));
  }
}

void TestKernel::permute(const ropeproof_problem& p) {
  const Format dtype = plugin::format_of(p.dtype);
  const std::vector<std::size_t> source =
      reference::channel_permutation(spec_of(p).layout);
  auto* in = const_cast<void*>(p.permute_in);
  const std::int64_t row = p.permute_columns;
  for (std::int64_t h = 0; h < p.permute_heads; ++h) {
    for (std::int64_t t = 0; t < p.head_dim; ++t) {
      const auto from =
          static_cast<std::int64_t>(source[static_cast<std::size_t>(t)]);
      void* to = bytes_at(p.permute_out, (h * p.head_dim + t) * row, dtype);
      std::memcpy(to, bytes_at(in, (h * p.head_dim + from) * row, dtype),
                  static_cast<std::size_t>(row) * plugin::bytes_of(dtype));
      for (std::int64_t i = 0; knobs_.permutes_numbers && i < row; ++i) {
        store(bytes_at(to, i, dtype), dtype,
              load(bytes_at(to, i, dtype), dtype));
      }
    }
  }
}

}  // namespace ropeproof::conformance::selftest
