#include "conformance/cases/stress_case.h"

#include <algorithm>
#include <string>
#include <vector>

#include "conformance/cases/draw.h"
#include "reference/schemes.h"

namespace ropeproof::conformance::cases {
namespace {

using reference::Axes;
using reference::Direction;
using reference::Exponent;
using reference::Format;
using reference::Frequencies;
using reference::Layout;
using reference::Pairing;

constexpr Format kDtypes[] = {Format::kF32,  Format::kF32,  Format::kF32,
                              Format::kBF16, Format::kBF16, Format::kF16,
                              Format::kF64};
constexpr Pairing kPairings[] = {
    Pairing::kInterleaved,       Pairing::kInterleaved,
    Pairing::kHalfSplit,         Pairing::kHalfSplit,
    Pairing::kInterleavedToHalf, Pairing::kNestedHalfSplit};

// Pairs of models, and counts that are no multiple of a vector's length.
constexpr std::int64_t kPairs[] = {1,  2,  3,  4,  5,  7,  8,   10,  12, 13,
                                   16, 18, 20, 24, 31, 32, 33,  36,  40, 46,
                                   48, 60, 64, 65, 80, 96, 100, 127, 128};
constexpr double kBases[] = {1e4, 1e4,    5e5, 1e6, 1e7,  150000,
                             256, 160000, 5e6, 2,   1e11, 10000.5};
constexpr std::int64_t kLengths[] = {2048, 4096, 8192, 32768};

// The rarest dtype with full heads of the rarest pairing is one draw in 63: all
// these tries miss it once in 60 cases.
constexpr int kTries = 256;

class StressCase {
 public:
  StressCase(std::uint64_t seed, const IsWanted& is_wanted)
      : draw_(seed), is_wanted_(is_wanted) {}

  RopeCase make() {
    choose([this](int) {
      c_.dtype = draw_.from(kDtypes);
      choose_layout();
    });
    choose([this](int) { choose_frequencies(); });
    choose([this](int) { choose_axes(); });
    choose([this](int) {
      if (draw_.one_in(8)) c_.spec.direction = Direction::kAdjoint;
    });
    choose([this](int) { choose_shape(); });
    // Nearer to 0 from try to try, for kernels that count to a limit.
    choose([this](int tries) {
      choose_positions(tries / 2);
      choose_length();
    });
    c_.q = values(c_.q_heads);
    c_.k = values(c_.k_heads);
    return std::move(c_);
  }

 private:
  // Draws a feature until the case is wanted with it.
  template <class Feature>
  void choose(const Feature& feature) {
    const RopeCase before = c_;
    for (int tries = 0; tries < kTries; ++tries) {
      c_ = before;
      feature(tries);
      if (is_wanted_(c_)) return;
    }
  }

  std::int64_t pairs() const { return c_.pairs(); }

  void choose_layout() {
    Layout& layout = c_.spec.layout;
    const std::int64_t pairs = draw_.from(kPairs);
    layout.rotary_dim = 2 * pairs;
    layout.pairing = draw_.from(kPairings);
    std::int64_t width = layout.rotary_dim;
    if (layout.pairing == Pairing::kNestedHalfSplit) {
      do {
        layout.blocks = draw_.between(1, std::min<std::int64_t>(pairs, 4));
      } while (pairs % layout.blocks != 0);
    }
    if (layout.pairing == Pairing::kHalfSplit && draw_.one_in(6)) {
      layout.pair_distance = draw_.between(pairs, 2 * pairs + 3);
      width = pairs + layout.pair_distance;
    }
    layout.head_dim = width;
    if (draw_.one_in(3)) layout.head_dim += draw_.between(1, width + 9);
    if (draw_.one_in(2)) {
      layout.rotary_offset = draw_.between(0, layout.head_dim - width);
    }
  }

  // One entry per pair, no two alike.
  std::vector<double> list(double first, double step) {
    std::vector<double> list;
    for (std::int64_t j = 0; j < pairs(); ++j) {
      list.push_back(first +
                     step * (static_cast<double>(j) + draw_.real(0, 0.5)));
    }
    return list;
  }

  // YaRN's ramp runs forward for every number of channels d if L / (2 pi
  // beta_slow) > 1 and L / (2 pi beta_fast) < b^(2(d-1)/d), which is b or more:
  // so L > 2 pi 4, and b > 32768 / (2 pi 16) = 326.
  static constexpr double kLeastYarnBase = 327;

  reference::Yarn yarn() {
    reference::Yarn s;
    s.factor = draw_.real(1, 48);
    s.original_length = draw_.from(kLengths);
    s.beta_fast = draw_.real(16, 40);
    s.beta_slow = draw_.real(1, 4);
    s.truncate = !draw_.one_in(3);
    if (draw_.one_in(4)) s.attention_factor = draw_.real(1, 1.5);
    if (draw_.one_in(4)) {
      s.mscale = draw_.real(0.5, 1.5);
      s.mscale_all_dim = draw_.real(0.5, 1.5);
    }
    return s;
  }

  reference::LongRope long_rope() {
    reference::LongRope s;
    s.short_factor = list(1, 0.125);
    s.long_factor = list(1.5, 3.25);
    s.original_length = draw_.from(kLengths);
    s.factor = draw_.real(1, 32);
    return s;
  }

  void choose_scaling() {
    Frequencies& f = c_.spec.frequencies;
    switch (draw_.between(1, 20)) {
      case 1:
        f.scaling = reference::Linear{draw_.real(1, 16)};
        break;
      case 2:
        if (pairs() >= 2) f.scaling = reference::Ntk{draw_.real(1, 16)};
        break;
      case 3:
        if (pairs() >= 2) {
          f.scaling =
              reference::DynamicNtk{draw_.real(1, 8), draw_.from(kLengths)};
        }
        break;
      case 4:
        f.base = std::max(f.base, kLeastYarnBase);
        f.scaling = yarn();
        break;
      case 5:
        f.scaling = long_rope();
        break;
      case 6:
        f.scaling = reference::Llama3{draw_.real(1, 40), draw_.real(0.5, 2),
                                      draw_.real(2, 8), draw_.from(kLengths)};
        break;
      case 7:
        f.scaling = reference::FrequencyFactors{list(1, draw_.real(0, 2))};
        break;
      default:
        break;
    }
  }

  void choose_frequencies() {
    Frequencies& f = c_.spec.frequencies;
    f.base = draw_.from(kBases);
    choose_scaling();
    if (!decides_amplitude(f.scaling) && draw_.one_in(8)) {
      f.amplitude = draw_.real(0.5, 2);
    }
    if (f.scaling.index() != 0) return;
    switch (draw_.between(1, 20)) {
      case 1:  // a list of their own
        f.inv_freq = list(draw_.real(0, 0.0625), 0x1p-8);
        break;
      case 2:  // counted against more channels, as partial heads are
        for (std::int64_t j = 0; j < pairs(); ++j) {
          f.exponents.push_back({2 * j, 2 * pairs() + 6});
        }
        break;
      case 3:
        f.xpos = reference::XPos{512, draw_.real(0, 512), draw_.one_in(2)};
        break;
      default:
        break;
    }
  }

  void choose_axes() {
    Axes& axes = c_.spec.axes;
    if (c_.spec.frequencies.xpos || !draw_.one_in(6)) return;
    axes.count = draw_.between(2, 4);
    if (draw_.one_in(4)) {
      for (std::int64_t i = 0; i < axes.count * pairs(); ++i) {
        axes.weights.push_back(draw_.real(-1, 1));
      }
      return;
    }
    for (std::int64_t j = 0; j < pairs(); ++j) {
      axes.axis_of_pair.push_back(draw_.between(0, axes.count - 1));
    }
  }

  void choose_shape() {
    c_.batch = draw_.between(1, 3);
    c_.seq = draw_.between(1, 7);
    c_.q_heads = draw_.between(1, 5);
    c_.k_heads = draw_.one_in(2) ? draw_.between(1, 3) : 0;
    // Down to one head of one token: at most 3 * 128 + 3 channels and as many
    // and nine more outside the window.
    static_assert(2 * (3 * 128 + 3) + 9 <= kMaxStressElements);
    std::int64_t* const sizes[] = {&c_.seq, &c_.q_heads, &c_.batch};
    for (std::size_t i = 0; c_.elements() > kMaxStressElements; ++i) {
      std::int64_t& size = *sizes[i % 3];
      size = std::max<std::int64_t>(size - 1, 1);
      if (c_.tokens() * c_.q_heads == 1) c_.k_heads = 0;
    }
    constexpr Storage kDrawn[] = {kDense, kDense, kInPlace, kStrided,
                                  kStridedInPlace};
    c_.storage = draw_.from(kDrawn);
    if (draw_.one_in(100)) c_.seq = 0;
  }

  // Next to a power of two as often as anywhere between two of them.
  double position(int binades) {
    const std::int64_t binade = std::int64_t{1} << draw_.between(0, binades);
    const std::int64_t p = draw_.one_in(2)
                               ? binade + draw_.between(-1, 1)
                               : draw_.between(binade, 2 * binade - 1);
    return static_cast<double>(p);
  }

  void choose_positions(int fewer) {
    // xPos stretches by 12^(distance/scale_base), which f16 must hold; weights
    // and a list of frequencies are no faster than 1 radian per position.
    const int binades =
        std::max((c_.spec.frequencies.xpos ? 9 : 30) - fewer, 0);
    const std::int64_t tokens = c_.tokens();
    const bool is_real = draw_.one_in(12), is_signed = draw_.one_in(6);
    const bool is_consecutive = draw_.one_in(4);
    for (std::int64_t axis = 0; axis < c_.spec.axes.count; ++axis) {
      const double first = position(binades) - 1;
      for (std::int64_t t = 0; t < tokens; ++t) {
        double p =
            is_consecutive ? first + static_cast<double>(t) : position(binades);
        if (is_real) p = p / 2 + draw_.real(0, 1);
        if (is_signed && draw_.one_in(2)) p = -p;
        c_.positions.push_back(p);
      }
    }
  }

  // A length that a scaling depends on is that of the positions, or more. As often
  // as not the trained length is next to it.
  void choose_length() {
    double largest = 0;
    for (const double p : c_.positions) largest = std::max(largest, p);
    std::int64_t length = static_cast<std::int64_t>(largest) + 1;
    if (draw_.one_in(4)) length += draw_.between(1, length);
    const auto set = [&](std::int64_t& seq_len, std::int64_t& trained) {
      seq_len = length;
      if (draw_.one_in(2)) {
        trained = std::max<std::int64_t>(length + draw_.between(-2, 2), 2);
      }
    };
    reference::Scaling& scaling = c_.spec.frequencies.scaling;
    if (auto* const s = std::get_if<reference::DynamicNtk>(&scaling)) {
      set(s->seq_len, s->max_position);
    } else if (auto* const l = std::get_if<reference::LongRope>(&scaling)) {
      set(l->seq_len, l->original_length);
    }
  }

  // Of like size; of sizes 2^-8 .. 2^8 apart, where one product swallows the
  // other; or powers of two and zeros, where no product is rounded.
  Bits values(std::int64_t heads) {
    const std::uint64_t stream = draw_.bits();
    const std::int64_t kind = draw_.between(1, 6);
    const auto size =
        static_cast<std::size_t>(c_.tokens() * heads * c_.spec.layout.head_dim);
    Bits x(size);
    for (std::size_t i = 0; i < size; ++i) {
      x[i] = random_number(c_.dtype, stream, i);
      if (kind > 2) continue;
      Draw element(random_bits(~stream, i));
      const double power =
          static_cast<double>(std::int64_t{1} << element.between(0, 8));
      double value = element.one_in(2) ? power : 1 / power;
      if (kind == 1) {
        value *= decode(c_.dtype, x[i]);
      } else if (element.one_in(4)) {
        value = 0;
      }
      x[i] = encode(c_.dtype, value);
    }
    return x;
  }

  Draw draw_;
  const IsWanted& is_wanted_;
  RopeCase c_;
};

}  // namespace

RopeCase stress_case(std::uint64_t seed, std::uint64_t index) {
  return stress_case(seed, index, [](const RopeCase&) { return true; });
}

RopeCase stress_case(std::uint64_t seed, std::uint64_t index,
                     const IsWanted& is_wanted) {
  RopeCase c = StressCase(random_bits(seed, index), is_wanted).make();
  // The schema wants three digits, or more.
  std::string number = std::to_string(index);
  number.insert(0, 3 - std::min<std::size_t>(number.size(), 3), '0');
  c.id = "stress-" + std::to_string(seed) + "-" + number;
  c.comment = "drawn from a seed";
  return c;
}

}  // namespace ropeproof::conformance::cases
