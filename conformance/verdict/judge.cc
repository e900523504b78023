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
    if (element.error > terms.scale * kStructuralBound) ++m_.beyond_structure;
    const double ulp = reference::ulp(element.format, terms.scale);
    m_.max_norm_ulp = std::max(m_.max_norm_ulp, element.error / ulp);
    add(element, element.error > element.bound);
  }

  // The same bits, or the two zeros where `zeros_agree`.
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

  Judge::Terms terms(std::int64_t position, std::int64_t j) const {
    Judge::Terms terms;
    const PairAngle pair{position, j, c.spec.layout.rotary_dim,
                         value_of(c.inv_freq_hi[static_cast<std::size_t>(j)])};
    const double m = c.spec.frequencies.amplitude;
    terms.scale = std::abs(m);
    if (!given_table) {
      terms.angle = angle_error(claim, pair);
      for (const std::uint32_t angle_class :
           {ROPEPROOF_A0, ROPEPROOF_A1, ROPEPROOF_A2}) {
        Claim as = claim;
        as.angle_class = angle_class;
        terms.class_angle[angle_class] = angle_error(as, pair);
      }
    }
    return terms;
  }
};

void judge_tensor(Judge& judge, const Context& context, const std::string& name,
                  const Bits& x, const Bits& golden, const Bits& got,
                  std::int64_t heads) {
  const RopeCase& c = context.c;
  const std::int64_t d = c.spec.layout.head_dim;
  const double m = c.spec.frequencies.amplitude;
  const double local = local_error(context.claim, context.given_table, m != 1);
  std::vector<std::int64_t> partner(static_cast<std::size_t>(d), -1);
  std::vector<std::int64_t> pair_of_channel(partner);
  for (std::int64_t j = 0; j < c.pairs(); ++j) {
    const reference::Pair pair = pair_of(c.spec.layout, j);
    partner[static_cast<std::size_t>(pair.u)] = pair.v;
    partner[static_cast<std::size_t>(pair.v)] = pair.u;
    pair_of_channel[static_cast<std::size_t>(pair.u)] = j;
    pair_of_channel[static_cast<std::size_t>(pair.v)] = j;
  }
  for (std::int64_t row = 0; row < c.batch * c.seq * heads; ++row) {
    const std::int64_t token = row / heads;
    for (std::int64_t t = 0; t < d; ++t) {
      const auto i = static_cast<std::size_t>(row * d + t);
      Element element;
      element.tensor = name;
      element.batch = token / c.seq;
      element.token = token % c.seq;
      element.head = row % heads;
      element.channel = t;
      element.pair = pair_of_channel[static_cast<std::size_t>(t)];
      element.position = c.positions[static_cast<std::size_t>(token)];
      set_values(element, c.dtype, got[i], golden[i]);
      if (element.pair < 0) {
        element.want_bits = x[i];  // a copy, to the bit
        judge.exactly(element);
        continue;
      }
      const std::int64_t v = partner[static_cast<std::size_t>(t)];
      const auto k = static_cast<std::size_t>(row * d + v);
      const double a = decode(c.dtype, x[i]), b = decode(c.dtype, x[k]);
      Judge::Terms terms = context.terms(element.position, element.pair);
      terms.scale *= length(a, b);
      terms.local = local;
      terms.absolute =
          underflow_error(context.claim, std::abs(a) + std::abs(b));
      judge.within(element, terms);
      if (t < v) {
        judge.pattern().add_length(
            length(a, b), length(element.got, decode(c.dtype, got[k])), m);
      }
    }
  }
}

void judge_table(Judge& judge, const Context& context, const std::string& name,
                 const Bits& golden, const Bits& got) {
  const RopeCase& c = context.c;
  const double local =
      table_error(context.claim, false, c.spec.frequencies.amplitude != 1);
  for (std::size_t i = 0; i < golden.size(); ++i) {
    const auto flat = static_cast<std::int64_t>(i);
    const std::int64_t token = flat / c.pairs();
    Element element;
    element.tensor = name;
    element.batch = token / c.seq;
    element.token = token % c.seq;
    element.channel = element.pair = flat % c.pairs();
    element.position = c.positions[static_cast<std::size_t>(token)];
    set_values(element, context.claim.table, got[i], golden[i]);
    Judge::Terms terms = context.terms(element.position, element.pair);
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
    const PairAngle pair{1, element.pair, c.spec.layout.rotary_dim, theta};
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
