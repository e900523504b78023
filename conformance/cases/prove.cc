#include "conformance/cases/prove.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <span>

#include "conformance/cases/special_rules.h"
#include "reference/decimal.h"
#include "reference/parallel_for.h"

namespace ropeproof::conformance::cases {
namespace {

using reference::Golden;
using reference::WideGolden;

std::vector<double> values_of(const Bits& bits, reference::Format format) {
  std::vector<double> values;
  values.reserve(bits.size());
  for (const std::uint64_t pattern : bits) {
    values.push_back(reference::decode(format, pattern));
  }
  return values;
}

// The goldens of one case, in either form.
class CaseProver {
 public:
  CaseProver(reference::Oracle oracle, RopeCase& c)
      : c_(c),
        is_wide_(c.dtype == reference::Format::kF64),
        goldens_(oracle, c.spec, c.positions) {}

  void prove() {
    c_.precision_bits = 0;
    for (const GoldenTensor& golden : goldens_of(c_)) (c_.*golden.bits).clear();
    c_.amplitude = goldens_.resolution().amplitude;
    for (const WideGolden& theta : goldens_.frequencies()) {
      note(theta, c_.inv_freq_hi, c_.inv_freq_lo);
    }
    if (is_wide_) {
      for (const auto& entry : goldens_.wide_table()) {
        note(entry.cos, c_.cos, c_.cos_lo);
        note(entry.sin, c_.sin, c_.sin_lo);
        note_amplitude(entry.amplitude);
      }
    } else {
      for (const auto& entry : goldens_.table()) {
        note(entry.cos, c_.cos);
        note(entry.sin, c_.sin);
        note_amplitude(entry.amplitude);
      }
    }
    rotate(c_.q, c_.q_heads, c_.q_out, c_.q_out_lo);
    rotate(c_.k, c_.k_heads, c_.k_out, c_.k_out_lo);
    if (c_.is_special) apply_special_rules(c_);
  }

 private:
  void note(const Golden& golden, Bits& bits) {
    bits.push_back(golden.bits);
    c_.precision_bits = std::max(c_.precision_bits, golden.precision_bits);
  }
  void note(const WideGolden& golden, Bits& hi, Bits& lo) {
    note({golden.hi, golden.precision_bits}, hi);
    lo.push_back(golden.lo);
  }

  void note_amplitude(const Golden& amplitude) {
    if (c_.spec.frequencies.xpos) c_.pair_amplitude.push_back(amplitude.bits);
  }

  void rotate(const Bits& x, std::int64_t heads, Bits& y, Bits& y_lo) {
    const std::vector<double> values =
        values_of(c_.is_special ? provable_part(c_, x, heads) : x, c_.dtype);
    if (is_wide_) {
      for (const WideGolden& golden : goldens_.wide_rope(heads, values)) {
        note(golden, y, y_lo);
      }
    } else {
      for (const Golden& golden : goldens_.rope(heads, values)) note(golden, y);
    }
  }

  RopeCase& c_;
  bool is_wide_;
  reference::Goldens goldens_;
};

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
  auto remainder = static_cast<std::int64_t>(flat);
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = remainder % shape[axis];
    remainder /= shape[axis];
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

void prove_case(reference::Oracle oracle, RopeCase& c) {
  CaseProver(oracle, c).prove();
  if (c.printed) find_errata(c);
}

double number(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

void prove(reference::Oracle oracle, std::span<Group> groups) {
  std::vector<RopeCase*> cases;
  for (Group& group : groups) {
    for (RopeCase& c : group.rope_cases) cases.push_back(&c);
  }
  reference::parallel_for(
      std::ssize(cases),
      [&](std::int64_t i) { prove_case(oracle, *reference::at(cases, i)); }, 1);
}

void prove(reference::Oracle oracle, Group& group) {
  prove(oracle, std::span(&group, 1));
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

}  // namespace ropeproof::conformance::cases
