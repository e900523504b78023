// Which axis of a position a pair rotates by.
#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "conformance/wrong/mutation_lists.h"

namespace ropeproof::conformance::wrong {
namespace {

bool has_axes(const AbiProblem& p) {
  return p.position_axes > 1 && p.axis_weights == nullptr;
}
bool is_mapped(const AbiProblem& p, std::uint32_t map) {
  return has_axes(p) && (p.axis_map & map) != 0;
}

// axis(problem, j); nothing for position 0.
template <class Axis>
auto takes_axis(bool (*is)(const AbiProblem&), Axis axis) {
  return changes_position([=](double x, const AbiProblem& p, const HeadIndex& i,
                              std::int64_t j) {
    if (!is(p)) return x;
    const std::optional<std::int64_t> a = axis(p, j);
    return a ? position_on(p, i,
                           std::clamp<std::int64_t>(*a, 0, p.position_axes - 1))
             : 0;
  });
}

using Axis = std::optional<std::int64_t>;
using Sections = std::array<std::int64_t, ROPEPROOF_MAX_SECTIONS>;

Sections sections_of(const AbiProblem& p) {
  Sections sections{};
  std::copy(std::begin(p.axis_sections), std::end(p.axis_sections),
            sections.begin());
  return sections;
}

// Blocks of these sizes, one after the other.
Axis axis_in_blocks(const Sections& sections, std::int64_t j) {
  std::int64_t axis = 0;
  for (const std::int64_t size : sections) {
    if (j < size) return axis;
    j -= size;
    ++axis;
  }
  return std::nullopt;
}

// Round robin; an axis that has no pairs left leaves the pair to axis 0.
Axis axis_in_turn(const AbiProblem& p, std::int64_t j) {
  const std::int64_t axis = j % p.position_axes;
  return j < p.axis_sections[axis] * p.position_axes ? axis : 0;
}

bool any_map(const AbiProblem& p) { return has_axes(p); }
bool in_sections(const AbiProblem& p) {
  return is_mapped(p, ROPEPROOF_AXES_SECTIONS);
}
bool in_interleaved(const AbiProblem& p) {
  return is_mapped(p, ROPEPROOF_AXES_INTERLEAVED);
}

Axis own_axis(const AbiProblem& p, std::int64_t j) {
  return p.axis_of_pair == nullptr ? 0 : p.axis_of_pair[j];
}

Mutations of_axes() {
  constexpr const char* kBug = "axes/mrope-sections";
  constexpr const char* kSwapped = "axes/2d-swapped";
  constexpr const char* kAdvice = "pair j rotates by axis axis_of_pair[j]";
  const auto exchanged = [](std::int64_t a, std::int64_t b) {
    return takes_axis(any_map, [=](const AbiProblem& p, std::int64_t j) {
      const Axis own = own_axis(p, j);
      return own == a ? Axis(b) : own == b ? Axis(a) : own;
    });
  };
  Mutations all = {
      {"axis 0 for every pair", "vllm-project/vllm#32143", kBug, 2, kAdvice,
       takes_axis(any_map,
                  [](const AbiProblem&, std::int64_t) { return Axis(0); })},
      {"last axis for every pair", "of: axis 0 for every pair", kBug, 2,
       kAdvice,
       takes_axis(any_map,
                  [](const AbiProblem& p, std::int64_t) {
                    return Axis(p.position_axes - 1);
                  })},
      {"axes 0 and 1 exchanged", "huggingface/pytorch-image-models#2541",
       kSwapped, 2,
       "look at the order of the axes: t, h, w; x before y or y before x",
       exchanged(0, 1)},
      {"axes 1 and 2 exchanged", "of: axes 0 and 1 exchanged", kSwapped, 2,
       "look at the order of the axes: t, h, w", exchanged(1, 2)},
      {"axes 0 and 2 exchanged", "of: axes 0 and 1 exchanged", kSwapped, 2,
       "look at the order of the axes: t, h, w", exchanged(0, 2)},
      {"next axis taken", "of: axes 0 and 1 exchanged", kBug, 2, kAdvice,
       takes_axis(any_map,
                  [](const AbiProblem& p, std::int64_t j) {
                    return Axis((*own_axis(p, j) + 1) % p.position_axes);
                  })},
      {"axis before taken", "of: axes 0 and 1 exchanged", kBug, 2, kAdvice,
       takes_axis(any_map,
                  [](const AbiProblem& p, std::int64_t j) {
                    return Axis((*own_axis(p, j) + p.position_axes - 1) %
                                p.position_axes);
                  })},
      {"positions of all axes summed", "erratum: a tutorial", kSwapped, 2,
       kAdvice,
       changes_position(
           [](double x, const AbiProblem& p, const HeadIndex& i, std::int64_t) {
             if (p.position_axes < 2) return x;
             double sum = 0;
             for (std::int64_t a = 0; a < p.position_axes; ++a) {
               sum += position_on(p, i, a);
             }
             return sum;
           })}};
  return all;
}

Mutations of_maps() {
  constexpr const char* kBug = "axes/mrope-sections";
  constexpr const char* kBlocks =
      "sections: the first pairs on axis 0, the next on axis 1, ...";
  constexpr const char* kInTurn =
      "interleaved: pair j on axis j mod axes while that has pairs left, else "
      "on axis 0";
  return {
      {"sections in reverse order", "of: axes 0 and 1 exchanged", kBug, 2,
       kBlocks,
       takes_axis(in_sections,
                  [](const AbiProblem& p, std::int64_t j) {
                    Sections s = sections_of(p);
                    std::reverse(s.begin(), s.begin() + p.position_axes);
                    return axis_in_blocks(s, j);
                  })},
      {"sizes of sections 0 and 1 exchanged", "of: axes 0 and 1 exchanged",
       kBug, 2, kBlocks,
       takes_axis(in_sections,
                  [](const AbiProblem& p, std::int64_t j) {
                    Sections s = sections_of(p);
                    std::swap(s[0], s[1]);
                    return axis_in_blocks(s, j);
                  })},
      {"sections of equal size", "kekzl/imp#1172", kBug, 2, kBlocks,
       takes_axis(any_map,
                  [](const AbiProblem& p, std::int64_t j) {
                    return Axis(2 * j * p.position_axes / p.rotary_dim);
                  })},
      {"two axes have half of the pairs each, whatever the sections",
       "of: sections of equal size", kBug, 2, kBlocks,
       takes_axis(in_sections,
                  [](const AbiProblem& p, std::int64_t j) {
                    return p.position_axes == 2
                               ? Axis(j < p.rotary_dim / 4 ? 0 : 1)
                               : own_axis(p, j);
                  })},
      {"sections counted in channels, not pairs", "vllm-project/vllm-omni#1784",
       kBug, 2, "sections count pairs, half as many as channels",
       takes_axis(in_sections,
                  [](const AbiProblem& p, std::int64_t j) {
                    return axis_in_blocks(sections_of(p), 2 * j);
                  })},
      {"sections twice as large", "of: sections counted in channels, not pairs",
       kBug, 2, "sections count pairs, half as many as channels",
       takes_axis(in_sections,
                  [](const AbiProblem& p, std::int64_t j) {
                    return axis_in_blocks(sections_of(p), j / 2);
                  })},
      {"sections interleaved", "of: interleaved axes taken for sections", kBug,
       2, kBlocks, takes_axis(in_sections, axis_in_turn)},
      {"interleaved axes taken for sections", "vllm-project/vllm-gaudi#1437",
       kBug, 2, kInTurn,
       takes_axis(in_interleaved,
                  [](const AbiProblem& p, std::int64_t j) {
                    return axis_in_blocks(sections_of(p), j);
                  })},
      {"interleaved axes without end: pair j on axis j mod axes",
       "XPU-Forces/mojo_opset#276", kBug, 2, kInTurn,
       takes_axis(any_map,
                  [](const AbiProblem& p, std::int64_t j) {
                    return Axis(j % p.position_axes);
                  })},
      {"interleaved axes: pairs left over on no axis", "engine: ik_llama.cpp",
       kBug, 2, kInTurn,
       takes_axis(in_interleaved, [](const AbiProblem& p, std::int64_t j) {
         const std::int64_t axis = j % p.position_axes;
         return j < p.axis_sections[axis] * p.position_axes ? Axis(axis)
                                                            : std::nullopt;
       })}};
}

Mutations of_weights() {
  constexpr const char* kBug = "axes/mrope-sections";
  constexpr const char* kAdvice =
      "pair j: the sum over axes a of axis_weights[a * r/2 + j] position_a";
  // weight(problem, axis, j)
  const auto weighted = [](auto weight) {
    return changes_position(
        [=](double x, const AbiProblem& p, const HeadIndex& i, std::int64_t j) {
          if (p.axis_weights == nullptr) return x;
          double sum = 0;
          for (std::int64_t a = 0; a < p.position_axes; ++a) {
            sum += weight(p, a, j) * position_on(p, i, a);
          }
          return sum;
        });
  };
  return {
      {"weights of the axes read as [pairs, axes]",
       "of: read as [batch, heads, seq, head_dim]", kBug, 2, kAdvice,
       weighted([](const AbiProblem& p, std::int64_t a, std::int64_t j) {
         return p.axis_weights[j * p.position_axes + a];
       })},
      {"weights of the last axis lost", "of: axis 0 for every pair", kBug, 2,
       kAdvice,
       weighted([](const AbiProblem& p, std::int64_t a, std::int64_t j) {
         return a == p.position_axes - 1
                    ? 0
                    : p.axis_weights[a * (p.rotary_dim / 2) + j];
       })},
      {"weights of axis 0 for all axes", "of: axis 0 for every pair", kBug, 2,
       kAdvice, weighted([](const AbiProblem& p, std::int64_t, std::int64_t j) {
         return p.axis_weights[j];
       })}};
}

}  // namespace

Mutations axis_mutations() {
  return joined({of_axes(), of_maps(), of_weights()});
}

}  // namespace ropeproof::conformance::wrong
