#include "conformance/cover/form.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "conformance/cases/draw.h"
#include "conformance/cases/families/family.h"
#include "conformance/cases/form_golden.h"
#include "conformance/cover/form_frequencies.h"
#include "conformance/cover/form_positions.h"
#include "conformance/cover/values.h"
#include "conformance/plugin/axis_map.h"
#include "reference/schemes.h"

namespace ropeproof::conformance::cover {
namespace {

using cases::Draw;
using cases::Problem;
using reference::Layout;
using reference::Pairing;

// Channels outside the window, in halves of those inside.
constexpr std::int64_t kOfModels[] = {1, 3};

// In units of kFarOffset: those of two models, and one beyond 10 bits.
constexpr std::int64_t kModelOffsets[] = {1, 1, 4, 9};

std::int64_t draw_size(Draw& draw, const Range& range) {
  return draw.between(range.low, range.high);
}

class Outline {
 public:
  Outline(const Question& question, std::uint64_t seed,
          std::int64_t max_position, const Problem* model)
      : q_(question), draw_(seed), max_position_(max_position), model_(model) {}

  Problem make() {
    c_.dtype = model_ == nullptr ? q_.dtype : model_->dtype;
    choose_sizes();
    if (model_ == nullptr) {
      c_.spec.direction = q_.direction;
      choose_layout();
      choose_axes();
    } else {
      c_.spec = model_->spec;
    }
    c_.positions = form_positions(draw_, q_, c_.spec.axes.count, c_.batch,
                                  c_.seq, max_position_);
    if (model_ == nullptr) {
      form_frequencies(draw_, q_, c_);
    } else {
      c_ = cases::with_length(std::move(c_));
    }
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
    pairs_ = model_ == nullptr ? draw_size(draw_, q_.pairs) : model_->pairs();
    const std::int64_t parts = q_.axes == AxesClass::kGrid    ? 2
                               : q_.axes == AxesClass::kGrid3 ? 3
                                                              : 1;
    pairs_ = pairs_ / parts * parts;
    if (pairs_ < q_.pairs.low) pairs_ += parts;
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
      while (elements() > q_.elements && *size.value > size.low) {
        // Not at once to the least, which is a power of two.
        *size.value = size.low + (*size.value - size.low) / 2;
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
    // Of models a half or a quarter of the head rotates.
    const std::int64_t some =
        pairs_ >= 8 && draw_.one_in(3)
            ? pairs_ * draw_.from(kOfModels)
            : draw_.between(1, 1 + std::min<std::int64_t>(pairs_, 16));
    const std::int64_t odd = width % 2 == 0 ? 1 : 0;  // makes a sum with it odd
    switch (q_.window) {
      case WindowClass::kFull:
        l.head_dim = width;
        break;
      case WindowClass::kLeading:
        l.head_dim =
            q_.head_dim > width ? q_.head_dim : width + 2 * some - (1 - odd);
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
        l.rotary_offset = std::min(2 * some, kFarOffset - 2);
        l.head_dim = width + l.rotary_offset;
        break;
      case WindowClass::kFar:
        l.rotary_offset = kFarOffset * draw_.from(kModelOffsets);
        l.head_dim = width + l.rotary_offset;
        break;
    }
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
      case AxesClass::kSectionsInside:
        axes = reference::contiguous_sections(parts(3));
        break;
      case AxesClass::kSections4:
        axes = reference::contiguous_sections(parts(4));
        break;
      case AxesClass::kSections6:
        axes = reference::contiguous_sections(parts(6));
        break;
      case AxesClass::kInterleaved: {
        // 0 1 2 0 1 2 ... while the axes but the first have pairs left.
        axes.count = pairs_ < 8 ? 3 : draw_.between(2, 4);
        const std::int64_t each =
            std::max<std::int64_t>((pairs_ - 1) / axes.count, 1);
        for (std::int64_t j = 0; j < pairs_; ++j) {
          axes.axis_of_pair.push_back(j < axes.count * each ? j % axes.count
                                                            : 0);
        }
        break;
      }
      case AxesClass::kGrid:
      case AxesClass::kGrid3: {
        const std::int64_t count = q_.axes == AxesClass::kGrid ? 2 : 3;
        const reference::Scheme grid =
            reference::n_axis(std::vector<std::int64_t>(
                static_cast<std::size_t>(count), pairs_ / count));
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

  void choose_storage() {
    c_.storage = q_.storage;
    c_.storage.are_axes_inside = q_.axes == AxesClass::kSectionsInside;
  }

  const Question& q_;
  Draw draw_;
  std::int64_t max_position_;
  const Problem* model_;
  std::int64_t pairs_ = 0;
  Problem c_;
};

}  // namespace

Problem outline(const Question& question, std::uint64_t seed,
                std::int64_t max_position, const Problem* model) {
  return Outline(question, seed, max_position, model).make();
}

cases::Golden fill(Problem& p, const Question& question, std::uint64_t seed,
                   reference::Oracle oracle, bool has_nans) {
  const cases::Spacing spacing = question.storage.spacing;
  const bool is_q_alike = spacing == cases::Spacing::kBroadcast;
  const Alike alike{is_q_alike,
                    is_q_alike || spacing == cases::Spacing::kKeysBroadcast};
  cases::GoldenFormer former(p, oracle, cases::Effort::kFast);
  fill_values(p, former.tables(), question.values, alike,
              cases::random_bits(seed, 1));
  if (has_nans) mark_copies(p, cases::random_bits(seed, 2));
  return std::move(former).rotate(p);
}

}  // namespace ropeproof::conformance::cover
