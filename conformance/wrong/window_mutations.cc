// A partial head: which channels the window has, and what becomes of the
// others.
#include <optional>

#include "conformance/wrong/mutation_lists.h"
#include "reference/rope.h"

namespace ropeproof::conformance::wrong {
namespace {

using reference::Layout;
using reference::Pairing;
using reference::Spec;

auto takes_layout(void (*change)(Layout&)) {
  return [=](Pipeline& pipeline) {
    const auto changed = [=](Spec spec) {
      change(spec.layout);
      return spec;
    };
    pipeline.pair = [=](const Spec& spec, std::int64_t j) {
      return reference::source_pair(changed(spec), j);
    };
    pipeline.target = [=](const Spec& spec, std::int64_t j) {
      return reference::target_pair(changed(spec), j);
    };
  };
}

// The window is [0, r) with the frequencies of a head of r channels; where
// nothing beyond a base says them, and no list of the problem has an entry for
// each pair: r may be more than its channels.
template <class Width>
auto takes_window(Width width) {
  return set(&Pipeline::misread, [=](AbiProblem& p) {
    const std::int64_t r = width(p) / 2 * 2;
    if (p.operation != ROPEPROOF_ROPE || p.base == 0 || p.scaling != nullptr ||
        p.position_axes > 1 || p.axis_of_pair != nullptr ||
        p.axis_weights != nullptr || p.pair_amplitude != nullptr || r < 2 ||
        r > p.head_dim || r == p.rotary_dim || p.pair_distance != 0 ||
        p.pairing_blocks > 1) {
      return;
    }
    if (r > p.rotary_dim) p.rotary_offset = 0;
    p.rotary_dim = r;
    p.inv_freq = nullptr;
  });
}

auto takes_exponent_over_head() {
  return takes_power(
      [](const AbiProblem& p, std::int64_t j, const PairPower& due) {
        return power(due.base, j, p.head_dim);
      });
}

// Half split alone: (j, j + head_dim/2).
void pair_over_head(Layout& layout) {
  if (layout.pairing == Pairing::kHalfSplit && layout.rotary_offset == 0) {
    layout.pair_distance = layout.head_dim / 2;
  }
}

}  // namespace

Mutations window_mutations() {
  constexpr const char* kHead = "window/head-dim-for-rotary-dim";
  constexpr const char* kOfHead =
      "base^(-2j/r) and (j, j + r/2) with r = rotary_dim, not head_dim";
  constexpr const char* kBoth =
      "exponent over head_dim and pair offset head_dim/2";
  const std::string of_both = std::string("of: ") + kBoth;
  const auto factor = [](const char* advice) {
    return Slip{"window/factor-misapplied", 5, advice};
  };
  const Slip end{"window/wrong-end", 5, "the window begins at rotary_offset"};
  const Slip outside{"window/outside-not-copied", 5,
                     "copy the channels outside the window, bit for bit, with "
                     "the strides of the input"};
  return {
      factor("rotate rotary_dim channels, not head_dim")(
          "whole head rotated", "ggml-org/llama.cpp#7634",
          takes_window([](const AbiProblem& p) { return p.head_dim; })),
      factor("rotary_dim is already the rotated part of head_dim")(
          "partial factor applied twice", "NVIDIA-NeMo/Megatron-Bridge#4271",
          takes_window([](const AbiProblem& p) {
            return p.rotary_dim * p.rotary_dim / p.head_dim;
          })),
      factor("rotary_dim counts channels, not pairs")(
          "half of the window rotated", "vllm-project/vllm#41185",
          takes_window([](const AbiProblem& p) { return p.rotary_dim / 2; })),
      {"exponent over head_dim", of_both, kHead, 1, kOfHead,
       takes_exponent_over_head()},
      {"pair offset head_dim/2", of_both, kHead, 3, kOfHead,
       takes_layout(pair_over_head)},
      {kBoth, "pie-project/pie#602", kHead, 1, kOfHead,
       both(takes_exponent_over_head(), takes_layout(pair_over_head))},
      {"pair_distance ignored", "apple/coreai-models#66", kHead, 3,
       "pairs lie pair_distance apart where it is given",
       takes_layout([](Layout& layout) { layout.pair_distance = 0; })},
      end("window at the other end", "raullenchai/Rapid-MLX#1225",
          takes_layout([](Layout& layout) {
            layout.rotary_offset =
                layout.head_dim - layout.rotary_dim - layout.rotary_offset;
            layout.pair_distance = 0;
          })),
      end("window at the front, whatever the offset",
          "Luce-Org/lucebox-hub#598",
          takes_layout([](Layout& layout) { layout.rotary_offset = 0; })),
      outside("channels outside the window zeroed", "almide/almide#1419",
              set(&Pipeline::outside, [](auto...) { return 0.0; })),
      outside("channels outside the window zeroed in place",
              "of: channels outside the window zeroed",
              set(&Pipeline::outside,
                  [](double, double, bool is_in_place) {
                    return is_in_place ? std::optional(0.0) : std::nullopt;
                  })),
      outside("channels outside the window scaled by the amplitude",
              "raullenchai/Rapid-MLX#1225",
              set(&Pipeline::outside,
                  [](double x, double m, bool) { return x * m; })),
      outside("channels outside the window not written",
              "ggml-org/llama.cpp#17565", set(&Pipeline::leaves_outside, true)),
      outside("channels outside the window copied from the dense place",
              "ggml-org/llama.cpp#14580",
              set(&Pipeline::reads_outside_densely, true)),
      {"channels outside the window rotated as a next block",
       "ggml-org/ggml@440f1082", "window/outside-overwritten", 5,
       outside.advice, set(&Pipeline::rotates_next_blocks, true)}};
}

}  // namespace ropeproof::conformance::wrong
