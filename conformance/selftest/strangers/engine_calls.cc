#include "conformance/selftest/strangers/engine_calls.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "conformance/cases/draw.h"
#include "conformance/cases/families/family.h"
#include "conformance/cases/form_golden.h"
#include "reference/parallel_for.h"

namespace ropeproof::conformance::selftest::strangers {
namespace {

using cases::Draw;
using cases::Problem;
using reference::Format;
using reference::Pairing;

// Heads of q and k and channels of a head, as in published models.
struct Model {
  std::int64_t q_heads, k_heads, head_dim, rotary_dim, offset;
};
constexpr Model kModels[] = {
    {32, 8, 128, 128, 0},  {64, 8, 128, 128, 0}, {28, 4, 128, 128, 0},
    {14, 2, 64, 64, 0},    {12, 2, 128, 128, 0}, {40, 8, 128, 128, 0},
    {32, 32, 128, 128, 0}, {8, 1, 256, 256, 0},  {16, 8, 256, 256, 0},
    {24, 8, 64, 64, 0},    {32, 32, 80, 80, 0},  {32, 32, 96, 96, 0},
    {64, 8, 64, 64, 0},    {48, 1, 128, 128, 0}, {71, 1, 64, 64, 0},
    {9, 3, 64, 64, 0},     {15, 5, 64, 64, 0},   {16, 16, 72, 72, 0},
    {25, 5, 64, 64, 0},    {4, 1, 256, 256, 0},  {96, 8, 128, 128, 0},
    {20, 20, 104, 104, 0}, {12, 12, 88, 88, 0},  {16, 2, 112, 112, 0}};
// Models that rotate a part of each head.
constexpr Model kPartModels[] = {
    {32, 32, 80, 32, 0},      {64, 64, 96, 24, 0},    {128, 1, 64, 64, 0},
    {128, 128, 192, 64, 128}, {16, 16, 192, 64, 128}, {128, 1, 576, 64, 512},
    {32, 2, 128, 64, 0},      {16, 16, 256, 64, 0},   {24, 8, 128, 96, 0},
    {32, 8, 160, 128, 0}};

std::int64_t log_uniform(Draw& draw, double least, double most) {
  return static_cast<std::int64_t>(
      std::exp2(draw.real(std::log2(least), std::log2(most))));
}

// Tokens of a batch row: they count on from a place, or each row has its own.
std::vector<double> positions_of(Draw& draw, std::int64_t batch,
                                 std::int64_t seq, std::int64_t axes) {
  std::vector<double> positions;
  const double context = std::exp2(draw.real(9, draw.one_in(8) ? 21 : 17));
  const bool is_fresh = seq > 1 && draw.one_in(2);
  const bool is_packed = seq > 8 && draw.one_in(6);
  std::vector<double> firsts;
  for (std::int64_t b = 0; b < batch; ++b) {
    firsts.push_back(is_fresh ? 0 : std::floor(draw.real(0, context)));
  }
  const std::int64_t document = draw.between(3, std::max<std::int64_t>(seq, 4));
  const std::int64_t image = draw.between(2, 40);
  for (std::int64_t axis = 0; axis < axes; ++axis) {
    for (std::int64_t b = 0; b < batch; ++b) {
      for (std::int64_t s = 0; s < seq; ++s) {
        const std::int64_t place = is_packed ? s % document : s;
        // Rows and columns of an image behind its place in time.
        const std::int64_t step = axis == 0   ? place
                                  : axis == 1 ? place / image
                                              : place % image;
        positions.push_back(firsts[static_cast<std::size_t>(b)] +
                            static_cast<double>(step));
      }
    }
  }
  return positions;
}

reference::Scaling scaling_of(Draw& draw, std::int64_t pairs) {
  static constexpr double kFactors[] = {2, 4, 8, 16, 32, 40};
  static constexpr std::int64_t kLengths[] = {2048, 4096, 8192, 32768};
  const double factor = draw.from(kFactors);
  const std::int64_t length = draw.from(kLengths);
  switch (draw.between(1, 6)) {
    case 1:
      return reference::Linear{factor};
    case 2:
      return reference::DynamicNtk{factor, length, 0};
    case 3: {
      reference::Yarn yarn{factor, length};
      if (draw.one_in(3)) yarn.mscale = yarn.mscale_all_dim = 1;
      if (draw.one_in(3)) yarn.truncate = false;
      return yarn;
    }
    case 4: {
      reference::LongRope scaling;
      for (std::int64_t j = 0; j < pairs; ++j) {
        scaling.short_factor.push_back(1 + static_cast<double>(j) / 64);
        scaling.long_factor.push_back(1 + static_cast<double>(j));
      }
      scaling.original_length = length;
      scaling.factor = factor;
      return scaling;
    }
    case 5:
      return reference::Ntk{factor};
    default:
      return reference::Llama3{factor, 1, 4, 8192};
  }
}

// Activations: most are near 1, some channels are a hundred times as large.
cases::Bits activations(Draw& draw, Format dtype, std::int64_t rows,
                        std::int64_t head_dim) {
  std::vector<double> scales;
  for (std::int64_t c = 0; c < head_dim; ++c) {
    scales.push_back(std::exp2(draw.real(-3, 2)) *
                     (draw.one_in(40) ? 50.0 : 1.0));
  }
  cases::Bits bits;
  bits.reserve(static_cast<std::size_t>(rows * head_dim));
  for (std::int64_t i = 0; i < rows * head_dim; ++i) {
    const double bell = draw.real(-1, 1) + draw.real(-1, 1) + draw.real(-1, 1);
    bits.push_back(reference::encode(
        dtype, bell * scales[static_cast<std::size_t>(i % head_dim)]));
  }
  return bits;
}

Format dtype_of(Draw& draw) {
  static constexpr Format kDtypes[] = {
      Format::kBF16, Format::kBF16, Format::kBF16, Format::kF16, Format::kF32};
  return draw.from(kDtypes);
}

void lay_out(Draw& draw, Problem& p) {
  using cases::DimensionOrder, cases::InPlace;
  static constexpr DimensionOrder kOrders[] = {
      DimensionOrder::kBshd, DimensionOrder::kBshd, DimensionOrder::kBhsd,
      DimensionOrder::kPacked};
  p.storage.order = draw.from(kOrders);
}

// A call of up to 2^most elements.
Problem problem(Draw& draw, bool is_wide, double most) {
  const Model m =
      is_wide && draw.one_in(4) ? draw.from(kPartModels) : draw.from(kModels);
  const std::int64_t row = (m.q_heads + m.k_heads) * m.head_dim;
  const double tokens_at_most = std::max(
      2.0, std::exp2(draw.real(most - 9, most)) / static_cast<double>(row));
  // A prompt, or single tokens of many requests.
  const bool is_prompt = most > 20 || draw.between(1, 5) <= 3;
  const std::int64_t batch = is_prompt ? draw.from({1, 1, 1, 2, 3, 4, 8})
                                       : log_uniform(draw, 1, tokens_at_most);
  const std::int64_t seq =
      is_prompt ? std::max<std::int64_t>(
                      1, log_uniform(draw, 1, tokens_at_most) / batch)
                : 1;
  static constexpr Pairing kPairings[] = {
      Pairing::kHalfSplit, Pairing::kHalfSplit, Pairing::kInterleaved,
      Pairing::kInterleaved, Pairing::kInterleavedToHalf};
  reference::Layout layout{
      m.head_dim, m.rotary_dim, m.offset,
      is_wide ? draw.from(kPairings) : Pairing::kHalfSplit};
  static constexpr double kBases[] = {1e4, 1e4, 5e5, 5e5, 1e6, 1e7, 1.5e5, 8e6};
  const bool has_axes = is_wide && m.rotary_dim == 128 && draw.one_in(6);
  Problem p =
      cases::make_problem(is_wide ? dtype_of(draw) : Format::kF32, layout,
                          draw.from(kBases), batch, seq, m.q_heads, m.k_heads,
                          positions_of(draw, batch, seq, has_axes ? 3 : 1));
  if (has_axes) {
    const std::int64_t sections[] = {16, 24, 24};
    p.spec.axes = reference::contiguous_sections(sections);
  } else if (is_wide && draw.one_in(3)) {
    p = cases::with_length(
        cases::with_scaling(scaling_of(draw, m.rotary_dim / 2), p));
  }
  if (is_wide) lay_out(draw, p);
  if (draw.one_in(2)) p.storage.in_place = cases::InPlace::kBoth;
  if (is_wide && is_prompt && draw.one_in(5)) p = cases::adjoint(p);
  p.q = activations(draw, p.dtype, batch * seq * m.q_heads, m.head_dim);
  p.k = activations(draw, p.dtype, batch * seq * m.k_heads, m.head_dim);
  return p;
}

}  // namespace

std::vector<cases::Case> engine_calls(std::uint64_t seed, int count,
                                      bool is_wide) {
  std::vector<cases::Case> calls(static_cast<std::size_t>(count));
  reference::parallel_for(
      count,
      [&](std::int64_t i) {
        Draw draw(cases::random_bits(seed, static_cast<std::uint64_t>(i)));
        cases::Case& c = reference::at(calls, i);
        c.id = "engine-" + std::to_string(i);
        // One in 32 is a long prompt.
        const double most = i % 32 == 31 ? draw.real(21, 22.5) : 20;
        c.problem = problem(draw, is_wide, most);
        c.golden = cases::form_golden(c.problem, reference::best_oracle());
      },
      1);
  return calls;
}

}  // namespace ropeproof::conformance::selftest::strangers
