#include "conformance/cases/prove.h"

#include <bit>
#include <charconv>
#include <span>

#include "conformance/cases/form_golden.h"
#include "reference/decimal.h"
#include "reference/parallel_for.h"

namespace ropeproof::conformance::cases {
namespace {

// One printed tensor beside its goldens.
struct PrintedTensor {
  std::string name;
  const std::vector<std::string>& printed;
  const Bits& exact;
  std::vector<std::int64_t> shape;
};

std::vector<PrintedTensor> printed_tensors(const Case& c) {
  const std::int64_t d = c.problem.spec.layout.head_dim;
  return {
      {"inv_freq",
       c.printed->inv_freq,
       c.golden.inv_freq_hi,
       {c.problem.pairs()}},
      {"cos", c.printed->cos, c.golden.cos, {c.problem.seq, c.problem.pairs()}},
      {"sin", c.printed->sin, c.golden.sin, {c.problem.seq, c.problem.pairs()}},
      {"q",
       c.printed->q,
       c.golden.q,
       {c.problem.batch, c.problem.seq, c.problem.q_heads, d}},
      {"k",
       c.printed->k,
       c.golden.k,
       {c.problem.batch, c.problem.seq, c.problem.k_heads, d}}};
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

void find_errata(Case& c) {
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

void prove_case(reference::Oracle oracle, Case& c) {
  c.golden = form_golden(c.problem, oracle, Effort::kCertified);
  if (c.printed) find_errata(c);
}

double number(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

void prove(reference::Oracle oracle, std::span<Group> groups) {
  std::vector<Case*> cases;
  for (Group& group : groups) {
    for (Case& c : group.rope_cases) cases.push_back(&c);
    for (Case& c : group.permute_cases) cases.push_back(&c);
  }
  reference::parallel_for(
      std::ssize(cases),
      [&](std::int64_t i) { prove_case(oracle, *reference::at(cases, i)); }, 1);
}

void prove(reference::Oracle oracle, Group& group) {
  prove(oracle, std::span(&group, 1));
}

std::vector<std::string> beyond_tolerance(const Case& c) {
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
