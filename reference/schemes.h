// schemes.h -- position schemes and layouts of well-known models, as data.
//
// Each function returns data for a Spec (spec.h) or positions; none of them is
// known to rope.h. A scheme that is not here is written down as data just so.
//
// Axes have no names in this library, only numbers: the order of the rows of
// positions. The caller says which row is time, which is height.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/spec.h"

namespace ropeproof::reference {

// Layouts ---------------------------------------------------------------------

// The first `pairs` pairs of a half-split over the whole head: (j, j +
// head_dim/2), j < pairs. Gemma 4, global layers; rope_type "proportional" of
// Hugging Face transformers. Goes with proportional_exponents.
Layout proportional_layout(std::int64_t head_dim, std::int64_t pairs);

// 2j/head_dim: the exponents count against head_dim, not rotary_dim.
std::vector<Exponent> proportional_exponents(std::int64_t head_dim,
                                             std::int64_t pairs);

// Sections: which axis a pair follows -----------------------------------------
//
// The frequencies stay those of the pair's own index j (no restart). `sections`
// are numbers of pairs; their sum must be the number of pairs of the layout.

// Axis 0 for the first sections[0] pairs, then axis 1, ... M-RoPE [Qwen2-VL,
// arXiv:2409.12191]: t, h, w. XDRoPE of Hunyuan-VL: four sections p, w, h, t.
// ggml GGML_ROPE_TYPE_MROPE: t, h, w, e.
Axes contiguous_sections(std::span<const std::int64_t> sections);

// Interleaved M-RoPE [Qwen3-VL]: axis 1 where j mod 3 = 1 and j < 3
// sections[1], axis 2 where j mod 3 = 2 and j < 3 sections[2], else axis 0.
// Three sections. As Hugging Face and vLLM have it.
Axes interleaved_sections(std::span<const std::int64_t> sections);

// Interleaved M-RoPE of ggml (GGML_ROPE_TYPE_IMROPE): a fourth axis for what
// the other three leave over, axis 0 only where j mod 3 = 0 and j < 3
// sections[0]. Four sections.
Axes interleaved_sections_ggml(std::span<const std::int64_t> sections);

// Axes 0, 1, 2, 0, 1, ... cyclically, each until its section is used up.
// SGLang's mrope_interleaved_glm.
Axes round_robin_sections(std::span<const std::int64_t> sections);

// Ernie 4.5-VL, sections (h, w, t) with h = w, positions (t, h, w): axes 1 and
// 2 alternately for the first h + w pairs, then axis 0.
Axes ernie_sections(std::span<const std::int64_t> sections);

// Restarts: each axis has frequencies of its own ------------------------------

// The axes, and the exponents that belong to them.
struct Scheme {
  Axes axes;
  std::vector<Exponent> exponents;  // for Frequencies::exponents
};

// One block of pairs per axis, in order; the frequencies of a block of n pairs
// are those of a rotary_dim of its own, base^(-2q/(2n)), q = 0 .. n-1. Wan 2.1
// (22, 21, 21), HunyuanVideo and Flux.1 (8, 28, 28), Flux.2 (16, 16, 16, 16).
Scheme n_axis(std::span<const std::int64_t> pairs_of_axis);

enum class Spectrum {
  kShared,  // both axes have base^(-2q/(r/2)): Qwen2-VL ViT, Gemma 4 ViT, SAM 2
  kEvenOdd,  // first block base^(-2(2q)/r), second base^(-2(2q+1)/r): Pixtral
};

// Two axes, half of `pairs` each. `first_axis` (0 or 1) rotates the first
// block: models differ in whether height or width comes first.
Scheme axial_2d(std::int64_t pairs, std::int64_t first_axis, Spectrum spectrum);

// Every pair follows every axis: W of [count, pairs], rows first, in radians
// per unit of position. Learned ("mixed") 2-D RoPE [Heo et al.,
// arXiv:2403.13298]; Mochi. Goes with base = 1, which makes every theta_j 1.
Axes mixed_axes(std::int64_t count, std::span<const double> weights);

// The axes as they are, every weight times `weight`: 2 pi of DINOv3, as the
// binary64 that it is in a program.
Axes weighted(const Axes& axes, std::int64_t pairs, double weight);

// Positions: [axes, tokens], row by row ---------------------------------------

// first, first + 1, ...: `count` of them. The offset of a cache, for one.
std::vector<double> consecutive_positions(std::int64_t count,
                                          std::int64_t first = 0);

// Packed sequences: token cu_seqlens[i] is the first of sequence i and has
// position 0. cu_seqlens starts at 0, does not decrease and ends at the number
// of tokens (flash-attn varlen, Transformer Engine thd).
std::vector<double> packed_positions(std::span<const std::int64_t> cu_seqlens);

// Every point of a grid, the last axis fastest: sizes (height, width) give rows
// y and x of height * width tokens.
std::vector<double> grid_positions(std::span<const std::int64_t> sizes);

}  // namespace ropeproof::reference
