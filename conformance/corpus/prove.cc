#include "conformance/corpus/prove.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <span>

#include "reference/decimal.h"

namespace ropeproof::conformance {
namespace {

using reference::Golden;

std::vector<double> values_of(const Bits& bits, reference::Format format) {
  std::vector<double> values;
  values.reserve(bits.size());
  for (const std::uint64_t pattern : bits) {
    values.push_back(reference::decode(format, pattern));
  }
  return values;
}

void prove_case(reference::Oracle oracle, RopeCase& c) {
  const auto note = [&c](const Golden& golden) {
    c.precision_bits = std::max(c.precision_bits, golden.precision_bits);
    return golden.bits;
  };
  for (const auto& theta : golden_frequencies(oracle, c.spec)) {
    c.inv_freq_hi.push_back(theta.hi);
    c.inv_freq_lo.push_back(theta.lo);
    c.precision_bits = std::max(c.precision_bits, theta.precision_bits);
  }
  const std::span<const double> positions = c.positions;
  for (const auto& turn : golden_table(oracle, c.spec, positions)) {
    c.cos.push_back(note(turn.cos));
    c.sin.push_back(note(turn.sin));
    if (c.spec.frequencies.xpos) {
      c.pair_amplitude.push_back(turn.amplitude.bits);
    }
  }
  c.amplitude = golden_resolution(oracle, c.spec).amplitude;
  const auto rotate = [&](const Bits& x, std::int64_t heads) {
    Bits y;
    for (const Golden& golden :
         golden_rope(oracle, c.spec, {c.batch, c.seq, heads}, positions,
                     values_of(x, c.dtype))) {
      y.push_back(note(golden));
    }
    return y;
  };
  c.q_out = rotate(c.q, c.q_heads);
  c.k_out = rotate(c.k, c.k_heads);
}

// One printed tensor beside its goldens.
struct PrintedTensor {
  std::string name;
  const std::vector<std::string>& printed;
  const Bits& exact;
  std::vector<std::int64_t> shape;
};

std::vector<PrintedTensor> printed_tensors(const RopeCase& c) {
  const std::int64_t d = c.spec.layout.head_dim;
  return {{"inv_freq", c.printed->inv_freq, c.inv_freq_hi, {c.pairs()}},
          {"cos", c.printed->cos, c.cos, {c.seq, c.pairs()}},
          {"sin", c.printed->sin, c.sin, {c.seq, c.pairs()}},
          {"q", c.printed->q, c.q_out, {c.batch, c.seq, c.q_heads, d}},
          {"k", c.printed->k, c.k_out, {c.batch, c.seq, c.k_heads, d}}};
}

std::vector<std::int64_t> unravel(std::size_t flat,
                                  const std::vector<std::int64_t>& shape) {
  auto rest = static_cast<std::int64_t>(flat);
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = rest % shape[axis];
    rest /= shape[axis];
  }
  return index;
}

std::size_t decimals_of(const std::string& text) {
  const std::size_t point = text.find('.');
  return point == std::string::npos ? 0 : text.size() - point - 1;
}

void find_errata(RopeCase& c) {
  for (const PrintedTensor& t : printed_tensors(c)) {
    for (std::size_t i = 0; i < t.printed.size(); ++i) {
      const std::string correct =
          reference::to_decimal(std::bit_cast<double>(t.exact[i]),
                                static_cast<int>(decimals_of(t.printed[i])));
      if (t.printed[i] != correct) {
        c.printed->errata.push_back(
            {t.name, unravel(i, t.shape), t.printed[i], correct});
      }
    }
  }
}

double number(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

void prove(reference::Oracle oracle, Group& group) {
  for (RopeCase& c : group.rope_cases) {
    prove_case(oracle, c);
    if (c.printed) find_errata(c);
  }
}

std::vector<std::string> beyond_tolerance(const RopeCase& c) {
  std::vector<std::string> lines;
  if (!c.printed) return lines;
  const double tolerance = number(c.printed->tolerance);
  for (const PrintedTensor& t : printed_tensors(c)) {
    for (std::size_t i = 0; i < t.printed.size(); ++i) {
      const double exact = std::bit_cast<double>(t.exact[i]);
      const double error = number(t.printed[i]) - exact;
      if (!(error <= tolerance && error >= -tolerance)) {
        lines.push_back(t.name + " element " + std::to_string(i) +
                        " is printed " + t.printed[i] + ", exactly " +
                        reference::to_decimal(exact, 10));
      }
    }
  }
  return lines;
}

}  // namespace ropeproof::conformance
