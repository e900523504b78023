#include "conformance/explain/account.h"

#include <cmath>

#include "conformance/explain/measured.h"
#include "conformance/explain/pattern.h"
#include "conformance/judge/codec.h"
#include "conformance/judge/output_layout.h"

namespace ropeproof::conformance::explain {
namespace {

using reference::Format;

void add_lengths(Pattern& pattern, const cases::Problem& problem,
                 const cases::Golden& golden, const judge::OutputTensor& tensor,
                 const judge::Channels& channels) {
  const std::int64_t d = problem.spec.layout.head_dim;
  const auto value = [&](const cases::Bits& bits, std::int64_t i) {
    return decode(problem.dtype, bits[static_cast<std::size_t>(i)]);
  };
  for (std::int64_t row = 0; row < problem.tokens() * tensor.heads; ++row) {
    double want = 0, got = 0;  // the head's, squared
    for (std::size_t j = 0; j < channels.from.size(); ++j) {
      const auto length_of = [&](const cases::Bits& bits, const auto& pair) {
        return judge::pair_length<Format::kF64>(value(bits, row * d + pair.u),
                                                value(bits, row * d + pair.v));
      };
      const double amplitude = std::abs(golden.amplitude_of(
          row / tensor.heads, static_cast<std::int64_t>(j)));
      const double in = length_of(*tensor.x, channels.from[j]);
      const double out = length_of(tensor.got, channels.to[j]);
      pattern.add_length(in, out, amplitude);
      want += in * in * amplitude * amplitude;
      got += out * out;
    }
    pattern.add_head_length(std::sqrt(want), std::sqrt(got));
  }
}

Pattern pattern_of(const cases::Problem& problem, const cases::Golden& golden,
                   std::uint32_t operation, const judge::OutputLayout& layout,
                   const std::vector<judge::Mark>& marks) {
  const bool is_permuted = operation == ROPEPROOF_PERMUTE;
  Pattern pattern(problem.spec.axes.count == 1 && !is_permuted &&
                  operation != ROPEPROOF_FREQUENCIES);
  const judge::Channels& channels = layout.channels();
  for (const judge::OutputTensor& tensor : layout.tensors()) {
    for (std::int64_t i = 0; i < tensor.size(); ++i) {
      const judge::Element e = layout.element(tensor.first + i);
      const bool is_wrong =
          marks[static_cast<std::size_t>(tensor.first + i)].is_wrong;
      const bool is_unwritten = is_wrong && !is_permuted &&
                                cases::is_output_fill(e.format, e.got_bits);
      const bool is_second =
          tensor.x != nullptr && e.pair >= 0 &&
          channels.to[static_cast<std::size_t>(e.pair)].v == e.channel;
      pattern.add(e, is_second, is_wrong, is_unwritten);
    }
    if (tensor.x != nullptr) {
      add_lengths(pattern, problem, golden, tensor, channels);
    }
  }
  return pattern;
}

}  // namespace

Account account_of(const judge::Measurement& judged,
                   const cases::Problem& problem, const cases::Golden& golden,
                   std::uint32_t operation, const judge::Claim& claim,
                   const judge::Output& output) {
  Account account;
  if (judged.pass()) return account;
  const judge::OutputLayout layout(problem, golden, operation, claim, output);
  const Pattern pattern =
      pattern_of(problem, golden, operation, layout,
                 judge::marks_of(problem, golden, operation, claim, output));
  account.pattern = pattern.text();
  if (operation == ROPEPROOF_PERMUTE) {
    account.equation = equation_of(ROPEPROOF_PERMUTE);
    return account;
  }
  Symptoms symptoms = pattern.symptoms();
  Measured measured;
  if (!problem.is_special && !symptoms.only_outside &&
      !symptoms.some_heads_alone) {
    measured = measure(problem, golden, operation, output, claim.table,
                       !symptoms.has_lengths || symptoms.pairs_keep_length);
  }
  // Then it is no more than what rounding makes of small angles.
  if (judged.beyond_structure == 0) measured.angle_error = 0;
  account.measured = measured.text(problem.pairs());
  symptoms.frequency_is_off =
      measured.is_frequency_off() && !measured.is_reversed();
  symptoms.position_is_off = measured.is_position_off();
  account.equation = equation_of(
      symptoms, operation,
      claim.computes_scaling ? problem.spec.frequencies.scaling
                             : reference::Scaling(reference::Default{}));
  return account;
}

}  // namespace ropeproof::conformance::explain
