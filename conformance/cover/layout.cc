// Dtype, direction, pairing, window and axes.
#include <algorithm>

#include "conformance/cover/dimension.h"
#include "conformance/plugin/abi_words.h"
#include "reference/schemes.h"

namespace ropeproof::conformance::cover {
namespace {

using cases::Draw;
using cases::Problem;
using reference::Direction;
using reference::Format;
using reference::Layout;
using reference::Pairing;

// Channels outside the window, in halves of those inside.
constexpr std::int64_t kOfModels[] = {1, 3};

// A far window begins at multiples of this: those of two models, and one beyond
// 10 bits.
constexpr std::int64_t kFarOffset = 128;
constexpr std::int64_t kModelOffsets[] = {1, 1, 4, 9};
// Elements of a call that a far window makes at the most, but for its first
// multiple: many rows with 1152 channels each took as much memory as all else.
constexpr std::int64_t kMostOfFar = std::int64_t{1} << 21;

bool offers_pairing(const Offer& offer, const PairingClass& c) {
  return offer.takes({.pairing = plugin::abi_pairing(c.pairing),
                      .is_partial = c.is_apart,
                      .has_pair_distance = c.is_apart});
}

PairingClass read_pairing(const ropeproof_problem& p) {
  switch (p.pairing) {
    case ROPEPROOF_HALF_SPLIT:
      return {Pairing::kHalfSplit, false, p.pair_distance != 0};
    case ROPEPROOF_NESTED_HALF_SPLIT:
      return {Pairing::kNestedHalfSplit, p.pairing_blocks > 1};
    case ROPEPROOF_INTERLEAVED:
      return {Pairing::kInterleaved};
    default:
      return {Pairing::kInterleavedToHalf};
  }
}

void draw_pairing(Drawing& d, const PairingClass& c) {
  Layout& l = d.problem.spec.layout;
  const std::int64_t pairs = d.problem.pairs();
  l.pairing = c.pairing;
  if (c.has_blocks) {
    l.blocks = 2;
    while (pairs % l.blocks != 0) ++l.blocks;
  }
  if (c.is_apart) l.pair_distance = pairs + d.draw.between(1, pairs + 2);
}

bool offers_window(const Offer& offer, WindowClass c) {
  const bool is_leading =
      c == WindowClass::kLeading || c == WindowClass::kLeadingOdd;
  const bool is_full = c == WindowClass::kFull;
  const plugin::Description& own = offer.kernel;
  if (own.head_dim != 0 &&
      c != (own.rotary_dim == own.head_dim ? WindowClass::kFull
                                           : WindowClass::kLeading)) {
    return false;
  }
  return offer.takes(
      {.is_partial = !is_full, .has_offset = !is_full && !is_leading});
}

std::optional<WindowClass> read_window(const ropeproof_problem& p) {
  using enum WindowClass;
  const bool is_odd = p.head_dim % 2 != 0;
  const std::int64_t width =
      p.pair_distance == 0 ? p.rotary_dim : p.rotary_dim / 2 + p.pair_distance;
  const std::int64_t behind = p.head_dim - p.rotary_offset - width;
  if (p.rotary_offset == 0) {
    if (behind == 0 && p.pair_distance != 0) return std::nullopt;
    return behind == 0 ? kFull : is_odd ? kLeadingOdd : kLeading;
  }
  if (behind > 0) return p.rotary_offset % 2 == 0 ? kMiddle : kMiddleOdd;
  return p.rotary_offset >= kFarOffset ? kFar : kTrailing;
}

void draw_window(Drawing& d, WindowClass c) {
  Layout& l = d.problem.spec.layout;
  const std::int64_t pairs = d.problem.pairs();
  const std::int64_t width =
      l.pair_distance == 0 ? l.rotary_dim : pairs + l.pair_distance;
  // Models rotate a half or a quarter of the head.
  const std::int64_t some =
      pairs >= 8 && d.draw.one_in(3)
          ? pairs * d.draw.from(kOfModels)
          : d.draw.between(1, 1 + std::min<std::int64_t>(pairs, 16));
  const std::int64_t odd = width % 2 == 0 ? 1 : 0;  // makes a sum with it odd
  switch (c) {
    case WindowClass::kFull:
      l.head_dim = width;
      break;
    case WindowClass::kLeading:
      l.head_dim = d.recipe.head_dim > width ? d.recipe.head_dim
                                             : width + 2 * some - (1 - odd);
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
    case WindowClass::kFar: {
      const Problem& p = d.problem;
      const std::int64_t rows = p.tokens() * (p.q_heads + p.k_heads),
                         offset = kFarOffset * d.draw.from(kModelOffsets);
      const bool is_large = rows * (width + offset) > kMostOfFar;
      l.rotary_offset = is_large ? kFarOffset : offset;
      l.head_dim = width + l.rotary_offset;
      break;
    }
  }
}

bool offers_axes(const Offer& offer, AxesClass c) {
  switch (c) {
    case AxesClass::kOne:
      return true;
    case AxesClass::kWeights2:
    case AxesClass::kWeightsMany:
      return offer.takes({.has_axis_weights = true});
    case AxesClass::kInterleaved:
      return offer.takes({.axis_map = ROPEPROOF_AXES_INTERLEAVED});
    case AxesClass::kAny:
      return offer.takes({.axis_map = ROPEPROOF_AXES_ANY});
    case AxesClass::kGrid:
    case AxesClass::kGrid3:
      return offer.takes(
          {.axis_map = ROPEPROOF_AXES_GRID, .has_exponents = true});
    default:
      return offer.takes({.axis_map = ROPEPROOF_AXES_SECTIONS,
                          .is_strided = c == AxesClass::kSectionsInside});
  }
}

std::optional<AxesClass> read_axes(const ropeproof_problem& p) {
  using enum AxesClass;
  const std::int64_t count = p.position_axes;
  if (are_axes_inside(p)) return kSectionsInside;
  if (p.axis_weights != nullptr) return count == 2 ? kWeights2 : kWeightsMany;
  switch (p.axis_map) {
    case 0:
      return kOne;
    case ROPEPROOF_AXES_SECTIONS:
      if (count < 2) return std::nullopt;
      return count == 2   ? kSections2
             : count == 3 ? kSections3
             : count == 4 ? kSections4
                          : kSectionsMany;
    case ROPEPROOF_AXES_INTERLEAVED:
      return kInterleaved;
    case ROPEPROOF_AXES_GRID:
      if (count < 2 || count > 3) return std::nullopt;
      return count == 2 ? kGrid : kGrid3;
    default:
      return kAny;
  }
}

// Parts of the pairs, each one pair or more.
std::vector<std::int64_t> parts(Draw& draw, std::int64_t pairs,
                                std::int64_t count) {
  std::vector<std::int64_t> parts(static_cast<std::size_t>(count), 1);
  for (std::int64_t left = pairs - count; left > 0; --left) {
    // The later, the more: sections of models are unequal too.
    const std::int64_t part =
        std::max(draw.between(0, count - 1), draw.between(0, count - 1));
    ++parts[static_cast<std::size_t>(part)];
  }
  return parts;
}

// 0 1 2 0 1 2 ... while the axes but the first have pairs left.
reference::Axes interleaved_axes(Draw& draw, std::int64_t pairs) {
  reference::Axes axes;
  axes.count = pairs < 8 ? 3 : draw.between(2, 4);
  const std::int64_t each = std::max<std::int64_t>((pairs - 1) / axes.count, 1);
  for (std::int64_t j = 0; j < pairs; ++j) {
    axes.axis_of_pair.push_back(j < axes.count * each ? j % axes.count : 0);
  }
  return axes;
}

// Neither sorted nor 0 1 2 0 1 2.
reference::Axes unordered_axes(Draw& draw, std::int64_t pairs) {
  reference::Axes axes;
  axes.count = 3;
  for (std::int64_t j = 0; j < pairs; ++j) {
    axes.axis_of_pair.push_back(draw.between(0, 2));
  }
  axes.axis_of_pair[0] = 2;
  axes.axis_of_pair[1] = 1;
  axes.axis_of_pair[2] = 0;
  return axes;
}

void draw_axes(Drawing& d, AxesClass c) {
  reference::Axes& axes = d.problem.spec.axes;
  Draw& draw = d.draw;
  const std::int64_t pairs = d.problem.pairs();
  d.problem.storage.are_axes_inside = c == AxesClass::kSectionsInside;
  const auto weights = [&](std::int64_t count) {
    axes.count = count;
    for (std::int64_t i = 0; i < count * pairs; ++i) {
      axes.weights.push_back(draw.real(-1, 1));
    }
  };
  switch (c) {
    case AxesClass::kOne:
      break;
    case AxesClass::kSections2:
      axes = reference::contiguous_sections(parts(draw, pairs, 2));
      break;
    case AxesClass::kSections3:
    case AxesClass::kSections4:
    case AxesClass::kSectionsInside:
      axes = reference::contiguous_sections(
          d.recipe.sections.empty()
              ? parts(draw, pairs, c == AxesClass::kSections4 ? 4 : 3)
              : d.recipe.sections);
      break;
    case AxesClass::kSectionsMany:
      axes = reference::contiguous_sections(
          parts(draw, pairs,
                draw.between(
                    5, std::min<std::int64_t>(pairs, ROPEPROOF_MAX_SECTIONS))));
      break;
    case AxesClass::kInterleaved:
      axes = d.recipe.sections.empty()
                 ? interleaved_axes(draw, pairs)
                 : reference::interleaved_sections(d.recipe.sections);
      break;
    case AxesClass::kGrid:
    case AxesClass::kGrid3: {
      const std::int64_t count = c == AxesClass::kGrid ? 2 : 3;
      const reference::Scheme grid =
          reference::n_axis(std::vector<std::int64_t>(
              static_cast<std::size_t>(count), pairs / count));
      axes = grid.axes;
      d.problem.spec.frequencies.exponents = grid.exponents;
      break;
    }
    case AxesClass::kAny:
      axes = unordered_axes(draw, pairs);
      break;
    case AxesClass::kWeights2:
      weights(2);
      break;
    case AxesClass::kWeightsMany:
      weights(draw.between(3, 8));
      break;
  }
}

}  // namespace

bool are_axes_inside(const ropeproof_problem& p) {
  return p.position_axes > 1 && p.batch > 1 &&
         p.position_axis_stride < p.position_batch_stride;
}

std::vector<Dimension> layout_dimensions() {
  using P = const ropeproof_problem&;
  using plugin::kAngles, plugin::kTensors;
  constexpr std::uint32_t kLayouts = kTensors | ROPEPROOF_PERMUTE;
  std::vector<Dimension> rows = {
      dimension(
          kDtype, kLayouts, By::kModel,
          [](const Offer& offer, Format c) {
            return offer.takes({.dtype = plugin::abi_dtype(c)});
          },
          [](P p) { return plugin::format_of(p.dtype); },
          [](Drawing& d, Format c) { d.problem.dtype = c; }),
      dimension(
          kDirection, kTensors, By::kModel,
          [](const Offer& offer, Direction c) {
            return offer.takes({.is_adjoint = c == Direction::kAdjoint});
          },
          [](P p) {
            return p.direction < 0 ? Direction::kAdjoint : Direction::kForward;
          },
          [](Drawing& d, Direction c) { d.problem.spec.direction = c; }),
      dimension(kPairing, kLayouts, By::kModel, offers_pairing, read_pairing,
                draw_pairing),
      dimension(kWindow, kLayouts, By::kModel, offers_window, read_window,
                draw_window),
      dimension(kAxes, kAngles, By::kModel, offers_axes, read_axes, draw_axes)};
  // Weights are trained for one of two pairings.
  for (const char* other :
       {"interleaved_to_half", "nested", "nested_blocks", "half_split_apart"}) {
    rows[2].without.emplace_back(ROPEPROOF_PERMUTE, other);
  }
  return rows;
}

}  // namespace ropeproof::conformance::cover
