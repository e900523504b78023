#include "conformance/verdict/judge.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "conformance/corpus/words.h"
#include "conformance/verdict/pattern.h"
#include "reference/rope.h"

namespace ropeproof::conformance {
namespace {

using reference::Format;

double value_of(std::uint64_t golden) { return std::bit_cast<double>(golden); }

// sqrt is correctly rounded everywhere; hypot is not. Scaling by the larger one
// keeps the squares in range.
double length(double a, double b) {
  const double large = std::max(std::abs(a), std::abs(b));
  if (large == 0 || !std::isfinite(large)) return large;
  const double x = a / large, y = b / large;
  return large * std::sqrt(x * x + y * y);
}

// Collects judged elements into a Measurement.
class Judge {
 public:
  // `scale` is what the error is relative to: the pair's length times |m|.
  // `angle` holds the angle terms of A0, A1, A2 and of the claim; `local` and
  // `absolute` complete the bound.
  struct Terms {
    double scale = 1;
    std::array<double, 3> class_angle{};
    double angle = 0, local = 0, absolute = 0;
  };

  void within(Element element, const Terms& terms) {
    const double error = std::abs(element.got - element.want);
    element.error =
        std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
    const auto bound = [&](double angle) {
      return terms.scale * (angle + terms.local + kGoldenError) +
             terms.absolute;
    };
    element.bound = bound(terms.angle);
    for (std::size_t i = 0; i < terms.class_angle.size(); ++i) {
      Element as = element;
      as.bound = bound(terms.class_angle[i]);
      m_.class_ratio[i] = std::max(m_.class_ratio[i], as.ratio());
    }
    if (terms.angle + terms.local >= kVacuous) ++m_.vacuous;
    const double structure = terms.class_angle[ROPEPROOF_A1] + kStructuralBound;
    if (element.error > terms.scale * structure + terms.absolute) {
      ++m_.beyond_structure;
    }
    const double ulp = reference::ulp(element.format, terms.scale);
    m_.max_norm_ulp = std::max(m_.max_norm_ulp, element.error / ulp);
    add(element, element.error > element.bound);
  }

  // The same bits.
  void exactly(Element element) {
    const bool same = element.got_bits == element.want_bits;
    element.error = same ? 0 : std::numeric_limits<double>::infinity();
    if (!same) ++m_.beyond_structure;
    add(element, !same);
  }

  Pattern& pattern() { return pattern_; }

  Measurement finish() {
    m_.pattern = pattern_.text();
    return std::move(m_);
  }

 private:
  void add(const Element& element, bool wrong) {
    ++m_.elements;
    const bool zeros = element.got == 0 && element.want == 0;
    if (element.got_bits != element.want_bits && !zeros) ++m_.not_nearest;
    const int bits = reference::traits(element.format).total_bits;
    const bool unwritten =
        element.got_bits ==
        std::numeric_limits<std::uint64_t>::max() >> (64 - bits);
    pattern_.add(element, wrong, unwritten && wrong);
    if (wrong) {
      ++m_.wrong;
      if (!m_.first_wrong) m_.first_wrong = element;
    }
    if (!m_.worst || element.ratio() > m_.worst->ratio()) m_.worst = element;
  }

  Measurement m_;
  Pattern pattern_;
};

void set_values(Element& element, Format format, std::uint64_t got_bits,
                std::uint64_t golden) {
  element.format = format;
  element.got_bits = got_bits;
  element.want = value_of(golden);
  element.want_bits = encode(format, element.want);
  element.got = decode(format, got_bits);
}

// Everything about a case and a claim that the pairs need.
struct Context {
  const RopeCase& c;
  Claim claim;
  bool given_table;

  bool has_amplitude() const {
    return c.amplitude != 1 || !c.pair_amplitude.empty();
  }

  double amplitude(std::int64_t token, std::int64_t j) const {
    if (c.pair_amplitude.empty()) return std::abs(c.amplitude);
    const auto i = static_cast<std::size_t>(token * c.pairs() + j);
    return std::abs(value_of(c.pair_amplitude[i]));
  }

  PairAngle angle(std::int64_t token, std::int64_t j) const {
    const reference::Axes& axes = c.spec.axes;
    const auto at = static_cast<std::size_t>(j);
    const auto is_f32 = [](double x) {
      return decode(Format::kF32, encode(Format::kF32, x)) == x;
    };
    PairAngle pair{j, c.spec.layout.rotary_dim, value_of(c.inv_freq_hi[at])};
    pair.scaling = scaling(true);
    if (axes.weights.empty()) {
      const double p = c.position(axis_of(j), token);
      pair.position = std::abs(p);
      pair.is_f32 = is_f32(p);
      return pair;
    }
    for (std::int64_t k = 0; k < axes.count; ++k) {
      const double weight =
          axes.weights[static_cast<std::size_t>(k * c.pairs() + j)];
      const double p = c.position(k, token);
      pair.position += std::abs(weight * p);
      pair.is_f32 = pair.is_f32 && is_f32(p) && is_f32(weight);
    }
    pair.axes = axes.count;
    return pair;
  }

  // The operation frequencies gives no inv_freq: there everybody computes.
  double scaling(bool is_given) const {
    if (is_given && !claim.computes_scaling) return 0;
    return scaling_roundings(c.spec.frequencies.scaling,
                             c.spec.layout.rotary_dim);
  }

  std::int64_t axis_of(std::int64_t j) const {
    const auto& axes = c.spec.axes.axis_of_pair;
    return axes.empty() ? 0 : axes[static_cast<std::size_t>(j)];
  }

  Judge::Terms terms(std::int64_t token, std::int64_t j) const {
    Judge::Terms terms;
    terms.scale = amplitude(token, j);
    if (given_table) return terms;
    const PairAngle pair = angle(token, j);
    terms.angle = angle_error(claim, pair);
    for (const std::uint32_t angle_class :
         {ROPEPROOF_A0, ROPEPROOF_A1, ROPEPROOF_A2}) {
      Claim as = claim;
      as.angle_class = angle_class;
      terms.class_angle[angle_class] = angle_error(as, pair);
    }
    return terms;
  }

  // Where the element stands, but for its tensor, head and channel.
  void place(Element& element, std::int64_t token, std::int64_t pair) const {
    element.batch = token / c.seq;
    element.token = token % c.seq;
    element.pair = pair;
    element.position = c.position(pair < 0 ? 0 : axis_of(pair), token);
    element.is_origin = pair >= 0 && angle(token, pair).position == 0;
  }
};

// For each channel of an output: the pair that writes it and the channels that
// the pair reads; -1 where the channel is a copy.
struct Channel {
  std::int64_t pair = -1, u = 0, v = 0;
};

std::vector<Channel> channels_of(const reference::Spec& spec) {
  std::vector<Channel> channels(static_cast<std::size_t>(spec.layout.head_dim));
  for (std::int64_t j = 0; j < spec.layout.rotary_dim / 2; ++j) {
    const reference::Pair from = source_pair(spec, j);
    const reference::Pair to = target_pair(spec, j);
    for (const std::int64_t t : {to.u, to.v}) {
      channels[static_cast<std::size_t>(t)] = {j, from.u, from.v};
    }
  }
  return channels;
}

void judge_tensor(Judge& judge, const Context& context, const std::string& name,
                  const Bits& x, const Bits& golden, const Bits& got,
                  std::int64_t heads) {
  const RopeCase& c = context.c;
  const std::int64_t d = c.spec.layout.head_dim;
  const double local =
      local_error(context.claim, context.given_table, context.has_amplitude());
  const std::vector<Channel> channels = channels_of(c.spec);
  const auto value = [&](const Bits& bits, std::int64_t row, std::int64_t t) {
    return decode(c.dtype, bits[static_cast<std::size_t>(row * d + t)]);
  };
  for (std::int64_t row = 0; row < c.tokens() * heads; ++row) {
    const std::int64_t token = row / heads;
    for (std::int64_t t = 0; t < d; ++t) {
      const auto i = static_cast<std::size_t>(row * d + t);
      const Channel& channel = channels[static_cast<std::size_t>(t)];
      Element element;
      context.place(element, token, channel.pair);
      element.tensor = name;
      element.head = row % heads;
      element.channel = t;
      set_values(element, c.dtype, got[i], golden[i]);
      if (element.pair < 0) {
        element.want_bits = x[i];  // a copy, to the bit
        judge.exactly(element);
        continue;
      }
      const double a = value(x, row, channel.u), b = value(x, row, channel.v);
      Judge::Terms terms = context.terms(token, element.pair);
      terms.scale *= length(a, b);
      terms.local = local;
      terms.absolute =
          underflow_error(context.claim, std::abs(a) + std::abs(b));
      judge.within(element, terms);
    }
    for (std::int64_t j = 0; j < c.pairs(); ++j) {
      const reference::Pair from = source_pair(c.spec, j);
      const reference::Pair to = target_pair(c.spec, j);
      judge.pattern().add_length(
          length(value(x, row, from.u), value(x, row, from.v)),
          length(value(got, row, to.u), value(got, row, to.v)),
          context.amplitude(token, j));
    }
  }
}

void judge_table(Judge& judge, const Context& context, const std::string& name,
                 const Bits& golden, const Bits& got) {
  const RopeCase& c = context.c;
  const double local =
      table_error(context.claim, false, context.has_amplitude());
  for (std::size_t i = 0; i < golden.size(); ++i) {
    const auto flat = static_cast<std::int64_t>(i);
    const std::int64_t token = flat / c.pairs(), j = flat % c.pairs();
    Element element;
    context.place(element, token, j);
    element.tensor = name;
    element.channel = j;
    set_values(element, context.claim.table, got[i], golden[i]);
    Judge::Terms terms = context.terms(token, j);
    terms.local = local;
    Claim stored = context.claim;
    stored.output = context.claim.table;
    terms.absolute = underflow_error(stored, 0);
    judge.within(element, terms);
  }
}

// A frequency's error is relative to itself; a stored one is rounded once more.
void judge_frequencies(Judge& judge, const Context& context, const Bits& got) {
  const RopeCase& c = context.c;
  const double u = reference::traits(context.claim.table).unit_roundoff;
  for (std::size_t i = 0; i < got.size(); ++i) {
    Element element;
    element.tensor = "inv_freq";
    element.channel = element.pair = static_cast<std::int64_t>(i);
    element.position = 1;
    set_values(element, context.claim.table, got[i], c.inv_freq_hi[i]);
    Judge::Terms terms;
    const double theta = std::abs(element.want);
    PairAngle pair{element.pair, c.spec.layout.rotary_dim, theta, 1};
    pair.scaling = context.scaling(false);
    terms.scale = theta;
    terms.local = 2 * u;  // an ulp
    const auto relative = [&](std::uint32_t angle_class) {
      Claim as = context.claim;
      as.angle_class = angle_class;
      return theta > 0 ? angle_error(as, pair) / theta : 0;
    };
    terms.angle = relative(context.claim.angle_class);
    terms.class_angle = {relative(ROPEPROOF_A0), relative(ROPEPROOF_A1),
                         relative(ROPEPROOF_A2)};
    judge.within(element, terms);
  }
}

}  // namespace

double Element::ratio() const {
  if (error == 0) return 0;
  return bound > 0 ? error / bound : std::numeric_limits<double>::infinity();
}

Measurement judge(const RopeCase& c, std::uint32_t operation,
                  const Claim& claim, const Output& output) {
  Judge judge;
  const Context context{c, claim, operation == ROPEPROOF_ROTATE};
  switch (operation) {
    case ROPEPROOF_FREQUENCIES:
      judge_frequencies(judge, context, output.inv_freq);
      break;
    case ROPEPROOF_TABLE:
      judge_table(judge, context, "cos", c.cos, output.cos);
      judge_table(judge, context, "sin", c.sin, output.sin);
      break;
    default:
      judge_tensor(judge, context, "q", c.q, c.q_out, output.q, c.q_heads);
      judge_tensor(judge, context, "k", c.k, c.k_out, output.k, c.k_heads);
  }
  return judge.finish();
}

Measurement judge(const PermuteCase& c, const Output& output) {
  Judge judge;
  for (std::size_t i = 0; i < c.out.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i) / c.columns;
    Element element;
    element.tensor = "permuted";
    element.head = row / c.layout.head_dim;
    element.channel = row % c.layout.head_dim;
    element.token = static_cast<std::int64_t>(i) % c.columns;
    element.format = c.dtype;
    element.got_bits = output.permuted[i];
    element.want_bits = c.out[i];
    element.got = decode(c.dtype, element.got_bits);
    element.want = decode(c.dtype, element.want_bits);
    judge.exactly(element);
  }
  return judge.finish();
}

}  // namespace ropeproof::conformance
