#include "conformance/judge/judge.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "conformance/judge/codec.h"
#include "conformance/judge/measured.h"
#include "conformance/judge/meter.h"
#include "conformance/judge/pair_bounds.h"
#include "conformance/judge/pattern.h"
#include "reference/rope.h"

namespace ropeproof::conformance::judge {
namespace {

using reference::Format;

// One tensor of an output, beside its goldens.
struct Tensor {
  const char* name;
  const cases::Bits &golden, &low, &got;
  const cases::Bits* x = nullptr;  // what q and k were rotated from
  std::int64_t heads = 1;
  std::int64_t first = 0;  // index of its first element in the output

  std::int64_t size() const { return static_cast<std::int64_t>(golden.size()); }
};

double low_of(const Tensor& tensor, std::size_t i) {
  return tensor.low.empty() ? 0 : std::bit_cast<double>(tensor.low[i]);
}

// sqrt is correctly rounded everywhere; hypot is not. Squares of f32 and
// narrower numbers stay in the range of binary64; those of f64 are scaled.
template <Format kFormat>
double length(double a, double b) {
  if constexpr (kFormat == Format::kF64) {
    const double large = std::max(std::abs(a), std::abs(b));
    if (large == 0 || !std::isfinite(large)) return large;
    const double x = a / large, y = b / large;
    return large * std::sqrt(x * x + y * y);
  } else {
    return std::sqrt(a * a + b * b);
  }
}

// The channels of each pair, read and written, and those of no pair.
struct Channels {
  std::vector<reference::Pair> from, to;
  std::vector<std::int64_t> outside;
  std::vector<std::int64_t> pair_of;  // -1 outside

  explicit Channels(const reference::Spec& spec)
      : pair_of(static_cast<std::size_t>(spec.layout.head_dim), -1) {
    for (std::int64_t j = 0; j < spec.layout.rotary_dim / 2; ++j) {
      from.push_back(source_pair(spec, j));
      to.push_back(target_pair(spec, j));
      pair_of[static_cast<std::size_t>(to.back().u)] = j;
      pair_of[static_cast<std::size_t>(to.back().v)] = j;
    }
    for (std::int64_t t = 0; t < spec.layout.head_dim; ++t) {
      if (pair_of[static_cast<std::size_t>(t)] < 0) outside.push_back(t);
    }
  }
};

template <Format kFormat>
void judge_tensor(Meter& meter, PairBounds& bounds, const cases::RopeCase& c,
                  const Claim& claim, const Channels& channels,
                  const Tensor& tensor, bool has_angles) {
  constexpr bool kShowsPhase =
      kFormat == Format::kF32 || kFormat == Format::kF64;
  const double eta = underflow_error(claim, 0);
  const double eta_slope = underflow_error(claim, 1) - eta;
  const std::int64_t d = c.spec.layout.head_dim;
  const std::vector<Terms>* all = nullptr;
  for (std::int64_t row = 0; row < c.tokens() * tensor.heads; ++row) {
    if (row % tensor.heads == 0) all = &bounds.at(row / tensor.heads);
    const auto base = static_cast<std::size_t>(row * d);
    const std::uint64_t* x = tensor.x->data() + base;
    const std::uint64_t* got = tensor.got.data() + base;
    const std::uint64_t* golden = tensor.golden.data() + base;
    for (std::size_t j = 0; j < channels.from.size(); ++j) {
      const Terms& terms = (*all)[j];
      const double a = fast_decode<kFormat>(x[channels.from[j].u]);
      const double b = fast_decode<kFormat>(x[channels.from[j].v]);
      const double scale = terms.amplitude * length<kFormat>(a, b);
      const double absolute = eta + eta_slope * (std::abs(a) + std::abs(b));
      for (const std::int64_t t : {channels.to[j].u, channels.to[j].v}) {
        meter.within<kFormat>(
            tensor.first + row * d + t, got[t], golden[t],
            low_of(tensor, base + static_cast<std::size_t>(t)), scale, absolute,
            terms);
      }
      if (!kShowsPhase || !has_angles || c.is_special) continue;
      const auto [u, v] = channels.to[j];
      meter.phase(fast_decode<kFormat>(got[u]), fast_decode<kFormat>(got[v]),
                  std::bit_cast<double>(golden[u]),
                  std::bit_cast<double>(golden[v]), terms.phase);
    }
    for (const std::int64_t t : channels.outside) {
      meter.exactly(tensor.first + row * d + t, got[t], x[t]);
    }
  }
}

// cos and sin: the rotation of (1, 0).
template <Format kFormat>
void judge_table(Meter& meter, PairBounds& bounds, const cases::RopeCase& c,
                 const Claim& claim, const Tensor& cos, const Tensor& sin) {
  const double eta = table_underflow(claim);
  for (std::int64_t token = 0; token < c.tokens(); ++token) {
    const std::vector<Terms>& all = bounds.at(token);
    for (std::int64_t j = 0; j < c.pairs(); ++j) {
      const Terms& terms = all[static_cast<std::size_t>(j)];
      const std::int64_t flat = token * c.pairs() + j;
      const auto i = static_cast<std::size_t>(flat);
      for (const Tensor* tensor : {&cos, &sin}) {
        meter.within<kFormat>(tensor->first + flat, tensor->got[i],
                              tensor->golden[i], low_of(*tensor, i),
                              terms.amplitude, eta, terms);
      }
      if (kFormat == Format::kF32 || kFormat == Format::kF64) {
        meter.phase(fast_decode<kFormat>(cos.got[i]),
                    fast_decode<kFormat>(sin.got[i]),
                    std::bit_cast<double>(cos.golden[i]),
                    std::bit_cast<double>(sin.golden[i]), terms.phase);
      }
    }
  }
}

// A frequency's error is relative to itself.
template <Format kFormat>
void judge_frequencies(Meter& meter, const PairBounds& bounds,
                       const Claim& claim, const Tensor& tensor) {
  const std::vector<Terms> all = bounds.of_frequencies();
  const double eta = frequency_underflow(claim);
  for (std::size_t j = 0; j < all.size(); ++j) {
    const double theta = std::abs(std::bit_cast<double>(tensor.golden[j]));
    meter.within<kFormat>(static_cast<std::int64_t>(j), tensor.got[j],
                          tensor.golden[j], 0, theta, eta, all[j]);
  }
}

// Whether the angle of a pair is zero.
bool is_origin(const cases::RopeCase& c, std::int64_t token, std::int64_t j) {
  for (std::int64_t k = 0; k < c.spec.axes.count; ++k) {
    const double w = weight(c.spec.axes, c.pairs(), k, j);
    if (w * c.position(k, token) != 0) return false;
  }
  return true;
}

// Finds the elements of an output by their numbers, for people.
class Places {
 public:
  Places(const cases::RopeCase& c, std::uint32_t operation, const Claim& claim,
         std::vector<Tensor> tensors, const Channels& channels)
      : case_(c),
        operation_(operation),
        format_(operation == ROPEPROOF_TABLE ||
                        operation == ROPEPROOF_FREQUENCIES
                    ? claim.table
                    : c.dtype),
        tensors_(std::move(tensors)),
        channels_(channels) {}

  Element element(const Reading& reading) const {
    const Tensor& tensor = tensor_of(reading.index);
    const std::int64_t i = reading.index - tensor.first;
    Element e;
    e.tensor = tensor.name;
    e.error = reading.error;
    e.bound = reading.bound;
    std::int64_t token = 0;
    if (operation_ == ROPEPROOF_FREQUENCIES) {
      e.channel = e.pair = i;
      e.position = 1;
    } else if (tensor.x == nullptr) {
      e.channel = e.pair = i % case_.pairs();
      token = i / case_.pairs();
    } else {
      const std::int64_t d = case_.spec.layout.head_dim;
      e.channel = i % d;
      e.pair = channels_.pair_of[static_cast<std::size_t>(e.channel)];
      e.head = i / d % tensor.heads;
      token = i / d / tensor.heads;
    }
    if (operation_ != ROPEPROOF_FREQUENCIES) {
      e.batch = token / case_.seq;
      e.token = token % case_.seq;
      const reference::Axes& axes = case_.spec.axes;
      e.position =
          case_.position(e.pair < 0 ? 0 : axis_of(axes, e.pair), token);
      e.is_origin = e.pair >= 0 && is_origin(case_, token, e.pair);
    }
    const auto at = static_cast<std::size_t>(i);
    e.format = format_;
    e.got_bits = tensor.got[at];
    e.got = decode(format_, e.got_bits);
    e.want = std::bit_cast<double>(tensor.golden[at]);
    e.want_bits = e.pair < 0 ? (*tensor.x)[at] : encode(format_, e.want);
    return e;
  }

  // Goes over everything once more; for outputs that are wrong.
  Pattern pattern(const Meter& meter) const {
    Pattern pattern(case_.spec.axes.count == 1 &&
                    operation_ != ROPEPROOF_FREQUENCIES);
    for (const Tensor& tensor : tensors_) {
      for (std::int64_t i = 0; i < tensor.size(); ++i) {
        const Element e = element({tensor.first + i, 0, 0});
        const bool wrong = meter.is_wrong(tensor.first + i);
        const bool is_fill = cases::is_output_fill(e.format, e.got_bits);
        const bool is_second =
            tensor.x != nullptr && e.pair >= 0 &&
            channels_.to[static_cast<std::size_t>(e.pair)].v == e.channel;
        pattern.add(e, is_second, wrong, wrong && is_fill);
      }
      if (tensor.x != nullptr) add_lengths(pattern, tensor);
    }
    return pattern;
  }

 private:
  const Tensor& tensor_of(std::int64_t index) const {
    return *std::find_if(
        tensors_.begin(), tensors_.end(),
        [&](const Tensor& t) { return index < t.first + t.size(); });
  }

  void add_lengths(Pattern& pattern, const Tensor& tensor) const {
    const std::int64_t d = case_.spec.layout.head_dim;
    const auto value = [&](const cases::Bits& bits, std::int64_t i) {
      return decode(case_.dtype, bits[static_cast<std::size_t>(i)]);
    };
    for (std::int64_t row = 0; row < case_.tokens() * tensor.heads; ++row) {
      double want = 0, got = 0;  // the head's, squared
      for (std::size_t j = 0; j < channels_.from.size(); ++j) {
        const auto length_of = [&](const cases::Bits& bits, const auto& pair) {
          return length<Format::kF64>(value(bits, row * d + pair.u),
                                      value(bits, row * d + pair.v));
        };
        const double amplitude = std::abs(case_.amplitude_of(
            row / tensor.heads, static_cast<std::int64_t>(j)));
        const double in = length_of(*tensor.x, channels_.from[j]);
        const double out = length_of(tensor.got, channels_.to[j]);
        pattern.add_length(in, out, amplitude);
        want += in * in * amplitude * amplitude;
        got += out * out;
      }
      pattern.add_head_length(std::sqrt(want), std::sqrt(got));
    }
  }

  const cases::RopeCase& case_;
  std::uint32_t operation_;
  Format format_;
  std::vector<Tensor> tensors_;
  const Channels& channels_;
};

std::vector<Tensor> tensors_of(const cases::RopeCase& c,
                               std::uint32_t operation, const Output& output) {
  static const cases::Bits kNone;
  switch (operation) {
    case ROPEPROOF_FREQUENCIES:
      return {{"inv_freq", c.inv_freq_hi, kNone, output.inv_freq}};
    case ROPEPROOF_TABLE:
      return {{"cos", c.cos, c.cos_lo, output.cos},
              {"sin", c.sin, c.sin_lo, output.sin}};
    default:
      return {{"q", c.q_out, c.q_out_lo, output.q, &c.q, c.q_heads},
              {"k", c.k_out, c.k_out_lo, output.k, &c.k, c.k_heads}};
  }
}

// What the wrong elements say of the bug.
void explain(Measurement& m, Evidence evidence, const cases::RopeCase& c,
             std::uint32_t operation, const Claim& claim,
             const Output& output) {
  const bool is_rotation =
      !c.is_special && !evidence.only_outside && !evidence.some_heads_alone;
  Measured measured;
  if (is_rotation) {
    measured = measure(c, operation, output, claim.table,
                       !evidence.has_lengths || evidence.pairs_keep_length);
  }
  // Then it is no more than what rounding makes of small angles.
  if (m.beyond_structure == 0) measured.angle_error = 0;
  m.measured = measured.text(c.pairs());
  evidence.frequency_is_off =
      measured.is_frequency_off() && !measured.is_reversed();
  evidence.position_is_off = measured.is_position_off();
  m.equation = equation_of(evidence, operation,
                           claim.computes_scaling
                               ? c.spec.frequencies.scaling
                               : reference::Scaling(reference::Default{}));
}

}  // namespace

double Element::ratio() const { return Reading{0, error, bound}.ratio(); }

Measurement judge(const cases::RopeCase& c, std::uint32_t operation,
                  const Claim& claim, const Output& output, bool explains) {
  std::vector<Tensor> tensors = tensors_of(c, operation, output);
  std::int64_t elements = 0;
  for (Tensor& tensor : tensors) {
    tensor.first = elements;
    elements += tensor.size();
  }
  const Channels channels(c.spec);
  PairBounds bounds(c, claim, operation);
  Meter meter(elements, c.is_special);
  const bool is_table =
      operation == ROPEPROOF_TABLE || operation == ROPEPROOF_FREQUENCIES;
  with_format(is_table ? claim.table : c.dtype, [&]<Format kFormat>() {
    if (operation == ROPEPROOF_FREQUENCIES) {
      judge_frequencies<kFormat>(meter, bounds, claim, tensors[0]);
    } else if (operation == ROPEPROOF_TABLE) {
      judge_table<kFormat>(meter, bounds, c, claim, tensors[0], tensors[1]);
    } else {
      for (const Tensor& tensor : tensors) {
        judge_tensor<kFormat>(meter, bounds, c, claim, channels, tensor,
                              operation == ROPEPROOF_ROPE);
      }
    }
  });
  Measurement m = std::move(meter.m);
  const Places places(c, operation, claim, tensors, channels);
  if (meter.worst.index >= 0) m.worst = places.element(meter.worst);
  if (m.wrong > 0) {
    m.first_wrong = places.element(meter.first_wrong);
    if (!explains) return m;
    const Pattern pattern = places.pattern(meter);
    m.pattern = pattern.text();
    explain(m, pattern.evidence(), c, operation, claim, output);
  }
  return m;
}

Measurement judge(const cases::PermuteCase& c, const Output& output) {
  Meter meter(static_cast<std::int64_t>(c.out.size()), false);
  for (std::size_t i = 0; i < c.out.size(); ++i) {
    meter.exactly(static_cast<std::int64_t>(i), output.permuted[i], c.out[i]);
  }
  const auto element = [&](const Reading& reading) {
    const auto i = static_cast<std::size_t>(reading.index);
    const std::int64_t row = reading.index / c.columns;
    Element e;
    e.tensor = "permuted";
    e.head = row / c.layout.head_dim;
    e.channel = row % c.layout.head_dim;
    e.token = reading.index % c.columns;
    e.format = c.dtype;
    e.got_bits = output.permuted[i];
    e.want_bits = c.out[i];
    e.got = decode(c.dtype, e.got_bits);
    e.want = decode(c.dtype, e.want_bits);
    e.error = reading.error;
    e.bound = reading.bound;
    return e;
  };
  Measurement m = std::move(meter.m);
  if (meter.worst.index >= 0) m.worst = element(meter.worst);
  if (m.wrong == 0) return m;
  m.first_wrong = element(meter.first_wrong);
  Pattern pattern(false);
  for (std::int64_t i = 0; i < m.elements; ++i) {
    pattern.add(element({i, 0, 0}), false, meter.is_wrong(i), false);
  }
  m.pattern = pattern.text();
  m.equation = equation_of(ROPEPROOF_PERMUTE);
  return m;
}

}  // namespace ropeproof::conformance::judge
