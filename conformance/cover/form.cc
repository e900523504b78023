#include "conformance/cover/form.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "conformance/cases/draw.h"
#include "conformance/cases/families/family.h"
#include "conformance/cover/form_goldens.h"
#include "conformance/cover/form_positions.h"
#include "conformance/plugin/axis_map.h"
#include "reference/schemes.h"

namespace ropeproof::conformance::cover {
namespace {

using cases::Draw;
using cases::RopeCase;
using reference::Layout;
using reference::Pairing;

// q has no more elements than this; what larger calls add is asked in the shapes of
// real models.
constexpr std::int64_t kMaxElements = 1 << 14;

constexpr double kBases[] = {500000, 1e6, 1e7, 150000, 256000, 5e6, 1e11};
// Neither is a number of f32.
constexpr double kFractionalBases[] = {10000.1, 1234567.3, 333.3, 1e6 + 0.3};
constexpr double kSmallBases[] = {2, 3, 10, 100, 256};
constexpr std::int64_t kLengths[] = {2048, 4096, 8192, 32768};

std::int64_t draw_size(Draw& draw, const Range& range) {
  return draw.between(range.low, range.high);
}

class Outline {
 public:
  Outline(const Question& question, std::uint64_t seed,
          std::int64_t max_position)
      : q_(question), draw_(seed), max_position_(max_position) {}

  RopeCase make() {
    c_.dtype = q_.dtype;
    c_.spec.direction = q_.direction;
    choose_sizes();
    choose_layout();
    choose_axes();
    c_.positions = form_positions(draw_, q_, c_.spec.axes.count, c_.batch,
                                  c_.seq, max_position_);
    choose_base();
    choose_scaling();
    choose_amplitude();
    choose_storage();
    const auto zeros = [&](std::int64_t heads) {
      return cases::Bits(static_cast<std::size_t>(c_.tokens() * heads *
                                                  c_.spec.layout.head_dim));
    };
    c_.q = zeros(c_.q_heads);
    c_.k = zeros(c_.k_heads);
    return std::move(c_);
  }

 private:
  // Within their classes, smaller where the product is large.
  void choose_sizes() {
    pairs_ = draw_size(draw_, q_.pairs);
    if (q_.axes == AxesClass::kGrid)
      pairs_ = std::max(pairs_ / 2 * 2, q_.pairs.low);
    if (q_.axes == AxesClass::kGrid && pairs_ % 2 != 0) ++pairs_;
    c_.batch = draw_size(draw_, q_.batch);
    c_.seq = draw_size(draw_, q_.seq);
    if (q_.order != OrderClass::kAscending) {
      c_.seq = std::min(std::max<std::int64_t>(c_.seq, 3), q_.seq.high);
    }
    c_.q_heads = draw_size(draw_, q_.q_heads);
    c_.k_heads = draw_size(draw_, q_.k_heads);
    struct Size {
      std::int64_t* value;
      std::int64_t low;
    };
    const Size sizes[] = {
        {&c_.batch, q_.batch.low},
        {&c_.q_heads, q_.q_heads.low},
        {&c_.k_heads, q_.k_heads.low},
        {&c_.seq, std::max<std::int64_t>(q_.seq.low,
                                         std::min<std::int64_t>(3, c_.seq))}};
    const auto elements = [&] {
      return c_.tokens() * std::max(c_.q_heads, c_.k_heads) * 2 * pairs_;
    };
    for (const Size& size : sizes) {
      while (elements() > kMaxElements && *size.value > size.low) {
        *size.value = std::max(*size.value / 2, size.low);
      }
    }
  }

  void choose_layout() {
    Layout& l = c_.spec.layout;
    l.pairing = q_.pairing.pairing;
    l.rotary_dim = 2 * pairs_;
    if (q_.pairing.has_blocks) {
      l.blocks = 2;
      while (pairs_ % l.blocks != 0) ++l.blocks;
    }
    std::int64_t width = l.rotary_dim;
    if (q_.pairing.is_apart) {
      l.pair_distance = pairs_ + draw_.between(1, pairs_ + 2);
      width = pairs_ + l.pair_distance;
    }
    const std::int64_t some =
        draw_.between(1, 1 + std::min<std::int64_t>(pairs_, 16));
    const std::int64_t odd = width % 2 == 0 ? 1 : 0;  // makes a sum with it odd
    switch (q_.window) {
      case WindowClass::kFull:
        l.head_dim = width;
        break;
      case WindowClass::kLeading:
        l.head_dim = width + 2 * some - (1 - odd);
        break;
      case WindowClass::kLeadingOdd:
        l.head_dim = width + 2 * some - odd;
        break;
      case WindowClass::kMiddle:
        l.rotary_offset = 2 * some;
        l.head_dim = width + l.rotary_offset + 2 * some - (1 - odd);
        break;
      case WindowClass::kMiddleOdd:
        l.rotary_offset = 2 * some - 1;
        l.head_dim = width + l.rotary_offset + 2 * some - (1 - odd);
        break;
      case WindowClass::kTrailing:
        l.rotary_offset = 2 * some;
        l.head_dim = width + l.rotary_offset;
        break;
      case WindowClass::kFar:
        l.rotary_offset = draw_.one_in(4) ? 4 * kFarOffset : kFarOffset;
        l.head_dim = width + l.rotary_offset;
        break;
    }
  }

  std::vector<double> list(double first, double step) {
    std::vector<double> list;
    for (std::int64_t j = 0; j < pairs_; ++j) {
      list.push_back(first +
                     step * (static_cast<double>(j) + draw_.real(0, 0.5)));
    }
    return list;
  }

  // Parts of the pairs, each one pair or more.
  std::vector<std::int64_t> parts(std::int64_t count) {
    std::vector<std::int64_t> parts(static_cast<std::size_t>(count), 1);
    for (std::int64_t left = pairs_ - count; left > 0; --left) {
      // The later, the more: sections of models are unequal too.
      const std::int64_t part =
          std::max(draw_.between(0, count - 1), draw_.between(0, count - 1));
      ++parts[static_cast<std::size_t>(part)];
    }
    return parts;
  }

  void choose_axes() {
    reference::Axes& axes = c_.spec.axes;
    const auto weights = [&](std::int64_t count) {
      axes.count = count;
      for (std::int64_t i = 0; i < count * pairs_; ++i) {
        axes.weights.push_back(draw_.real(-1, 1));
      }
    };
    switch (q_.axes) {
      case AxesClass::kOne:
        break;
      case AxesClass::kSections2:
        axes = reference::contiguous_sections(parts(2));
        break;
      case AxesClass::kSections3:
        axes = reference::contiguous_sections(parts(3));
        break;
      case AxesClass::kSections4:
        axes = reference::contiguous_sections(parts(4));
        break;
      case AxesClass::kInterleaved: {
        // 0 1 2 0 1 2 ... while axes 1 and 2 have pairs left.
        const std::int64_t each = std::max<std::int64_t>((pairs_ - 1) / 3, 1);
        axes = reference::interleaved_sections(
            std::vector<std::int64_t>{pairs_ - 2 * each, each, each});
        break;
      }
      case AxesClass::kGrid: {
        const reference::Scheme grid =
            reference::n_axis(std::vector<std::int64_t>(2, pairs_ / 2));
        axes = grid.axes;
        c_.spec.frequencies.exponents = grid.exponents;
        break;
      }
      case AxesClass::kAny:
        axes.count = 3;
        for (std::int64_t j = 0; j < pairs_; ++j) {
          axes.axis_of_pair.push_back(draw_.between(0, 2));
        }
        axes.axis_of_pair[0] = 2;  // neither sorted nor 0, 1, 2, 0, 1, 2
        axes.axis_of_pair[1] = 1;
        axes.axis_of_pair[2] = 0;
        break;
      case AxesClass::kWeights2:
        weights(2);
        break;
      case AxesClass::kWeights3:
        weights(3);
        break;
    }
  }

  void choose_base() {
    double& base = c_.spec.frequencies.base;
    switch (q_.base) {
      case BaseClass::k10000:
        base = 10000;
        break;
      case BaseClass::kOther:
        base = draw_.from(kBases);
        break;
      case BaseClass::kFractional:
        base = draw_.from(kFractionalBases);
        break;
      case BaseClass::kSmall:
        base = draw_.from(kSmallBases);
        break;
    }
  }

  // Largest position + 1, as the ABI has it.
  std::int64_t length() const {
    return std::max<std::int64_t>(
        static_cast<std::int64_t>(std::floor(std::ranges::max(c_.positions))) +
            1,
        1);
  }

  // YaRN's ramp runs forward for L > 2 pi 4 and a base above 326 (stress_case.cc).
  reference::Yarn yarn() {
    reference::Yarn s;
    s.factor = draw_.real(1, 48);
    s.original_length = draw_.from(kLengths);
    s.beta_fast = draw_.real(16, 40);
    s.beta_slow = draw_.real(1, 4);
    return s;
  }

  reference::LongRope long_rope(std::int64_t trained) {
    reference::LongRope s;
    s.short_factor = list(1, 0.125);
    s.long_factor = list(1.5, 3.25);
    s.factor = draw_.real(1, 32);
    s.seq_len = length();
    s.original_length = std::max<std::int64_t>(trained, 2);
    return s;
  }

  reference::DynamicNtk dynamic(std::int64_t trained) {
    return {draw_.real(1, 8), std::max<std::int64_t>(trained, 1), length()};
  }

  void choose_scaling() {
    reference::Frequencies& f = c_.spec.frequencies;
    const std::int64_t n = length();
    reference::Yarn y = yarn();
    switch (q_.scaling) {
      case ScalingClass::kNone:
        break;
      case ScalingClass::kLinear:
        f.scaling = reference::Linear{draw_.real(1, 16)};
        break;
      case ScalingClass::kNtk:
        f.scaling = reference::Ntk{draw_.real(1, 16)};
        break;
      case ScalingClass::kDynamicNtk:
        f.scaling = dynamic(n / draw_.between(2, 5));
        break;
      case ScalingClass::kDynamicNtkShort:
        f.scaling = dynamic(n + draw_.between(1, n));
        break;
      case ScalingClass::kDynamicNtkTrained:
        f.scaling = dynamic(n);
        break;
      case ScalingClass::kYarn:
        f.scaling = y;
        break;
      case ScalingClass::kYarnUntruncated:
        y.truncate = false;
        f.scaling = y;
        break;
      case ScalingClass::kYarnMscale:
        y.mscale = draw_.real(0.5, 1.5);
        y.mscale_all_dim = draw_.real(0.5, 1.5);
        f.scaling = y;
        break;
      case ScalingClass::kYarnAttention:
        y.attention_factor = draw_.real(0.75, 1.5);
        f.scaling = y;
        break;
      case ScalingClass::kLongRope:
        f.scaling = long_rope(n / draw_.between(2, 5));
        break;
      case ScalingClass::kLongRopeShort:
        f.scaling = long_rope(draw_.one_in(2) ? n : n + draw_.between(1, n));
        break;
      case ScalingClass::kLlama3:
        f.scaling = reference::Llama3{draw_.real(1, 40), draw_.real(0.5, 2),
                                      draw_.real(2, 8), draw_.from(kLengths)};
        break;
      case ScalingClass::kFrequencyFactors:
        f.scaling = reference::FrequencyFactors{list(1, draw_.real(0, 2))};
        break;
      case ScalingClass::kInvFreq:
        f.inv_freq = list(draw_.real(0, 0.0625), 0x1p-8);
        break;
      case ScalingClass::kExponents:  // counted against more channels
        for (std::int64_t j = 0; j < pairs_; ++j) {
          f.exponents.push_back({2 * j, 2 * pairs_ + 6});
        }
        break;
    }
  }

  void choose_amplitude() {
    reference::Frequencies& f = c_.spec.frequencies;
    switch (q_.amplitude) {
      case AmplitudeClass::kOne:
      case AmplitudeClass::kOfScaling:
        break;
      case AmplitudeClass::kLarge:
        f.amplitude = draw_.real(1.0625, 2);
        break;
      case AmplitudeClass::kSmall:
        f.amplitude = draw_.real(0.25, 0.9375);
        break;
      case AmplitudeClass::kZero:
        f.amplitude = 0;
        break;
      case AmplitudeClass::kNegative:
        f.amplitude = -draw_.real(0.5, 1.5);
        break;
      case AmplitudeClass::kPerPair: {
        // 448^(distance / scale_base), at most 22: binary16 holds the results.
        double reach = 1;
        for (const double p : c_.positions)
          reach = std::max(reach, std::abs(p));
        f.xpos = reference::XPos{reach / draw_.real(0.0625, 0.25),
                                 std::floor(reach * draw_.real(0, 1)),
                                 draw_.one_in(2)};
        break;
      }
    }
  }

  void choose_storage() {
    using cases::Memory;
    c_.storage = q_.storage;
    const bool is_dense = q_.storage.order == cases::DimensionOrder::kBshd &&
                          q_.storage.spacing == cases::Spacing::kDense &&
                          q_.storage.rows == cases::RowSpacing::kDense;
    c_.memory = q_.storage.is_in_place
                    ? (is_dense ? Memory::kInPlace : Memory::kStridedInPlace)
                    : (is_dense ? Memory::kDense : Memory::kStrided);
  }

  const Question& q_;
  Draw draw_;
  std::int64_t max_position_;
  std::int64_t pairs_ = 0;
  RopeCase c_;
};

}  // namespace

RopeCase outline(const Question& question, std::uint64_t seed,
                 std::int64_t max_position) {
  return Outline(question, seed, max_position).make();
}

void fill(RopeCase& c, const Question& question, std::uint64_t seed,
          reference::Oracle oracle) {
  const bool are_alike = question.storage.spacing == cases::Spacing::kBroadcast;
  form_goldens(c, oracle, [&](RopeCase& with_table) {
    fill_values(with_table, question.values, are_alike,
                cases::random_bits(seed, 1));
    mark_copies(with_table, cases::random_bits(seed, 2));
  });
}

}  // namespace ropeproof::conformance::cover
