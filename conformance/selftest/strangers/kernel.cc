#include "conformance/selftest/strangers/kernel.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "conformance/selftest/strangers/faults_here.h"
#include "conformance/selftest/strangers/frequencies.h"
#include "conformance/wrong/elements.h"

namespace ropeproof::conformance::selftest::strangers {
namespace {

using reference::Format;
using wrong::bytes_at;

// What a table of cosines and sines was formed from, when it was.
struct Kept {
  std::vector<std::int64_t> positions;  // [axes, batch, seq]
  Frequencies frequencies;
};

class Kernel {
 public:
  Kernel(const Program& program, const ropeproof_problem& p, std::int64_t calls)
      : p_(p),
        here_(program, p, calls),
        takes_inv_freq_(program.is_wide),
        dtype_(plugin::format_of(p.dtype)),
        table_(plugin::format_of(p.table_dtype)),
        is_given_(p.operation != ROPEPROOF_ROPE) {}

  void run() {
    if (p_.batch * p_.seq == 0) return;
    if (!is_given_) {
      kept_.frequencies = frequencies_of(p_, here_, takes_inv_freq_);
      if (here_.has(Point::kTable)) look_up();
    }
    for (const bool is_key : {false, true}) {
      here_.is_key = is_key;
      if (here_.tensor().heads > 0) rotate_tensor();
    }
  }

 private:
  template <class Body>
  void loop(Point point, std::int64_t count, const Body& body) {
    for (std::int64_t i = 0; i < count; ++i) {
      repeat(here_.turn(point, i, count), body);
    }
  }
  template <class Body>
  static void repeat(Turn turn, const Body& body) {
    for (int k = 0; k < turn.times; ++k) body(turn.index);
  }

  // The cache of a fault: what an earlier call with the same key was given.
  void look_up() {
    const Fault* const fault = here_.find(Point::kTable, Op::kStale);
    if (fault == nullptr) return;
    for (std::int64_t i = 0; i < p_.position_axes * p_.batch * p_.seq; ++i) {
      const std::int64_t row = i / p_.seq;
      kept_.positions.push_back(
          p_.positions[row / p_.batch * p_.position_axis_stride +
                       row % p_.batch * p_.position_batch_stride + i % p_.seq]);
    }
    static std::map<std::uint64_t, Kept> cache;
    if (cache.size() > 64) cache.clear();
    kept_ = cache.try_emplace(key_of(*fault), kept_).first->second;
    const auto pairs = static_cast<std::size_t>(p_.rotary_dim / 2);
    kept_.frequencies.of_pairs.resize(pairs);
    kept_.positions.resize(
        static_cast<std::size_t>(p_.position_axes * p_.batch * p_.seq));
  }

  std::uint64_t key_of(const Fault& fault) const {
    const std::vector<float>& f = kept_.frequencies.of_pairs;
    double sum = 0, sum_of_frequencies = 0;
    for (const std::int64_t x : kept_.positions) sum += static_cast<double>(x);
    for (const float x : f) sum_of_frequencies += double{x};
    const double fields[] = {
        static_cast<double>(p_.batch),
        static_cast<double>(p_.seq),
        static_cast<double>(p_.rotary_dim),
        double{kept_.frequencies.amplitude},
        static_cast<double>(kept_.positions.front()),
        static_cast<double>(kept_.positions.back()),
        sum,
        static_cast<double>(reinterpret_cast<std::intptr_t>(p_.positions)),
        double{f.front()},
        double{f.back()},
        sum_of_frequencies,
        static_cast<double>(p_.position_axes)};
    static_assert(std::size(fields) == std::size(kKeyFields));
    std::uint64_t hash = 0xcbf29ce484222325;
    for (std::size_t i = 0; i < std::size(fields); ++i) {
      if ((fault.key >> i & 1) == 0) continue;
      hash = (hash ^ std::bit_cast<std::uint64_t>(fields[i])) * 0x100000001b3;
      hash ^= hash >> 29;
    }
    return fault.number < 64 ? hash >> (64 - static_cast<int>(fault.number))
                             : hash;
  }

  void rotate_tensor() {
    const std::int64_t heads = here_.tensor().heads;
    loop(Point::kBatchLoop, p_.batch, [&](std::int64_t b) {
      here_.batch = b;
      loop(Point::kTokenLoop, p_.seq, [&](std::int64_t s) {
        const std::int64_t row = b * p_.seq + s;
        repeat(here_.turn(Point::kRowLoop, row, p_.batch * p_.seq),
               [&](std::int64_t r) { rotate_row(r, heads); });
      });
    });
  }

  void rotate_row(std::int64_t row, std::int64_t heads) {
    loop(Point::kHeadLoop, heads, [&](std::int64_t h) {
      repeat(here_.turn(Point::kHeadOfRowLoop, row * heads + h,
                        p_.batch * p_.seq * heads),
             [&](std::int64_t i) {
               here_.batch = i / heads / p_.seq;
               here_.token = i / heads % p_.seq;
               here_.head = i % heads;
               rotate_head();
             });
    });
  }

  // Where the head at hand begins.
  std::int64_t offset(bool is_out) {
    const ropeproof_tensor& t = here_.tensor();
    const auto at = [&](Point in, Point out, std::int64_t i,
                        std::int64_t in_stride, std::int64_t out_stride,
                        std::int64_t dense) {
      return here_.index(is_out ? out : in,
                         i * (is_out ? out_stride : in_stride), i * dense);
    };
    const std::int64_t row = here_.batch * p_.seq + here_.token;
    return here_.index(
        is_out ? Point::kOutOffset : Point::kInOffset,
        at(Point::kInBatch, Point::kOutBatch, here_.batch, t.in_batch_stride,
           t.out_batch_stride, p_.seq * t.heads * p_.head_dim) +
            at(Point::kInToken, Point::kOutToken, here_.token,
               t.in_token_stride, t.out_token_stride, t.heads * p_.head_dim) +
            at(Point::kInHead, Point::kOutHead, here_.head, t.in_head_stride,
               t.out_head_stride, p_.head_dim),
        (row * t.heads + here_.head) * p_.head_dim);
  }

  void rotate_head() {
    const ropeproof_tensor& t = here_.tensor();
    std::byte* const in =
        bytes_at(const_cast<void*>(t.in), offset(false), dtype_);
    std::byte* const out = bytes_at(t.out, offset(true), dtype_);
    here_.pair = 0;
    here_.magnitude = 0;
    if (const Fault* fault = here_.find(Point::kLoad, Op::kTooFar)) {
      for (std::int64_t c = p_.head_dim; c % std::int64_t(fault->number); ++c) {
        [[maybe_unused]] static volatile double sink;
        sink = load(in, c);
      }
    }
    // What is in place may be written where it is not read yet.
    row_.resize(static_cast<std::size_t>(p_.head_dim));
    for (std::int64_t c = 0; c < p_.head_dim; ++c) {
      row_[static_cast<std::size_t>(c)] = load(in, c);
    }
    copy_outside(in, out);
    loop(Point::kPairLoop, p_.rotary_dim / 2, [&](std::int64_t j) {
      here_.pair = j;
      rotate_pair(j, in, out);
    });
    if (const Fault* fault = here_.find(Point::kStore, Op::kTooWide)) {
      for (std::int64_t c = p_.head_dim; c % std::int64_t(fault->number); ++c) {
        wrong::store(bytes_at(out, c, dtype_), dtype_, 0);
      }
    }
  }

  void copy_outside(const std::byte* in, std::byte* out) {
    const std::int64_t end = p_.rotary_offset + p_.rotary_dim;
    const bool is_exact = !here_.has(Point::kOutside);
    loop(Point::kOutsideLoop, p_.head_dim - p_.rotary_dim, [&](std::int64_t i) {
      const std::int64_t c =
          i < p_.rotary_offset ? i : i - p_.rotary_offset + end;
      std::byte* const to = bytes_at(out, c, dtype_);
      if (is_exact) {
        std::memmove(to, in + (to - out), plugin::bytes_of(dtype_));
      } else {
        wrong::store(to, dtype_,
                     here_.number(Point::kOutside, row_[size_t(c)]));
      }
    });
  }

  struct Channels {
    std::int64_t u, v;
  };
  Channels channels(std::int64_t j, bool is_out) const {
    const bool is_interleaved = p_.pairing == ROPEPROOF_INTERLEAVED ||
                                (p_.pairing == ROPEPROOF_INTERLEAVED_TO_HALF &&
                                 is_out == (p_.direction < 0));
    const std::int64_t first = p_.rotary_offset;
    return is_interleaved ? Channels{first + 2 * j, first + 2 * j + 1}
                          : Channels{first + j, first + j + p_.rotary_dim / 2};
  }

  void rotate_pair(std::int64_t j, const std::byte* in, std::byte* out) {
    const auto [c, s] = cos_sin(j);
    Channels from = channels(j, false), to = channels(j, true);
    for (std::int64_t* x : {&from.u, &from.v}) {
      *x = here_.index(Point::kInChannel, *x, *x);
    }
    for (std::int64_t* x : {&to.u, &to.v}) {
      *x = here_.index(Point::kOutChannel, *x, *x);
    }
    const auto input = [&](std::int64_t channel) {
      const bool is_inside = channel >= 0 && channel < p_.head_dim;
      const double x = is_inside ? row_[static_cast<std::size_t>(channel)]
                                 : load(in, channel);
      here_.magnitude = std::abs(x);
      return static_cast<float>(here_.number(Point::kInput, x));
    };
    const float x_u = input(from.u), x_v = input(from.v);
    const auto sum = [&](float a, float b, float d, float e) {
      const auto product = [&](float x, float y) {
        return static_cast<float>(here_.number(Point::kProduct, double{x * y}));
      };
      return product(a, b) + product(d, e);
    };
    store(out, to.u, sum(x_u, c, -x_v, s));
    const bool is_early = here_.find(Point::kStore, Op::kEarly) != nullptr;
    const float again = is_early ? static_cast<float>(load(in, from.u)) : x_u;
    store(out, to.v, sum(again, s, x_v, c));
  }

  double load(const std::byte* head, std::int64_t channel) const {
    return wrong::load(bytes_at(const_cast<std::byte*>(head), channel, dtype_),
                       dtype_);
  }

  void store(std::byte* head, std::int64_t channel, float y) {
    here_.magnitude = std::abs(double{y});
    if (here_.find(Point::kStore, Op::kMissed) != nullptr) return;
    double result = here_.number(Point::kResult, double{y});
    if (here_.find(Point::kStore, Op::kAccumulated) != nullptr) {
      result += load(head, channel);
    }
    wrong::store(bytes_at(head, channel, dtype_), dtype_, result);
  }

  struct CosSin {
    float c, s;
  };
  CosSin cos_sin(std::int64_t j) {
    CosSin r = is_given_ ? given(j) : formed(j);
    if (p_.direction < 0) r.s = -r.s;
    return r;
  }

  CosSin given(std::int64_t j) {
    std::int64_t first = here_.batch * p_.table_batch_stride +
                         here_.token * p_.table_token_stride;
    if (p_.operation == ROPEPROOF_LOOKUP) {
      const std::int64_t row =
          p_.ids[here_.batch * p_.position_batch_stride + here_.token];
      here_.position = static_cast<double>(row);
      first = here_.index(Point::kCacheRow, row, row) * p_.table_token_stride;
    }
    const std::int64_t i = here_.index(
        Point::kTableOffset, first + j,
        (here_.batch * p_.seq + here_.token) * (p_.rotary_dim / 2) + j);
    const auto entry = [&](void* entries, Point point) {
      const double x = wrong::load(bytes_at(entries, i, table_), table_);
      here_.angle = x;  // no angle is known
      here_.magnitude = std::abs(x);
      return static_cast<float>(here_.number(point, x));
    };
    return {entry(p_.cos, Point::kCosine), entry(p_.sin, Point::kSine)};
  }

  std::int64_t position_of(std::int64_t j) {
    const std::int64_t row = here_.batch * p_.seq + here_.token;
    const std::int64_t axis =
        p_.axis_of_pair == nullptr ? 0 : p_.axis_of_pair[j];
    if (!kept_.positions.empty()) {
      return kept_
          .positions[static_cast<std::size_t>(axis * p_.batch * p_.seq + row)];
    }
    return p_.positions[here_.index(
        Point::kPositionOffset,
        here_.index(Point::kAxis, axis, 0) * p_.position_axis_stride +
            here_.index(Point::kPositionBatch,
                        here_.batch * p_.position_batch_stride,
                        here_.batch * p_.seq) +
            here_.index(Point::kPositionToken, here_.token, here_.token),
        row)];
  }

  CosSin formed(std::int64_t j) {
    here_.position = static_cast<double>(position_of(j));
    here_.magnitude = std::abs(here_.position);
    const auto position =
        static_cast<float>(here_.number(Point::kPosition, here_.position));
    const std::vector<float>& f = kept_.frequencies.of_pairs;
    const auto pair = static_cast<std::size_t>(std::clamp<std::int64_t>(
        here_.index(Point::kFrequencyIndex, j, j), 0, std::ssize(f) - 1));
    here_.magnitude = double{f[pair]};
    const auto frequency =
        static_cast<float>(here_.number(Point::kFrequency, double{f[pair]}));
    const double product = double{position * frequency};
    here_.magnitude = std::abs(product);
    const auto angle = static_cast<float>(here_.number(Point::kAngle, product));
    here_.angle = double{angle};
    here_.magnitude = std::abs(here_.angle);
    const auto amplitude = static_cast<float>(
        here_.number(Point::kAmplitude, double{kept_.frequencies.amplitude}));
    const auto times = [&](Point point, float x) {
      return static_cast<float>(here_.number(point, double{x})) * amplitude;
    };
    return {times(Point::kCosine, std::cos(angle)),
            times(Point::kSine, std::sin(angle))};
  }

  const ropeproof_problem& p_;
  Here here_;
  const bool takes_inv_freq_;
  const Format dtype_, table_;
  const bool is_given_;
  Kept kept_;  // positions only where a cache is at fault
  std::vector<double> row_;
};

}  // namespace

void describe(const Program& program, ropeproof_description& d) {
  d.abi_version = ROPEPROOF_ABI_VERSION;
  d.name = program.is_wide ? "stranger-wide" : "stranger-narrow";
  d.version = "1";
  d.operations = ROPEPROOF_ROPE;
  d.dtypes = ROPEPROOF_F32;
  d.pairings = ROPEPROOF_HALF_SPLIT;
  d.features = ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_IN_PLACE | ROPEPROOF_KEYS;
  d.claims[0].angle_class = ROPEPROOF_A1;
  d.claims[0].table_dtype = ROPEPROOF_F32;
  if (!program.is_wide) return;
  d.operations |= ROPEPROOF_ROTATE | ROPEPROOF_LOOKUP;
  d.dtypes |= ROPEPROOF_F16 | ROPEPROOF_BF16;
  d.pairings |= ROPEPROOF_INTERLEAVED | ROPEPROOF_INTERLEAVED_TO_HALF;
  d.features |= ROPEPROOF_STRIDED | ROPEPROOF_PARTIAL |
                ROPEPROOF_WINDOW_OFFSET | ROPEPROOF_ADJOINT |
                ROPEPROOF_AMPLITUDE | ROPEPROOF_NEGATIVE_POSITIONS |
                ROPEPROOF_INV_FREQ | ROPEPROOF_SPECIAL_VALUES;
  d.axis_maps = ROPEPROOF_AXES_SECTIONS | ROPEPROOF_AXES_INTERLEAVED;
  d.caches = ROPEPROOF_CACHE_SPLIT;
  d.scalings = kFormedScalings;
}

std::int32_t solve(const Program& program, const ropeproof_problem& problem) {
  static std::int64_t calls = 0;
  Kernel(program, problem, ++calls).run();
  return ROPEPROOF_OK;
}

}  // namespace ropeproof::conformance::selftest::strangers
