// Which axis of a position a pair rotates by.
#include <algorithm>
#include <array>
#include <optional>

#include "conformance/wrong/mutation_lists.h"

namespace ropeproof::conformance::wrong {
namespace {

constexpr const char* kMrope = "axes/mrope-sections";
constexpr const char* kSwapped = "axes/2d-swapped";

// The axis of a pair; nothing for position 0.
using Axis = std::optional<std::int64_t>;
using Sections = std::array<std::int64_t, ROPEPROOF_MAX_SECTIONS>;

// Takes axis(problem, j) where axes are mapped so; 0: in any way.
template <class TakenAxis>
auto takes_axis(std::uint32_t map, TakenAxis axis) {
  return changes_position([=](double x, const PairIndex& at) -> double {
    const AbiProblem& p = at.p;
    if (p.position_axes < 2 || p.axis_weights != nullptr ||
        (map != 0 && (p.axis_map & map) == 0)) {
      return x;
    }
    const Axis a = axis(p, at.j);
    return a ? position_on(p, at,
                           std::clamp<std::int64_t>(*a, 0, p.position_axes - 1))
             : 0;
  });
}
template <class TakenAxis>
auto in_any_map(TakenAxis axis) {
  return takes_axis(0, axis);
}

std::int64_t own_axis(const AbiProblem& p, std::int64_t j) {
  return p.axis_of_pair == nullptr ? 0 : p.axis_of_pair[j];
}
auto next_axis(std::int64_t by) {
  return in_any_map([=](const AbiProblem& p, std::int64_t j) {
    return (own_axis(p, j) + p.position_axes + by) % p.position_axes;
  });
}
auto exchanged(std::int64_t a, std::int64_t b) {
  return in_any_map([=](const AbiProblem& p, std::int64_t j) {
    const std::int64_t own = own_axis(p, j);
    return own == a ? b : own == b ? a : own;
  });
}

// The axis of pair j in blocks of these sizes, one after the other.
Axis axis_in_blocks(const Sections& sections, std::int64_t j) {
  std::int64_t axis = 0;
  for (const std::int64_t size : sections) {
    if (j < size) return axis;
    j -= size;
    ++axis;
  }
  return std::nullopt;
}
// Blocks of other sections, or of another j: change(problem, sections, j).
auto takes_blocks(void (*change)(const AbiProblem&, Sections&, std::int64_t&),
                  std::uint32_t map = ROPEPROOF_AXES_SECTIONS) {
  return takes_axis(map, [=](const AbiProblem& p, std::int64_t j) -> Axis {
    // Where axes are more, a problem says the sections pair by pair alone.
    if (p.position_axes > ROPEPROOF_MAX_SECTIONS) return own_axis(p, j);
    Sections sections{};
    std::ranges::copy(p.axis_sections, sections.begin());
    change(p, sections, j);
    return axis_in_blocks(sections, j);
  });
}

// Round robin; an axis that has no pairs left leaves the pair to another.
auto in_turn(Axis left_over) {
  return [=](const AbiProblem& p, std::int64_t j) {
    const std::int64_t axis = j % p.position_axes;
    return j < p.axis_sections[axis] * p.position_axes ? Axis(axis) : left_over;
  };
}

Mutations of_axes() {
  const Slip mapped{kMrope, 2, "pair j rotates by axis axis_of_pair[j]"};
  const Slip order{kSwapped, 2, "look at the order of the axes: t, h, w"};
  return {
      mapped("axis 0 for every pair", "vllm-project/vllm#32143",
             in_any_map([](auto&, auto) { return 0; })),
      mapped("last axis for every pair", "of: axis 0 for every pair",
             in_any_map([](auto& p, auto) { return p.position_axes - 1; })),
      Slip{kSwapped, 2,
           "look at the order of the axes: t, h, w; x before y or y before x"}(
          "axes 0 and 1 exchanged", "huggingface/pytorch-image-models#2541",
          exchanged(0, 1)),
      order("axes 1 and 2 exchanged", "of: axes 0 and 1 exchanged",
            exchanged(1, 2)),
      order("axes 0 and 2 exchanged", "of: axes 0 and 1 exchanged",
            exchanged(0, 2)),
      mapped("next axis taken", "of: axes 0 and 1 exchanged", next_axis(1)),
      mapped("axis before taken", "of: axes 0 and 1 exchanged", next_axis(-1)),
      Slip{kSwapped, 2, mapped.advice}(
          "positions of all axes summed", "erratum: a tutorial",
          changes_position([](double x, const PairIndex& at) {
            if (at.p.position_axes < 2) return x;
            double sum = 0;
            for (std::int64_t a = 0; a < at.p.position_axes; ++a) {
              sum += position_on(at.p, at, a);
            }
            return sum;
          }))};
}

Mutations of_maps() {
  const Slip blocks{
      kMrope, 2,
      "sections: the first pairs on axis 0, the next on axis 1, ..."};
  const Slip counted{kMrope, 2,
                     "sections count pairs, half as many as channels"};
  const Slip turns{kMrope, 2,
                   "interleaved: pair j on axis j mod axes while that has "
                   "pairs left, else on axis 0"};
  return {
      blocks("sections in reverse order", "of: axes 0 and 1 exchanged",
             takes_blocks([](const AbiProblem& p, Sections& s, auto&) {
               std::reverse(s.begin(), s.begin() + p.position_axes);
             })),
      blocks("sizes of sections 0 and 1 exchanged",
             "of: axes 0 and 1 exchanged",
             takes_blocks([](const auto&, Sections& s, auto&) {
               std::swap(s[0], s[1]);
             })),
      blocks("sections of equal size", "kekzl/imp#1172",
             in_any_map([](auto& p, auto j) {
               return 2 * j * p.position_axes / p.rotary_dim;
             })),
      blocks("two axes have half of the pairs each, whatever the sections",
             "of: sections of equal size",
             takes_axis(ROPEPROOF_AXES_SECTIONS,
                        [](auto& p, auto j) {
                          return p.position_axes != 2   ? own_axis(p, j)
                                 : j < p.rotary_dim / 4 ? 0
                                                        : 1;
                        })),
      counted("sections counted in channels, not pairs",
              "vllm-project/vllm-omni#1784",
              takes_blocks([](const auto&, auto&, auto& j) { j *= 2; })),
      counted("sections twice as large",
              "of: sections counted in channels, not pairs",
              takes_blocks([](const auto&, auto&, auto& j) { j /= 2; })),
      blocks("sections interleaved", "of: interleaved axes taken for sections",
             takes_axis(ROPEPROOF_AXES_SECTIONS, in_turn(0))),
      turns("interleaved axes taken for sections",
            "vllm-project/vllm-gaudi#1437",
            takes_blocks([](const auto&, auto&, auto&) {},
                         ROPEPROOF_AXES_INTERLEAVED)),
      turns("interleaved axes without end: pair j on axis j mod axes",
            "XPU-Forces/mojo_opset#276",
            in_any_map([](auto& p, auto j) { return j % p.position_axes; })),
      turns("interleaved axes: pairs left over on no axis",
            "engine: ik_llama.cpp",
            takes_axis(ROPEPROOF_AXES_INTERLEAVED, in_turn(std::nullopt)))};
}

// Takes weight(at, axis) for the weights of the axes.
template <class Weight>
auto weighs(Weight weight) {
  return changes_position([=](double x, const PairIndex& at) {
    if (at.p.axis_weights == nullptr) return x;
    double sum = 0;
    for (std::int64_t a = 0; a < at.p.position_axes; ++a) {
      sum += weight(at, a) * position_on(at.p, at, a);
    }
    return sum;
  });
}

Mutations of_weights() {
  const Slip weights{
      kMrope, 2,
      "pair j: the sum over axes a of axis_weights[a * r/2 + j] position_a"};
  return {
      weights("weights of the axes read as [pairs, axes]",
              "of: read as [batch, heads, seq, head_dim]",
              weighs([](const PairIndex& at, std::int64_t a) {
                return at.p.axis_weights[at.j * at.p.position_axes + a];
              })),
      weights(
          "weights of the last axis lost", "of: axis 0 for every pair",
          weighs([](const PairIndex& at, std::int64_t a) {
            return a == at.p.position_axes - 1
                       ? 0
                       : at.p.axis_weights[a * (at.p.rotary_dim / 2) + at.j];
          })),
      weights("weights of axis 0 for all axes", "of: axis 0 for every pair",
              weighs([](const PairIndex& at, auto) {
                return at.p.axis_weights[at.j];
              }))};
}

}  // namespace

Mutations axis_mutations() {
  return joined({of_axes(), of_maps(), of_weights()});
}

}  // namespace ropeproof::conformance::wrong
