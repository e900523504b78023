#include "conformance/judge/judge.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "conformance/judge/codec.h"
#include "conformance/judge/meter.h"
#include "conformance/judge/output_layout.h"
#include "conformance/judge/pair_bounds.h"
#include "conformance/judge/quiet_pairs.h"
#include "conformance/plugin/large.h"

namespace ropeproof::conformance::judge {
namespace {

using reference::Format;

double low_of(const OutputTensor& tensor, std::int64_t i) {
  return tensor.low.empty() ? 0 : cases::value_of(reference::at(tensor.low, i));
}

template <Format kFormat>
void judge_tensor(Meter& meter, PairBounds& bounds,
                  const cases::Problem& problem, const Channels& channels,
                  const OutputTensor& tensor, bool has_angles) {
  const bool shows_phase =
      (kFormat == Format::kF32 || kFormat == Format::kF64) && has_angles &&
      !problem.is_special;
  const std::int64_t d = problem.spec.layout.head_dim;
  const std::vector<Terms>* all = nullptr;
  QuietPairs quiet(channels, kFormat, shows_phase);
  bool is_stale = true;
  for (std::int64_t row = 0; row < problem.tokens() * tensor.heads; ++row) {
    const auto base = static_cast<std::size_t>(row * d);
    const RowBits at{tensor.x->data() + base, tensor.got.data() + base,
                     tensor.golden.data() + base,
                     tensor.low.empty() ? nullptr : &tensor.low[base]};
    if (row % tensor.heads == 0) {
      all = &bounds.at(row / tensor.heads);
      for (const Terms& terms : *all) meter.count_all(terms, 2 * tensor.heads);
      is_stale = true;
    }
    if (is_stale) quiet.refresh(meter, *all);
    const std::vector<std::uint64_t>& loud = quiet.pass(meter, at);
    is_stale = !loud.empty();
    for (const std::uint64_t j : loud) {
      const Terms& terms = (*all)[j];
      const double a = fast_decode<kFormat>(at.x[channels.from[j].u]);
      const double b = fast_decode<kFormat>(at.x[channels.from[j].v]);
      const Size size = bounds.size<kFormat>(terms, a, b);
      const auto [u, v] = channels.to[j];
      const double got_u = fast_decode<kFormat>(at.got[u]);
      const double got_v = fast_decode<kFormat>(at.got[v]);
      const Reading length = meter.length<kFormat>(got_u, got_v, size, terms);
      for (const std::int64_t t : {u, v}) {
        const std::int64_t i = row * d + t;
        meter.within<kFormat>(tensor.first + i, at.got[t], at.golden[t],
                              low_of(tensor, i), size, terms, length);
      }
      if (!shows_phase) continue;
      meter.phase(got_u, got_v, std::bit_cast<double>(at.golden[u]),
                  std::bit_cast<double>(at.golden[v]), terms);
    }
    const bool is_row_finite =
        std::ranges::all_of(channels.outside, [&](std::int64_t t) {
          return std::isfinite(fast_decode<kFormat>(at.x[t]));
        });
    for (const std::int64_t t : channels.outside) {
      meter.copied<kFormat>(tensor.first + row * d + t, at.got[t], at.x[t],
                            is_row_finite);
    }
  }
}

// cos and sin: the rotation of (1, 0).
template <Format kFormat>
void judge_table(Meter& meter, PairBounds& bounds,
                 const cases::Problem& problem, const OutputTensor& cos,
                 const OutputTensor& sin) {
  for (std::int64_t token = 0; token < problem.tokens(); ++token) {
    const std::vector<Terms>& all = bounds.at(token);
    for (std::int64_t j = 0; j < problem.pairs(); ++j) {
      const Terms& terms = all[static_cast<std::size_t>(j)];
      meter.count_all(terms, 2);
      const std::int64_t flat = token * problem.pairs() + j;
      const auto i = static_cast<std::size_t>(flat);
      const double c = fast_decode<kFormat>(cos.got[i]);
      const double s = fast_decode<kFormat>(sin.got[i]);
      const Size size{terms.amplitude, bounds.underflow()};
      const Reading length = meter.length<kFormat>(c, s, size, terms);
      for (const OutputTensor* tensor : {&cos, &sin}) {
        meter.within<kFormat>(tensor->first + flat, tensor->got[i],
                              tensor->golden[i], low_of(*tensor, flat), size,
                              terms, length);
      }
      if (kFormat == Format::kF32 || kFormat == Format::kF64) {
        meter.phase(c, s, std::bit_cast<double>(cos.golden[i]),
                    std::bit_cast<double>(sin.golden[i]), terms);
      }
    }
  }
}

// A frequency's error is relative to itself.
template <Format kFormat>
void judge_frequencies(Meter& meter, const PairBounds& bounds,
                       const OutputTensor& tensor) {
  const std::vector<Terms> all = bounds.of_frequencies();
  for (std::size_t j = 0; j < all.size(); ++j) {
    const double theta = std::abs(std::bit_cast<double>(tensor.golden[j]));
    meter.within<kFormat>(static_cast<std::int64_t>(j), tensor.got[j],
                          tensor.golden[j], 0, {theta, bounds.underflow()},
                          all[j], {});
  }
}

// Takes every element of an output to the meter, in the order of their numbers
// but for the channels of no pair.
void take_all(Meter& meter, const cases::Problem& problem,
              const cases::Golden& golden, std::uint32_t operation,
              const Claim& claim, const OutputLayout& layout) {
  const std::vector<OutputTensor>& tensors = layout.tensors();
  if (operation == ROPEPROOF_PERMUTE) {
    meter.exactly_all(tensors[0].got, golden.q);
    return;
  }
  PairBounds bounds(problem, golden, claim, operation);
  with_format(layout.format(), [&]<Format kFormat>() {
    if (operation == ROPEPROOF_FREQUENCIES) {
      judge_frequencies<kFormat>(meter, bounds, tensors[0]);
    } else if (operation == ROPEPROOF_TABLE) {
      judge_table<kFormat>(meter, bounds, problem, tensors[0], tensors[1]);
    } else {
      for (const OutputTensor& tensor : tensors) {
        judge_tensor<kFormat>(meter, bounds, problem, layout.channels(), tensor,
                              operation == ROPEPROOF_ROPE);
      }
    }
  });
}

Measurement judge_all(const cases::Problem& problem,
                      const cases::Golden& golden, std::uint32_t operation,
                      const Claim& claim, const Output& output,
                      std::vector<Mark>* marks, Spread* spread) {
  const OutputLayout layout(problem, golden, operation, claim, output);
  if (marks != nullptr) {
    marks->resize(static_cast<std::size_t>(layout.elements()));
  }
  Meter meter(problem.is_special, marks, spread, problem.pairs());
  take_all(meter, problem, golden, operation, claim, layout);
  const auto element = [&](const Reading& reading) {
    Element e = layout.element(reading.index);
    e.error = reading.error;
    e.bound = reading.bound;
    return e;
  };
  Measurement m = std::move(meter.m);
  if (meter.worst.index >= 0) m.worst = element(meter.worst);
  if (m.wrong > 0) m.first_wrong = element(meter.first_wrong);
  return m;
}

}  // namespace

double Element::ratio() const { return Reading{0, error, bound}.ratio(); }

Measurement judge(const cases::Problem& problem, const cases::Golden& golden,
                  std::uint32_t operation, const Claim& claim,
                  const Output& output, Spread* spread) {
  return judge_all(problem, golden, operation, claim, output, nullptr, spread);
}

Judged judge_each(const cases::Problem& problem, const cases::Golden& golden,
                  std::uint32_t operation, const Claim& claim,
                  const Output& output) {
  Judged judged;
  judged.all = judge_all(problem, golden, operation, claim, output,
                         &judged.marks, nullptr);
  return judged;
}

std::vector<double> bounds_of(const cases::Problem& problem,
                              const cases::Golden& golden,
                              std::uint32_t operation, const Claim& claim,
                              std::span<const double> want) {
  const Channels channels(problem.spec);
  PairBounds pair_bounds(problem, golden, claim, operation);
  const std::int64_t d = problem.spec.layout.head_dim;
  auto bounds = plugin::large<double>(want.size());  // 0 outside the window
  const auto add = [&]<Format kFormat>(std::int64_t heads, const cases::Bits& x,
                                       std::size_t at) {
    const std::uint64_t* row = x.data();
    for (std::int64_t token = 0; token < problem.tokens(); ++token) {
      const std::vector<Terms>& all = pair_bounds.at(token);
      for (std::int64_t head = 0; head < heads; ++head) {
        for (std::size_t j = 0; j < all.size(); ++j) {
          const double a = fast_decode<kFormat>(row[channels.from[j].u]);
          const double b = fast_decode<kFormat>(row[channels.from[j].v]);
          const Size size = pair_bounds.size<kFormat>(all[j], a, b);
          for (const std::int64_t t : {channels.to[j].u, channels.to[j].v}) {
            const std::size_t i = at + static_cast<std::size_t>(t);
            bounds[i] = all[j].bound(size, want[i]);
          }
        }
        row += d, at += static_cast<std::size_t>(d);
      }
    }
  };
  with_format(problem.dtype, [&]<Format kFormat>() {
    add.operator()<kFormat>(problem.q_heads, problem.q, 0);
    add.operator()<kFormat>(problem.k_heads, problem.k, problem.q.size());
  });
  return bounds;
}

}  // namespace ropeproof::conformance::judge
