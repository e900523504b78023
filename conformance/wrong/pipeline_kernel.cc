#include "conformance/wrong/pipeline_kernel.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "conformance/call/call_memory.h"
#include "conformance/judge/codec.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/description.h"
#include "conformance/plugin/scalings.h"
#include "conformance/wrong/arithmetic.h"
#include "conformance/wrong/elements.h"
#include "reference/permutation.h"

namespace ropeproof::conformance::wrong {
namespace {

using judge::fast_round_to;
using reference::Format;

// The window alone, as a head of its own.
reference::Spec window_of(reference::Spec spec) {
  spec.layout.head_dim = spec.layout.rotary_dim;
  spec.layout.rotary_offset = spec.layout.pair_distance = 0;
  return spec;
}

}  // namespace

plugin::Description full_description(std::uint32_t angle_class) {
  plugin::Description d = plugin::everything("test");
  d.dtypes &= ~std::uint32_t{ROPEPROOF_F64};
  d.features &= ~std::uint32_t{ROPEPROOF_EXPONENTS | ROPEPROOF_EXPLICIT_LENGTH |
                               ROPEPROOF_SPECIAL_VALUES | ROPEPROOF_VALIDATES |
                               ROPEPROOF_DETERMINISTIC | ROPEPROOF_CONCURRENT};
  d.scalings = 0;
  d.axis_maps = ROPEPROOF_AXES_ANY;
  d.max_position = std::int64_t{1} << 31;  // binary64 angles are A0 up to here
  d.claims[0].angle_class = angle_class;
  d.claims[0].table_dtype = ROPEPROOF_F32;
  return d;
}

plugin::Description computing_description() {
  plugin::Description d = full_description(ROPEPROOF_A0);
  for (const auto& [bit, word] : plugin::kScalingWords) d.scalings |= bit;
  d.features |=
      ROPEPROOF_EXPONENTS | ROPEPROOF_EXPLICIT_LENGTH | ROPEPROOF_CONCURRENT;
  return d;
}

std::byte* PipelineKernel::allocate(std::size_t bytes) {
  constexpr std::size_t kSpareBytes = 4096;  // for writes beyond the zones
  memory_.push_back(std::make_unique<std::byte[]>(bytes + kSpareBytes));
  return memory_.back().get();
}

plugin::Answer PipelineKernel::run(const ropeproof_problem& problem) {
  if (canned.outcome != plugin::Outcome::kOk) return canned;
  ropeproof_problem p = problem;
  return keeper_.recall(p) ? solve(p) : plugin::Answer{};
}

// What is in place is solved once: nobody puts it back.
std::vector<plugin::Answer> PipelineKernel::run_together(
    std::span<const ropeproof_problem> problems, int rounds) {
  if (!is_concurrent()) return Kernel::run_together(problems, rounds);
  const std::vector<ropeproof_problem> mixed =
      keeper_.mixed({problems.begin(), problems.end()});
  std::vector<plugin::Answer> answers(problems.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < mixed.size(); ++i) {
      if (round == 0 || mixed[i].q.in != mixed[i].q.out) {
        answers[i] = run(mixed[i]);
      }
    }
  }
  return answers;
}

plugin::Answer PipelineKernel::solve(const ropeproof_problem& problem) {
  ropeproof_problem p = problem;
  if (pipeline_.misread) pipeline_.misread(p);
  const std::size_t zone = pipeline_.is_guarded ? 0 : call::kZoneBytes;
  last_id_ = last_position(problem) +
             static_cast<std::int64_t>(zone / sizeof(std::int64_t));
  const bool has_rows = p.cos != nullptr || p.pair_amplitude != nullptr;
  const bool has_positions =
      p.positions != nullptr || p.ids != nullptr || p.real_positions != nullptr;
  if ((has_rows && last_row(p) > last_row(problem)) ||
      (has_positions && last_position(p) > last_id_)) {
    return {plugin::Outcome::kCrash, "beyond the table"};
  }
  const bool is_wide = problem.cache == ROPEPROOF_CACHE_DOUBLED ||
                       problem.cache == ROPEPROOF_CACHE_SIDE_BY_SIDE;
  table_bytes_ = (last_row(problem) + problem.rotary_dim / (is_wide ? 1 : 2)) *
                 static_cast<std::int64_t>(
                     plugin::bytes_of(plugin::format_of(problem.table_dtype)));
  pairs_ = problem.rotary_dim / 2;
  spec_ = spec_of(p);
  is_lost_ = false;
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
  return is_lost_ ? plugin::Answer{plugin::Outcome::kCrash, "beyond the table"}
                  : plugin::Answer{};
}

CosSin PipelineKernel::given_cos_sin(const PairIndex& at) {
  const ropeproof_problem& p = at.p;
  std::int64_t first =
      at.batch * p.table_batch_stride + at.token * p.table_token_stride;
  if (p.operation == ROPEPROOF_LOOKUP) {
    const std::int64_t place = at.batch * p.position_batch_stride + at.token;
    // A gap between rows of ids holds any number.
    is_lost_ = is_lost_ || place > last_id_ || p.ids[place] < 0 ||
               p.ids[place] >= p.cache_rows;
    if (is_lost_) return {};
    const std::int64_t row =
        pipeline_.row ? pipeline_.row(p, at, p.ids[place]) : p.ids[place];
    first = std::clamp<std::int64_t>(row, 0, p.cache_rows - 1) *
            p.table_token_stride;
  }
  first += p.cache == ROPEPROOF_CACHE_DOUBLED
               ? reference::target_pair(window_of(spec_), at.j).u
               : at.j;
  const Format table = plugin::format_of(p.table_dtype);
  const auto entry = [&](void* entries, std::int64_t i) {
    const auto width = static_cast<std::int64_t>(plugin::bytes_of(table));
    if (i < 0 || (i + 1) * width > table_bytes_) {
      is_lost_ = true;
      return 0.0;
    }
    return load(bytes_at(entries, i, table), table);
  };
  const bool is_one = p.cache == ROPEPROOF_CACHE_SIDE_BY_SIDE;
  return {entry(p.cos, first), is_one ? entry(p.cos, first + p.rotary_dim / 2)
                                      : entry(p.sin, first)};
}

CosSin PipelineKernel::rotation(const PairIndex& at) {
  const ropeproof_problem& p = at.p;
  PairIndex from = at;
  if (pipeline_.taken_for) pipeline_.taken_for(p, from);
  const bool is_given =
      p.operation == ROPEPROOF_ROTATE || p.operation == ROPEPROOF_LOOKUP;
  CosSin r = is_given ? given_cos_sin(from) : formed_cos_sin(from);
  pipeline_.adjust_rotation(at, r);
  if (p.direction < 0 && !pipeline_.ignores_direction) r.s = -r.s;
  pipeline_.adjust_directed(at, r);
  return r;
}

CosSin PipelineKernel::formed_cos_sin(const PairIndex& at) {
  const ropeproof_problem& p = at.p;
  const std::int64_t j = at.j;
  const std::int64_t place =
      at.batch * p.table_batch_stride + at.token * p.table_token_stride + j;
  const double given = p.pair_amplitude != nullptr && j < pairs_
                           ? p.pair_amplitude[place]
                           : p.amplitude;
  const double position = pipeline_.position(at);
  const double theta = pipeline_.frequency(p, j);
  const double phi = pipeline_.angle(position, theta);
  double low = 0;  // of the angle, beyond binary64
  if (pipeline_.uses_low_part && phi == position * theta) {
    low = std::fma(position, theta, -phi) +
          position_remainder(at, position) * theta;
    const bool is_given = p.inv_freq != nullptr && j < pairs_;
    if (is_given && theta == p.inv_freq[j]) low += position * p.inv_freq_lo[j];
  }
  const Format formed =
      pipeline_.table == Format::kF64 ? Format::kF64 : Format::kF32;
  const double m = fast_round_to(formed, pipeline_.amplitude(given));
  // Two terms up to |phi| = 2^31, where |low| <= 2^-22: 2^-66 / 6 is out of
  // sight.
  const bool is_small = std::abs(low) <= 0x1p-22;
  const double s = is_small ? low : std::sin(low);
  const double versine = is_small ? low * low / 2 : 1 - std::cos(low);
  const double cosine =
      std::cos(phi) - (s * std::sin(phi) + versine * std::cos(phi));
  const double sine =
      std::sin(phi) + (s * std::cos(phi) - versine * std::sin(phi));
  const Arithmetic arithmetic(pipeline_, formed);
  const auto entry = [&](double x) {
    return arithmetic.entry(
        fast_round_to(formed, m * fast_round_to(formed, x)));
  };
  return {entry(cosine), entry(sine)};
}

void PipelineKernel::rotate_head(const ropeproof_problem& p,
                                 const HeadIndex& index, const std::byte* x,
                                 std::byte* y) {
  const Format dtype = plugin::format_of(p.dtype);
  const Arithmetic arithmetic(pipeline_, dtype);
  const auto channel = [&](auto* row, std::int64_t t) {
    return row + t * static_cast<std::int64_t>(plugin::bytes_of(dtype));
  };
  std::vector<double> in;
  in.reserve(static_cast<std::size_t>(p.head_dim));
  for (std::int64_t t = 0; t < p.head_dim; ++t) {
    in.push_back(arithmetic.element(load(channel(x, t), dtype)));
  }
  const auto put = [&](std::int64_t t, double sum) {
    store(channel(y, t), dtype, arithmetic.result(sum));
  };
  if (!pipeline_.leaves_outside) {
    std::memmove(y, x, in.size() * plugin::bytes_of(dtype));
  }
  for (std::int64_t t = 0; pipeline_.outside && t < p.head_dim; ++t) {
    const auto outside =
        pipeline_.outside(in[static_cast<std::size_t>(t)], p.amplitude, x == y);
    if (outside) put(t, *outside);
  }
  const std::int64_t end = spec_.layout.rotary_offset + p.rotary_dim;
  const std::int64_t behind =
      pipeline_.rotates_next_blocks ? (p.head_dim - end) / p.rotary_dim : 0;
  for (std::int64_t i = 0; i < (1 + behind) * p.rotary_dim / 2; ++i) {
    const std::int64_t j = i % (p.rotary_dim / 2), begin = 2 * (i - j);
    const reference::Pair from = pipeline_.pair(spec_, j),
                          to = target_of(from, j);
    if (begin + std::max({from.u, from.v, to.u, to.v}) >= p.head_dim) continue;
    const auto rotation_at = [&](std::int64_t t) {
      return rotation(
          {index, p,
           pipeline_.entry
               ? pipeline_.entry(spec_, t - spec_.layout.rotary_offset)
               : j});
    };
    CosSin u = rotation_at(to.u), v = pipeline_.entry ? rotation_at(to.v) : u;
    if (pipeline_.adjust_channels) pipeline_.adjust_channels(u, v);
    const double x_u = in[static_cast<std::size_t>(begin + from.u)];
    const double x_v = in[static_cast<std::size_t>(begin + from.v)];
    const double y_u = arithmetic.sum(x_u, u.c, -x_v, u.s);
    put(begin + to.u, y_u);
    put(begin + to.v,
        arithmetic.sum(pipeline_.overwrites_input ? y_u : x_u, v.s, x_v, v.c));
  }
}

// The channels that pair j is written to.
reference::Pair PipelineKernel::target_of(const reference::Pair& from,
                                          std::int64_t j) const {
  if (pipeline_.target) return pipeline_.target(spec_, j);
  return spec_.layout.pairing == reference::Pairing::kInterleavedToHalf
             ? reference::target_pair(spec_, j)
             : from;
}

bool PipelineKernel::rotate_tensor(const ropeproof_problem& given,
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
  for (std::int64_t b = 0; b < p.batch; ++b) {
    for (std::int64_t s = 0; s < p.seq; ++s) {
      for (std::int64_t h = 0; h < t.heads; ++h) {
        const HeadIndex index{b, s, h, is_key};
        if (pipeline_.leaves && pipeline_.leaves(p, index)) continue;
        const std::int64_t dense = ((b * p.seq + s) * t.heads + h) * p.head_dim;
        std::int64_t from = b * t.in_batch_stride + s * t.in_token_stride +
                            h * t.in_head_stride;
        std::int64_t to = b * t.out_batch_stride + s * t.out_token_stride +
                          h * t.out_head_stride;
        if (pipeline_.offset)
          from = pipeline_.offset(from), to = pipeline_.offset(to);
        if (from < 0 || from > last_in || to < 0 || to > last_out) return false;
        if (pipeline_.reads_outside_densely && dense > last_in) return false;
        std::byte* y = bytes_at(t.out, to, dtype);
        for (int i = 0; i < (pipeline_.repeats ? 2 : 1); ++i) {
          rotate_head(p, index, bytes_at(in, from, dtype), y);
        }
        for (std::int64_t k = p.rotary_offset + p.rotary_dim; k < p.head_dim;
             ++k) {
          std::byte* channel = bytes_at(y, k, dtype);
          if (pipeline_.reads_outside_densely) {
            std::memcpy(channel, bytes_at(in, dense + k, dtype),
                        plugin::bytes_of(dtype));
          }
        }
      }
    }
  }
  const std::int64_t end = p.batch * t.out_batch_stride;
  std::memset(bytes_at(t.out, end, dtype), 0,
              static_cast<std::size_t>(pipeline_.bytes_past_the_end));
  if (pipeline_.rotates_a_pair_too_many) {
    const double x =
        load(bytes_at(in, p.batch * t.in_batch_stride, dtype), dtype);
    store(bytes_at(t.out, end, dtype), dtype, x * 0.75);
  }
  if (pipeline_.changes_input && t.in != t.out) std::memset(in, 0, 1);
  return true;
}

void PipelineKernel::write_table(const ropeproof_problem& p) {
  const Format table = plugin::format_of(p.table_dtype);
  for (std::int64_t b = 0; b < p.batch; ++b) {
    for (std::int64_t s = 0; s < p.seq; ++s) {
      for (std::int64_t j = 0; j < p.rotary_dim / 2; ++j) {
        PairIndex at{{b, s, 0}, p, j};
        if (pipeline_.taken_for) pipeline_.taken_for(p, at);
        CosSin r = formed_cos_sin(at);
        pipeline_.adjust_rotation(at, r);
        const std::int64_t to =
            b * p.table_batch_stride + s * p.table_token_stride + j;
        store(bytes_at(p.cos, to, table), table, r.c);
        store(bytes_at(p.sin, to, table), table, r.s);
      }
    }
  }
}

void PipelineKernel::write_frequencies(const ropeproof_problem& p) {
  const Format table = plugin::format_of(p.table_dtype);
  for (std::int64_t j = 0; j < p.rotary_dim / 2; ++j) {
    store(bytes_at(p.inv_freq_out, j, table), table, pipeline_.frequency(p, j));
  }
}

void PipelineKernel::permute(const ropeproof_problem& p) {
  const Format dtype = plugin::format_of(p.dtype);
  const reference::Layout& layout = spec_.layout;
  const std::vector<std::size_t> source =
      pipeline_.permutation ? pipeline_.permutation(layout)
                            : reference::channel_permutation(layout);
  auto* in = const_cast<void*>(p.permute_in);
  const std::int64_t row = p.permute_columns;
  for (std::int64_t h = 0; h < p.permute_heads; ++h) {
    for (std::int64_t t = 0; t < p.head_dim; ++t) {
      const auto from =
          static_cast<std::int64_t>(source[static_cast<std::size_t>(t)]);
      void* to = bytes_at(p.permute_out, (h * p.head_dim + t) * row, dtype);
      std::memcpy(to, bytes_at(in, (h * p.head_dim + from) * row, dtype),
                  static_cast<std::size_t>(row) * plugin::bytes_of(dtype));
      for (std::int64_t i = 0; pipeline_.permutes_numbers && i < row; ++i) {
        store(bytes_at(to, i, dtype), dtype,
              load(bytes_at(to, i, dtype), dtype));
      }
    }
  }
}

}  // namespace ropeproof::conformance::wrong
